#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Each program is linked with the libraries of tests/golden/needed/PROGRAM and no
# other: what a helper does not need cannot be used against it, and costs time at
# each start.  Where the C library can be linked statically a program whose file
# says "static" has none.
# shellcheck source=tests/lib/gate.sh
. "$(dirname "$0")/../lib/gate.sh"
need readelf
need_build

found=$(programs)
[ -n "$found" ] || skip "no program in $build"
for path in $found; do
	name=$(basename "$path")
	golden=$top/tests/golden/needed/$name
	needed=$(readelf -d "$path" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p' |
		grep -v '^ld-linux' | sort)
	case $needed in *libasan* | *libubsan*) skip "a build with sanitizers" ;; esac
	if [ ! -f "$golden" ]; then
		check "$name" "there is no tests/golden/needed/$name"
		continue
	fi
	if [ -z "$needed" ] && grep -q '^static$' "$golden"; then
		check "$name is static" ""
		continue
	fi
	check "$name is linked with what it needs" "$(printf '%s\n' "$needed" |
		diff - "$(printf '%s' "$golden")" | grep '^[<>]' | grep -v '^> static$' |
		sed -e 's/^< /linked but not listed: /' -e 's/^> /listed but not linked: /')"
done
for golden in "$top"/tests/golden/needed/*; do
	name=$(basename "$golden")
	[ -f "$build/$name" ] || check "$name" "listed in tests/golden/needed, but not built"
done
finish

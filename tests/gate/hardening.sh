#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# What the linker made of each program, and what an installation has: no setuid
# file, no file that others can write.
# shellcheck source=tests/lib/gate.sh
. "$(dirname "$0")/../lib/gate.sh"
need readelf make
need_build

found=$(programs)
[ -n "$found" ] || skip "no program in $build"
for path in $found; do
	name=$(basename "$path")
	dynamic=$(readelf -dW "$path" 2>/dev/null)
	segments=$(readelf -lW "$path" 2>/dev/null)
	case $dynamic in *libasan* | *libubsan*) skip "a build with sanitizers" ;; esac
	wrong=
	readelf -hW "$path" | grep -q 'Type: *DYN' || wrong="${wrong}not position independent
"
	printf '%s\n' "$segments" | grep -q 'GNU_RELRO' || wrong="${wrong}no RELRO
"
	printf '%s\n' "$dynamic" | grep -Eq 'BIND_NOW|FLAGS_1.*NOW' || wrong="${wrong}no BIND_NOW
"
	printf '%s\n' "$segments" | grep 'GNU_STACK' | grep -q 'E' && wrong="${wrong}executable stack
"
	printf '%s\n' "$segments" | grep -q 'GNU_STACK' || wrong="${wrong}no GNU_STACK: the stack may be executable
"
	printf '%s\n' "$segments" | grep -E '^ *LOAD' | grep -q 'RWE' && wrong="${wrong}a segment that is writable and executable
"
	printf '%s\n' "$dynamic" | grep -Eq 'RPATH|RUNPATH' && wrong="${wrong}RPATH or RUNPATH
"
	printf '%s\n' "$dynamic" | grep -q 'TEXTREL' && wrong="${wrong}text relocations
"
	check "$name is hardened" "$wrong"
done

# The stack protector is probed: where the compiler has it, it must have been used.
if grep -q '^anet_cv_flag_compile__fstack_protector_strong=yes' "$build/config.log"; then
	for path in $found; do
		check "$(basename "$path") has the stack protector" \
			"$(nm -a "$path" 2>/dev/null | grep -q '__stack_chk_fail' || echo "no __stack_chk_fail")"
	done
fi

place=$(mktemp -d "${ANET_TEST_DIR:-${TMPDIR:-/tmp}}/anet-gate.XXXXXX") || exit 1
trap 'rm -rf "$place"' EXIT
trap 'exit 1' HUP INT TERM
check "make install with DESTDIR" "$(make -s -C "$build" install DESTDIR="$place" 2>&1 >/dev/null |
	grep -E '(Error|No rule|cannot)')"
check "something is installed" "$([ -n "$(find "$place" -name 'anet*' -type f)" ] || echo "nothing below DESTDIR")"
check "no setuid or setgid file" "$(find "$place" -type f \( -perm -4000 -o -perm -2000 \))"
check "no file that others can write" "$(find "$place" \( -type f -o -type d \) -perm -0002)"
check "no link that leads elsewhere" "$(find "$place" -type l)"
if command -v getcap >/dev/null; then
	check "no file with capabilities" "$(getcap -r "$place" 2>/dev/null)"
fi
finish

#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Each installed program has a manual page; pages render without a warning; those of helpers have all sections
# in their order.
set -u
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"
prefix=${ANET_PREFIX:-/usr/local}

command -v groff >/dev/null || skip "groff is not installed"
[ -x "$prefix/bin/anet" ] || skip "$prefix/bin/anet is not installed (set ANET_PREFIX)"

for page in "$prefix"/share/man/man?/anet*; do
	warnings=$(groff -mandoc -Tutf8 -ww -z "$page" 2>&1)
	empty "${page##*/} renders without a warning" "$warnings"
done

for program in "$prefix"/bin/* "$prefix"/libexec/anet/*; do
	name=${program##*/}
	section=8
	[ "$name" != anet ] || section=1
	page=$prefix/share/man/man$section/$name.$section
	[ -e "$page" ] && yes=yes || yes=no
	result "$yes" "$name has a page" "no $page"
done

want="NAME DESCRIPTION FILE DESCRIPTORS CREDENTIALS OPTIONS EXIT STATUS JOURNAL FIELDS SANDBOX SEE ALSO SECURITY CONSIDERATIONS"
for page in "$prefix"/share/man/man8/anet-*.8; do
	got=$(sed -n 's/^\.Sh //p' "$page" | tr '\n' ' ' | sed 's/ $//')
	[ "$got" = "$want" ] && yes=yes || yes=no
	result "$yes" "${page##*/} has the sections of a helper in their order" "$got"
done
finish

#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The core library is pure: it calls nothing that has a descriptor, a clock, a
# heap or a log.
# shellcheck source=tests/lib/gate.sh
. "$(dirname "$0")/../lib/gate.sh"
need nm
need_build
library=$build/libcore.a
[ -f "$library" ] || skip "$library is not built"

# Of the C library: bytes and numbers.  The second line is what the compiler adds.
allowed='memchr memcmp memcpy memmove memset strchr strcmp strcspn strlen strncmp strnlen strspn strtod
	__assert_fail __memcpy_chk __memmove_chk __memset_chk __stack_chk_fail _GLOBAL_OFFSET_TABLE_'

nm -u "$library" 2>/dev/null | grep -Eq ' U __(asan|ubsan|sanitizer)' && skip "a build with sanitizers"
defined=$(nm --defined-only "$library" 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u)
wanted=$(nm -u "$library" 2>/dev/null | awk '$1 == "U" { print $2 }' | sort -u)
found=
for symbol in $wanted; do
	for good in $allowed $defined; do
		[ "$symbol" = "$good" ] && continue 2
	done
	found="$found$symbol is not for src/core
"
done
check "libcore.a calls only what is pure" "$found"

# Constants with pointers in them lie in .data.rel.ro, which is not written either.
writable=$(nm -f sysv "$library" 2>/dev/null |
	awk -F'|' '$7 ~ /^(\.data|\.bss|\.tbss|\.tdata|\*COM\*)$/ { print $1 " is a variable of the whole program" }')
check "libcore.a has no state" "$writable"
finish

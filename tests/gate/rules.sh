#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# anet-gateway-rules(7) has every table that the gateway could go by, and every row of them.
# shellcheck source=tests/lib/gate.sh
. "$(dirname "$0")/../lib/gate.sh"
need_build
need nm
page=$build/man/anet-gateway-rules.7
objects=$(find "$build/src/core" -name '*rules-*.o')
if [ ! -f "$page" ] || [ -z "$objects" ]; then
	skip "the build has no page or no tables"
fi

# shellcheck disable=SC2086 # one word for each object
built=$(nm $objects | grep -c ' [a-zA-Z] [a-z_]*_rows$')
printed=$("$build/man/rules-page" count)
check "the page has each of the $built tables that are built" "$([ "$built" = "$printed" ] || echo "it has $printed")"

# Each list ends with what becomes of all else; flags and headers have three that do not.
ends=$(grep -cE '^\.It any other (field|type)$' "$page")
check "each table says what becomes of what it does not name" "$([ "$ends" = "$printed" ] || echo "$ends of $printed do")"

# A name of a row, as it is written in the tables, is in the page.
missing=$(cd "$top/src/core" && sed -n 's/^[^/*]*\(PASS\|NESTED\|KINDS\|CHECK\|CLAMP\|SET\|DROP\|REFUSE\|ONLY\|NEEDED\)("\([a-z_]*\)".*/\2/p' \
	rules-*.c | sort -u | while read -r name; do
	grep -qF ".It Sy \"\\&$name\\&\"" "$page" || echo "$name"
done)
check "each field that is written in the tables is in the page" "$missing"
if command -v mandoc >/dev/null; then
	check "mandoc finds nothing wrong" "$(mandoc -Tlint -Wwarning "$page" 2>&1)"
fi
finish

#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Files have at most 400 lines and functions at most 60; longer ones stand in
# tests/golden/sizes with a reason.
# shellcheck source=tests/lib/gate.sh
. "$(dirname "$0")/../lib/gate.sh"
cd "$top" || exit 1
exceptions=tests/golden/sizes

# excepted WHAT NUMBER: whether the list allows WHAT (a file, or FILE:FUNCTION) that many lines.
excepted() {
	awk -v what="$1" -v lines="$2" '$1 == what && lines <= $2 && NF > 3 { good = 1 } END { exit !good }' "$exceptions"
}

check "each exception has a reason" "$(grep -vE '^(#|$)' "$exceptions" | awk 'NF < 4 { print $0 }')"

check "files" "$(tree_files src tests tools | grep -E '\.(c|h|py|sh)$' | tr '\n' '\0' | xargs -0 awk '
	{ lines[FILENAME] = FNR }
	END { for (file in lines) if (lines[file] > 400) print file, lines[file] }' | sort |
	while read -r file lines; do
		excepted "$file" "$lines" || echo "$file has $lines lines"
	done)"

# shellcheck disable=SC2016 # these are awk's variables
check "functions" "$(tree_files src tests | grep -E '\.c$' | tr '\n' '\0' | xargs -0 awk '
	/^[a-z_].*\(/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
	/^\{/ { start = FNR }
	/^\}/ && start { if (FNR - start > 60) print FILENAME ":" name, FNR - start; start = 0 }' |
	while read -r what lines; do
		excepted "$what" "$lines" || echo "$what() has $lines lines"
	done)"

check "no exception that is not needed" "$(grep -vE '^(#|$)' "$exceptions" | while read -r what rest; do
	[ -f "${what%%:*}" ] || echo "$what does not exist"
done)"
finish

#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Documents keep up with the sources: every reason code, configuration key, program and directory is named where
# a reader looks for it, and every file that a document links to exists.
set -u
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
prefix=${ANET_PREFIX:-/usr/local}

missing() { # FILE: prints the words of stdin that it has not as words
	while read -r word; do
		grep -Eq "(^|[^[:alnum:]_])$word([^[:alnum:]_]|\$)" "$1" || echo "$word"
	done
}

check() { # NAME COUNT MISSING
	[ "$2" -gt 0 ] && [ -z "$3" ] && yes=yes || yes=no
	result "$yes" "$1" "${3:-nothing was looked for}"
}

codes=$(sed -n 's/^R([A-Z0-9_]*, "\([a-z0-9_]*\)".*/\1/p' "$top/src/core/reason.def")
page=$prefix/share/man/man7/anet-reasons.7
[ -e "$page" ] || skip "$page is not installed (set ANET_PREFIX)"
check "anet-reasons(7) has every code of reason.def" "$(echo "$codes" | wc -w)" "$(echo "$codes" | missing "$page")"
rows=$(grep -c '^R(' "$top/src/core/reason.def")
[ "$rows" = "$(grep -c '^\.It Sy ' "$page")" ] && yes=yes || yes=no
result "$yes" "anet-reasons(7) has no other"

keys=$(sed -n -e 's/^[[:space:]]*{ *"\([a-zA-Z_]*\)", CONFIG_.*/\1/p' -e 's/^[[:space:]]*LIMIT("\([a-z_]*\)".*/\1/p' \
	"$top/src/config/config.c" "$top/src/config/agent.c" "$top/src/config/config-keys.c")
check "anet.conf(5) has every key of the configuration" "$(echo "$keys" | wc -w)" \
	"$(echo "$keys" | missing "$top/man/anet.conf.5")"

keys=$(sed -n 's/^[[:space:]]*{ *"\([a-z_]*\)", CONFIG_.*/\1/p' "$top/src/config/runtime.c")
check "anet-runtime(5) has every key of a runtime" "$(echo "$keys" | wc -w)" \
	"$(echo "$keys" | missing "$top/man/anet-runtime.5")"

directories=$(cd "$top" && printf '%s\n' src/*/ | sed 's|/$||')
check "docs/ARCHITECTURE.md names every directory of src" "$(echo "$directories" | wc -w)" \
	"$(echo "$directories" | missing "$top/docs/ARCHITECTURE.md")"

programs=$(cd "$prefix" && printf '%s\n' libexec/anet/* bin/anet | sed 's|.*/||')
for document in ARCHITECTURE THREAT-MODEL; do
	check "docs/$document.md has a row for every program" "$(echo "$programs" | wc -w)" \
		"$(echo "$programs" | while read -r program; do
			grep -q "^| .*\`$program\`.* |" "$top/docs/$document.md" || echo "$program"
		done)"
done

for document in README.md SECURITY.md CODING_STYLE.md docs/ARCHITECTURE.md docs/THREAT-MODEL.md; do
	directory=$(dirname "$top/$document")
	links=$(grep -o '](\([^)]*\))' "$top/$document" | sed 's/^](//;s/)$//' | grep -v '^https\{0,1\}:' | sed 's/#.*//' |
		sort -u)
	broken=$(for link in $links; do [ -e "$directory/$link" ] || echo "$link"; done)
	empty "$document links to files that exist" "$broken"
done
finish

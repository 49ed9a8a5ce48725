#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# src/core/reason.def: each row is well-formed, each code is unique, and the list
# is append-only: no code of the base goes away or gets another exit status.  The
# base is $ANET_BASE, else the main branch of the origin, else (on it) the commit before.
# shellcheck source=tests/lib/gate.sh
. "$(dirname "$0")/../lib/gate.sh"
cd "$top" || exit 1
file=src/core/reason.def

# rows: symbol, code, exit, HTTP status, severity, sentence, remedy with tabs between, of the rows on standard input.
rows() {
	awk '
	/^R\(/ { row = ""; open = 1 }
	open { row = row $0 " " }
	open && /\)[ \t]*$/ { print row; open = 0 }
	' | sed -E -e 's/"[ \t]+"//g' -e 's/^R\(([A-Z0-9_]+), "([^"]*)", ([0-9]+), ([0-9]+), ([A-Z]+),[ \t]*"([^"]*)",[ \t]*"([^"]*)"\) *$/\1\t\2\t\3\t\4\t\5\t\6\t\7/'
}

now=$(rows <"$file")
starts=$(grep -c '^R(' "$file")
check "each row is read" "$([ "$(printf '%s\n' "$now" | wc -l)" -eq "$starts" ] ||
	echo "$starts rows begin, $(printf '%s\n' "$now" | wc -l) end")"
check "each row is well-formed" "$(printf '%s\n' "$now" | awk -F'\t' '
	NF != 7 { print "not SYMBOL, \"code\", exit, http, SEVERITY, \"sentence\", \"remedy\": " $0; next }
	$2 !~ /^[a-z][a-z0-9_]*$/ { print $2 ": not a code" }
	toupper($2) != $1 { print $2 ": its symbol is " $1 }
	$3 != 0 && !($3 >= 64 && $3 <= 78) && $3 != 126 && $3 != 127 { print $2 ": exit status " $3 }
	$4 != 0 && !($4 >= 400 && $4 <= 599) { print $2 ": HTTP status " $4 }
	$5 !~ /^(ERROR|WARNING|NOTICE|INFO)$/ { print $2 ": severity " $5 }
	$6 == "" || $6 ~ /[.]$/ || length($6) > 140 { print $2 ": not a sentence without a full stop" }
	($5 == "ERROR" || $5 == "WARNING") && $3 != 0 && $7 == "" && $2 !~ /^(peer_refused|command_not_executable|system|upstream_(protocol|timeout))$/ \
		{ print $2 ": no remedy" }')"
check "each code is unique" "$(printf '%s\n' "$now" | cut -f2 | sort | uniq -d)"
# A code may be older or younger than what gives it: told, not refused.
used=$(grep -rohE '(REASON_|\()[A-Z0-9_]{2,}' --include='*.[ch]' src | sed -E 's/^(REASON_|\()//' | sort -u)
printf '%s\n' "$now" | cut -f1 | grep -vxF -e "$used" | sed 's/.*/# REASON_& is never given/'

base=
for candidate in "${ANET_BASE-}" origin/main HEAD~1; do
	# On the main branch itself it says nothing.
	[ "$candidate" != origin/main ] || [ "$(git rev-parse -q --verify origin/main)" != "$(git rev-parse HEAD)" ] || continue
	if [ -n "$candidate" ] && git rev-parse -q --verify "$candidate:$file" >/dev/null 2>&1; then
		base=$candidate
		break
	fi
done
if [ -n "$base" ]; then
	before=$(git show "$base:$file" | rows)
	check "no code of $base is gone or has another exit status" \
		"$(printf '%s\n' "$before" | cut -f1-3 | grep -vxF -e "$(printf '%s\n' "$now" | cut -f1-3)")"
else
	echo "# no base in git to compare with"
fi
finish

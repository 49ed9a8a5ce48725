#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# What does not belong into the tree: places of the machine it is written on,
# notes to oneself, merge marks, keys.
# shellcheck source=tests/lib/gate.sh
. "$(dirname "$0")/../lib/gate.sh"
cd "$top" || exit 1

# absent NAME REGEX: no line of a text file of the tree matches.  The expressions
# are written so that they do not match themselves.
absent() {
	check "$1" "$(tree_files . | grep -vE '^tests/fuzz/corpus/' | tr '\n' '\0' | xargs -0 grep -nIE -e "$2" -- 2>/dev/null)"
}

absent "no path of the machine it is written on" '/[w]ork/(main|shared|\.)|\.\./[s]hared/|/tmp/[wib](/|-)[a-z]'
absent "no note to oneself" '(^|[^A-Za-z_])(TO[D]O|FIX[M]E|X[X]X|HA[C]K)([^A-Za-z_]|$)'
absent "no merge mark" '^(<<<<<<[<]|>>>>>>[>]) '
absent "no private key" 'BEGIN [A-Z ]*PRIVATE [K]EY'
absent "no real API key" 's[k]-(ant-(api|oat|sid)[0-9]{2}-|proj-[A-Za-z0-9_-]{40})'

check "each source file names its licence" "$(tree_files src tests tools man | grep -E '\.(c|h|def|py|sh)$' |
	tr '\n' '\0' | xargs -0 grep -L 'SPDX-License-Identifier: LGPL-2.1-or-later' -- |
	while read -r file; do
		[ ! -s "$file" ] || echo "$file"
	done)"
check "no space at the end of a line of code" "$(tree_files src tests tools | grep -E '\.(c|h|def|py|sh|seccomp|sim|mk)$' |
	tr '\n' '\0' | xargs -0 grep -nE '[ 	]$' --)"
finish

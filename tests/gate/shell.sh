#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=300
# The shell scripts of the tree, by shellcheck.
# shellcheck source=tests/lib/gate.sh
. "$(dirname "$0")/../lib/gate.sh"
need shellcheck
cd "$top" || exit 1

scripts=$(
	tree_files . | grep '\.sh$'
	tree_files . | grep -v '\.sh$' | tr '\n' '\0' | xargs -0 grep -lIE -m 1 '^#! ?/bin/(ba|da)?sh' -- |
		while read -r file; do
			head -n 1 "$file" | grep -q '^#!' && echo "$file"
		done
)
[ -n "$scripts" ] || exit 1
# All at once, which is much faster.  No name of a script has a space.
# shellcheck disable=SC2086
check "all shell scripts" "$(shellcheck -x $scripts 2>&1)"
finish

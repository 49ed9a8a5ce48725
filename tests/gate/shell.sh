#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The shell scripts of the tree, by shellcheck.
# shellcheck source=tests/lib/gate.sh
. "$(dirname "$0")/../lib/gate.sh"
need shellcheck
cd "$top" || exit 1

scripts=$(tree_files . | while read -r file; do
	[ -f "$file" ] || continue
	case $file in
	*.sh) echo "$file" ;;
	*) head -n 1 "$file" 2>/dev/null | tr -d '\0' | grep -qE '^#! ?/bin/(ba)?sh' && echo "$file" ;;
	esac
done)
for script in $scripts; do
	check "$script" "$(shellcheck -x "$script" 2>&1)"
done
finish

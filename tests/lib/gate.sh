# SPDX-License-Identifier: LGPL-2.1-or-later
# Shared by tests/gate/*.sh: where things are, and how a check is told.  Source it
# first: `. "$(dirname "$0")/../lib/gate.sh"`.
# shellcheck shell=sh disable=SC2034

LC_ALL=C
export LC_ALL

top=$(cd "$(dirname "$0")/../.." && pwd)
build=${ANET_BUILD_DIR-}
checks=0
failures=0

skip() {
	echo "# skipped: $*"
	exit 77
}

# need PROGRAM...: skips where one is missing.
need() {
	for program; do
		command -v "$program" >/dev/null || skip "$program is not installed"
	done
}

# need_build: skips without a finished build.
need_build() {
	[ -n "$build" ] || skip "ANET_BUILD_DIR is not set"
	[ -f "$build/Makefile" ] || skip "$build holds no build"
}

# check NAME FOUND: passed if FOUND, what a search for something wrong printed, is empty.
check() {
	checks=$((checks + 1))
	if [ -z "$2" ]; then
		echo "ok $checks - $1"
	else
		failures=$((failures + 1))
		echo "not ok $checks - $1"
		printf '%s\n' "$2" | sed 's/^/# /'
	fi
}

finish() {
	echo "1..$checks"
	[ "$checks" -gt 0 ] || exit 1
	[ "$failures" -eq 0 ]
	exit
}

# The files of the tree that git knows, or all where there is no git; below $top.
tree_files() {
	if git -C "$top" rev-parse --is-inside-work-tree >/dev/null 2>&1; then
		git -C "$top" ls-files --cached --others --exclude-standard -- "$@"
	else
		(cd "$top" && find "$@" -type f)
	fi | sort
}

# The programs that are installed, below $build.
programs() {
	for path in "$build"/anet "$build"/anet-*; do
		[ -f "$path" ] && [ -x "$path" ] && echo "$path"
	done
}

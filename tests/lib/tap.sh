# SPDX-License-Identifier: LGPL-2.1-or-later
# What gates in shell print, see tap.py: `. tests/lib/tap.sh`.
# shellcheck shell=sh
n=0 failed=0

# skip REASON: the whole test cannot run here.
skip() {
	echo "# $*"
	exit 77
}

# result yes|no NAME [DETAIL]: one thing that was checked; DETAIL is shown if it did not hold.
result() {
	n=$((n + 1))
	if [ "$1" = yes ]; then
		echo "ok $n - $2"
	else
		failed=1
		echo "not ok $n - $2"
		[ -z "${3-}" ] || printf '%s\n' "$3" | sed 's/^/# /'
	fi
}

# empty NAME TEXT: holds if there is nothing to complain of.
empty() {
	[ -z "$2" ] && yes=yes || yes=no
	result "$yes" "$1" "$2"
}

finish() {
	echo "1..$n"
	exit "$failed"
}

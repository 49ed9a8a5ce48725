#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# mkfilter takes no list that is not meant: each line below is refused, with its
# number and what is wrong.  (What the real lists mean and do:
# tests/unit/test-seccomp.c.)
# shellcheck source=tests/lib/gate.sh
. "$(dirname "$0")/../lib/gate.sh"
need_build
mkfilter=$build/mkfilter
[ -x "$mkfilter" ] || skip "$mkfilter is not built"
place=$(mktemp -d "${ANET_TEST_DIR:-${TMPDIR:-/tmp}}/anet-gate.XXXXXX") || exit 1
trap 'rm -rf "$place"' EXIT
trap 'exit 1' HUP INT TERM

# refused NAME LINE WORDS
refused() {
	printf 'default kill\n%s\n' "$2" >"$place/list"
	told=$("$mkfilter" --raw "$place/list" 2>&1 >/dev/null)
	status=$?
	case $status:$told in
	65:*list:2:*"$3"*) check "refused: $1" "" ;;
	*) check "refused: $1" "status $status: $told" ;;
	esac
}

# taken NAME LINE
taken() {
	printf 'default kill\n%s\n' "$2" >"$place/list"
	told=$("$mkfilter" --raw "$place/list" 2>&1 >"$place/out")
	check "taken: $1" "$([ -s "$place/out" ] && [ -z "$told" ] || echo "told: $told")"
}

taken "a plain call" 'allow read # needed by: main()'
taken "a condition with a mask" 'allow ioctl a1 & 0xffffffff == TIOCGWINSZ # needed by: main()'
taken "several values" 'allow fcntl a1 in F_GETFD,F_SETFD # needed by: main()'
taken "values that are not" 'deny EPERM socket a0 not-in AF_UNIX,AF_INET # why'
taken "a call that need not exist" 'allow ?vm86 # needed by: main()'
taken "a comment and an empty line" '
# nothing
'
refused "no reason" 'allow read' 'without'
refused "an empty reason" 'allow read #  ' 'without'
refused "an unknown rule" 'permit read # why' 'not a rule'
refused "an unknown call" 'allow raed # why' 'not a system call'
refused "an errno that is none" 'deny EWRONG read # why' 'not an errno'
refused "a rule without a call" 'allow # why' 'without a call'
refused "an unknown constant" 'allow socket a0 == AF_WRONG # why' 'AF_WRONG'
refused "not a number" 'allow socket a0 == 12x # why' '12x'
refused "an argument that no call has" 'allow socket a6 == 1 # why' 'not an argument'
refused "an unknown comparison" 'allow socket a0 =~ 1 # why' 'not a comparison'
refused "half a condition" 'allow socket a0 == # why' 'not a whole condition'
refused "an argument twice" 'allow socket a0 == 1 a0 == 2 # why' 'twice'
refused "a value outside of its mask" 'allow socket a0 & 0xf == 16 # why' 'never true'
refused "an order with a mask" 'allow socket a0 & 0xf > 1 # why' 'only =='
refused "not-in that is always false" 'allow socket a0 & 1 not-in 0,1 # why' 'always false'
refused "not-in with large values" 'allow socket a0 not-in 4096 # why' 'below 256'
refused "a default that is none" 'default maybe' 'not a default'

printf 'default kill\n' >"$place/list"
check "usage" "$("$mkfilter" --wrong "$place/list" >/dev/null 2>&1; [ $? -eq 64 ] || echo "another exit status")"
check "a list that is not there" "$("$mkfilter" --dump "$place/none" >/dev/null 2>&1; [ $? -eq 65 ] || echo "another exit status")"
finish

#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Calls that are not used: each has a form that cannot be used wrongly.
# shellcheck source=tests/lib/gate.sh
. "$(dirname "$0")/../lib/gate.sh"
cd "$top" || exit 1

# banned NAME WHY REGEX: a call by one of these names, outside of comments.
banned() {
	found=$(tree_files src man | grep -E '\.[ch]$' | while read -r file; do
		sed -e 's|//.*||' -e 's|/\*.*\*/||' -e 's|^[ 	]*\*.*||' -e 's|/\*.*||' "$file" |
			grep -nE "(^|[^A-Za-z0-9_.>\"])($3)[ ]*\\(" | sed "s|^|$file:|"
	done)
	check "$1: $2" "$found"
}

banned "strcpy, strcat, stpcpy, strncpy, strncat" "memcpy() or snprintf() with a size" \
	'strcpy|strcat|stpcpy|strncpy|strncat'
banned "sprintf, gets, scanf" "snprintf() with a size; parse by hand" \
	'v?sprintf|gets|v?f?scanf|v?sscanf'
banned "strtok" "strsep()" 'strtok|strtok_r'
banned "atoi" "strtol(), which tells errors" 'atoi|atol|atoll|atof'
banned "system, popen" "fork() and execve()" 'system|popen|execlp|execvp|execl'
banned "alloca" "a bounded buffer" 'alloca'
banned "threads" "processes" 'pthread_[a-z_]+|thrd_create'
banned "sigaction" "signalfd()" 'sigaction|siginterrupt'
banned "getenv" "secure_getenv()" 'getenv'
banned "mktemp, tmpnam" "mkstemp(), mkdtemp()" 'mktemp|tmpnam|tempnam'
banned "setjmp, longjmp" "return" 'setjmp|longjmp|sigsetjmp|siglongjmp'
banned "names of hosts by old calls" "getaddrinfo(), inet_pton()" \
	'gethostbyname|gethostbyaddr|inet_ntoa|inet_addr|inet_aton'
banned "shared buffers for times" "the forms with _r" 'ctime|asctime|localtime|gmtime'
banned "rand" "getrandom()" 'rand|srand|random|drand48'

handlers=$(grep -rnE '[^a-z_]signal\(' --include='*.[ch]' src | grep -vE 'SIG_(IGN|DFL)\)')
check "signal handlers: signalfd()" "$handlers"
finish

#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Calls that are not used: each has a form that cannot be used wrongly.
# shellcheck source=tests/lib/gate.sh
. "$(dirname "$0")/../lib/gate.sh"
cd "$top" || exit 1

# All code without its comments, each line with its place before it.
# shellcheck disable=SC2016 # these are awk's variables
code=$(tree_files src man | grep -E '\.[ch]$' | tr '\n' '\0' | xargs -0 awk '
	FNR == 1 { inside = 0 }
	{
		line = $0
		if (inside && !sub(/^.*\*\//, "", line)) next
		inside = 0
		while (match(line, /\/\*([^*]|\*[^\/])*\*\//))
			line = substr(line, 1, RSTART - 1) substr(line, RSTART + RLENGTH)
		if (sub(/\/\*.*$/, "", line)) inside = 1
		sub(/\/\/.*$/, "", line)
		print FILENAME ":" FNR ": " line
	}')

# banned NAME WHY REGEX: a call by one of these names.
banned() {
	check "$1: $2" "$(printf '%s\n' "$code" | grep -E "[^A-Za-z0-9_.>\"]($3)[ ]*\\(")"
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

check "signal handlers: signalfd()" "$(printf '%s\n' "$code" | grep -E '[^a-z_]signal\(' | grep -vE 'SIG_(IGN|DFL)\)')"
finish

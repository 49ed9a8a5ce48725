#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Who may include whom: core nobody and no system header beyond C's own, os only
# core, a program's directory core, os and itself.
# shellcheck source=tests/lib/gate.sh
. "$(dirname "$0")/../lib/gate.sh"
cd "$top" || exit 1

# includes DIRECTORY: "file:header" of each header of ours.
includes() {
	grep -rnE '^[ ]*#[ ]*include[ ]+"' --include='*.[ch]' --include='*.def' "$1" |
		sed -E 's|^([^:]*):([0-9]*):.*"([^"]*)".*|\1:\2: \3|'
}

check "src/core includes only src/core" "$(includes src/core | grep -vE ': (core/|(reason|protected)\.def$)')"
check "src/core includes only C's own headers" "$(grep -rnE '^[ ]*#[ ]*include[ ]+<' --include='*.[ch]' src/core |
	grep -vE '<(assert|errno|inttypes|limits|math|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdlib|string)\.h>')"
check "src/os includes only src/os and src/core" "$(includes src/os | grep -vE ': (os|core)/')"
check "src/build includes only itself and src/os" "$(includes src/build | grep -vE ': (build|os)/')"

for directory in src/*/; do
	name=$(basename "$directory")
	case $name in core | os | build) continue ;; esac
	allowed="$name|os|core"
	# Who prepares sessions reads the configuration and knows the strategies.
	case $name in
	strategies) allowed="$allowed|config" ;;
	boot-probe | cli | prepare) allowed="$allowed|config|strategies" ;;
	esac
	check "src/$name includes only itself, src/os and src/core" \
		"$(includes "src/$name" | grep -vE ": ($allowed)/")"
done

check "nothing includes a .c file" "$(grep -rnE '^[ ]*#[ ]*include.*\.c[">]' --include='*.[ch]' src)"
finish

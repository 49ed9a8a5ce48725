#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# What `anet COMMAND --help` names and what the command's page names are the same options.
set -u
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"
prefix=${ANET_PREFIX:-/usr/local}
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

[ -x "$prefix/bin/anet" ] || skip "$prefix/bin/anet is not installed (set ANET_PREFIX)"

commands=$("$prefix/bin/anet" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p' | grep -v '^help$')
[ -n "$commands" ] && yes=yes || yes=no
result "$yes" "anet --help lists its commands"

for command in $commands; do
	page=$prefix/share/man/man1/anet-$command.1
	[ -e "$page" ] && yes=yes || yes=no
	result "$yes" "anet $command has a page" "no $page"
	[ -e "$page" ] || continue
	grep -q "^\.It Cm $command\$" "$prefix/share/man/man1/anet.1" && yes=yes || yes=no
	result "$yes" "anet(1) names $command"
	"$prefix/bin/anet" "$command" --help | sed -n 's/^  \(--[a-z][a-z-]*\).*/\1/p' | sort -u >"$directory/help"
	sed -n '/^\.Sh OPTIONS/,/^\.Sh/s/^\.It Fl -\([a-z][a-z-]*\).*/--\1/p' "$page" | sort -u >"$directory/page"
	difference=$(diff "$directory/help" "$directory/page")
	[ -z "$difference" ] && [ -s "$directory/help" ] && yes=yes || yes=no
	result "$yes" "anet $command --help and anet-$command(1) name the same options" "< help, > page
$difference"
done
finish

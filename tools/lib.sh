# SPDX-License-Identifier: LGPL-2.1-or-later
# Shared by the tools: packages, build, messages. Source it: `. tools/lib.sh`.
# shellcheck shell=sh disable=SC2034

top=$(cd "$(dirname "$0")/.." && pwd)
program=$(basename "$0")

# What the build needs; configure.ac names the versions.
BUILD_PACKAGES="gcc libc6-dev make autoconf automake pkgconf libsystemd-dev libseccomp-dev libcap-dev libssl-dev
	libjson-c-dev"
# What a run and the demonstration need: bubblewrap, CA certificates, a test certificate, the agent.
DEMO_PACKAGES="bubblewrap ca-certificates openssl python3"
# What the tests need beyond that. npm, which may be there without being a package, fetches the real Claude Code.
TEST_PACKAGES="libcmocka-dev binutils libcap2-bin groff-base shellcheck iproute2 procps git systemd dnsmasq-base"
# What agents fetch things with (tests/lib/clients.py).
TEST_PACKAGES="$TEST_PACKAGES curl default-jdk-headless golang-go python3-pip wget"
command -v npm >/dev/null || TEST_PACKAGES="$TEST_PACKAGES npm"
# What the tests of a booted machine need (tests/vm).
MACHINE_PACKAGES="qemu-system-x86 mmdebstrap e2fsprogs debian-archive-keyring"

die() {
	echo "$program: $*" >&2
	exit 1
}

started=$(date +%s)
step() { printf '\n== %s (%d s)\n' "$*" $(($(date +%s) - started)); }

usage() { # FILE: its head comment
	sed -n '3,/^set -eu/{/^set/d;s/^# \{0,1\}//;p}' "$1"
	exit 0
}

need_linux() {
	[ "$(uname -s)" = Linux ] || die "anet needs Linux (on Windows: WSL2); this is $(uname -s)"
	command -v apt-get >/dev/null && return
	echo "$program: this is not Debian or Ubuntu; the packages must be there already: $BUILD_PACKAGES $DEMO_PACKAGES" >&2
}

need_packages() { # NAMES
	missing=
	command -v dpkg-query >/dev/null || return 0
	for package in $1; do
		case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
		*' installed') ;;
		*) missing="$missing $package" ;;
		esac
	done
	[ -n "$missing" ] || return 0
	step "installing with apt:$missing"
	as_root=
	if [ "$(id -u)" != 0 ]; then
		command -v sudo >/dev/null ||
			die "these packages are missing, and neither are you root nor is sudo there:$missing"
		as_root=sudo
	fi
	log=$(mktemp)
	# Lists older than a day may name versions that the mirror no longer has.
	# shellcheck disable=SC2086 # a list of words
	if ! {
		$as_root apt-get update &&
			$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing
	} >"$log" 2>&1; then
		grep -E '^(Err|E:|W:|sudo:)' "$log" | head -n 20 >&2 || :
		rm -f "$log"
		die "apt could not install:$missing (its complaints stand above)"
	fi
	rm -f "$log"
}

run_logged() { # LOG COMMAND...: quiet unless it fails
	log=$1
	shift
	"$@" >"$log" 2>&1 && return
	tail -n 40 "$log" >&2
	die "'$*' failed; its last lines stand above, all of them in $log"
}

compile() { # DIRECTORY CONFIGURE-OPTIONS...
	where=$1
	shift
	mkdir -p "$where"
	step "configuring in ${where#"$top"/}"
	[ -e "$top/configure" ] ||
		(cd "$top" && run_logged "$where/autoreconf.log" autoreconf -fi)
	(cd "$where" && run_logged "$where/configure.log" "$top/configure" --prefix="$where/prefix" "$@")
	step "building"
	run_logged "$where/make.log" make -C "$where" -j"$(nproc)"
}

build() { # DIRECTORY CONFIGURE-OPTIONS...: sets $build and $prefix
	build=$1 prefix=$1/prefix
	compile "$@"
	step "installing into ${prefix#"$top"/}"
	run_logged "$build/install.log" make -C "$build" install
}

# The real agents of the scenario tests; those without theirs are skipped. In the background: npm takes minutes.
fetch_agents() { # LOG
	step "fetching real agents with npm, unless they are in $ANET_CACHE"
	setsid python3 -B "$top/tests/lib/npm.py" >"$1" 2>&1 &
	fetching=$!
}

stop_fetching() {
	[ -z "${fetching-}" ] || kill -- "-$fetching" 2>/dev/null || :
}

need_agents() { # LOG, of fetch_agents
	step "waiting for npm"
	wait "$fetching" || :
	fetching=
	cat "$1"
}

need_machine() { # what builds and emulates a machine; without it the tests of one are skipped
	[ "$(uname -m)" = x86_64 ] || return 0
	# Only root can build the machine.
	[ "$(id -u)" = 0 ] || return 0
	(need_packages "$MACHINE_PACKAGES") || echo "$program: the tests of a booted machine will be skipped"
}

demonstrate() { # the anet in $prefix, with a runtime that only this knows; returns demo.py's exit status
	install -D -m 644 -t "$prefix/etc/anet/runtimes" "$top/tools/quickstart.d/demo.json"
	ok=0
	python3 -B "$top/tools/quickstart.d/demo.py" "$prefix" || ok=$?
	rm "$prefix/etc/anet/runtimes/demo.json"
	return $ok
}

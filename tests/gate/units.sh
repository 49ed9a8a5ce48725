#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The units: systemd takes them without a word, their exposure is not above tests/golden/units-security, what
# protects and is missing has its reason in the file, and the probe is confined as a session is.
# shellcheck source=tests/lib/gate.sh
. "$(dirname "$0")/../lib/gate.sh"
need systemd-analyze
need_build
[ -f "$build/units/anet-probe.service" ] || skip "$build/units has no units"
golden=$top/tests/golden/units-security
place=$(mktemp -d "${ANET_TEST_DIR:-${TMPDIR:-/tmp}}/anet-gate.XXXXXX") || exit 1
trap 'rm -rf "$place"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$place/units"
cp "$build"/units/*.socket "$build"/units/*.service "$top"/units/*.slice "$place/units/"
cd "$place/units" || exit 1

# Programs are looked for where they will be; here the build's stand for them.
helperdir=$(sed -n 's/^ExecStart=\(.*\)\/anet-strategies$/\1/p' anet-probe.service)
mkdir "$place/programs"
sed -i "s|$helperdir/|$place/programs/|" ./*.service
names=$(sed -n "s|^Exec[A-Za-z]*=+\{0,1\}$place/programs/\([a-z-]*\).*|\1|p" ./*.service | sort -u)
for program in $names; do
	check "$program, which a unit starts, is built" "$(ln -s "$build/$program" "$place/programs/" && [ -x "$build/$program" ] ||
		echo "no $build/$program")"
done
for unit in *; do
	check "$unit is valid" "$(SYSTEMD_UNIT_PATH=$place/units: systemd-analyze verify --man=no --recursive-errors=no \
		"$place/units/$unit" 2>&1 || echo "exit status $?")"
done

check "each service has its exposure in the golden file" "$(for unit in *.service; do
	grep -q "^$unit [0-9.]*\$" "$golden" || echo "$unit has none"
done)"
grep -v '^#' "$golden" >"$place/golden"
while read -r unit most; do
	# As issue and documents promise it, whatever the golden file says.
	case $unit in
	*-gateway@* | *-tunnel@* | *-upstream@*) bound=1.5 ;;
	anet-host@*) bound=7.5 ;; # no boundary, by its very purpose
	*) bound=5.2 ;;
	esac
	check "$unit: the golden exposure is not above $bound" "$(echo "$most" | awk -v bound=$bound '$1 > bound { print $1 }')"
	told=$(systemd-analyze security --no-pager --offline=true "$place/units/$unit" 2>/dev/null |
		sed -n 's/.*Overall exposure level for [^:]*: \([0-9.]*\) .*/\1/p')
	check "$unit has an exposure of at most $most" "$(echo "${told:-unknown}" |
		awk -v most="$most" '$1 + 0 != $1 || $1 > most { print "it is", $1 }')"
done <"$place/golden"

# What systemd.exec(5) and systemd.resource-control(5) have against a service that is taken over.
protections='CapabilityBoundingSet DynamicUser IPAddressDeny KeyringMode LockPersonality MemoryDenyWriteExecute
	NoNewPrivileges PrivateDevices PrivateIPC PrivateMounts PrivateNetwork PrivateTmp PrivateUsers ProcSubset ProtectClock
	ProtectControlGroups ProtectHome ProtectHostname ProtectKernelLogs ProtectKernelModules ProtectKernelTunables
	ProtectProc ProtectSystem RemoveIPC RestrictAddressFamilies RestrictNamespaces RestrictRealtime RestrictSUIDSGID
	RootDirectory SystemCallArchitectures SystemCallFilter UMask'
for unit in *.service; do
	check "$unit: what protects and is missing has its reason" "$(for name in $protections; do
		grep -q "^$name=" "$unit" || grep -q "^#.*[ ,]$name=" "$unit" || echo "$name= is neither set nor explained"
	done)"
	check "$unit: nothing is both set and explained as missing" "$(for name in $protections; do
		grep -q "^$name=" "$unit" && grep "^#   [ A-Za-z=,]*\<$name=" "$unit"
	done)"
done

# confinement FILE: its lines that are not about what is started, when, and with what standard streams.
confinement() {
	sed -n '/^\[Service\]/,/^\[Install\]/p' "$1" | grep '^[A-Z]' |
		grep -Ev '^(Type|NotifyAccess|Exec[A-Za-z]*|WatchdogSec|KillMode|Timeout[A-Za-z]*|RemainAfterExit)=' | sort
}
confinement anet-session@.service >"$place/session"
confinement anet-probe.service >"$place/probe"
check "the probe is confined as a session is" "$(diff "$place/session" "$place/probe"; [ -s "$place/session" ] ||
	echo "there is no confinement")"

# Exit statuses that say no more than what the supervisor knows, src/core/reason.def; the shell's are not among them.
statuses=$(sed -n 's/^R([A-Z0-9_]*, "[a-z0-9_]*", \([0-9]*\), [1-9][0-9]*, .*/\1/p' "$top/src/core/reason.def" | grep -v '^0$' | sort -u)
for unit in anet-gateway@.service anet-tunnel@.service anet-upstream@.service; do
	check "$unit: a helper that refuses has not failed" "$(for status in $statuses; do
		grep -q "^SuccessExitStatus=.*\<$status\>" "$unit" || echo "exit status $status is a failure"
	done)"
done

# A supervisor that was taken over leaves places to the others, and one that was not gets all that it asks for.
pairs=$(sed -n 's/^#define MAX_PAIRS \([0-9]*\)$/\1/p' "$top/src/session/session.h")
for unit in *.socket; do
	check "$unit: one supervisor's connections are bounded" "$(awk -F= -v pairs="${pairs:-none}" '
		{ value[$1] = $2 }
		END {
			one = value["MaxConnectionsPerSource"]
			if (one < 2 * pairs || 16 * one > value["MaxConnections"]) print "to " one " of " value["MaxConnections"]
		}' "$unit")"
done

# The catalog of the journal.
catalog=$build/data/catalog/anet.catalog
check "the catalog is well-formed" "$(awk '
	/^-- / {
		if ($2 !~ /^[0-9a-f]+$/ || length($2) != 32 || NF != 2 || $2 in seen) print "line " FNR ": " $0
		seen[$2] = 1; head = 1; subject = 0; next
	}
	head && /^Subject: ./ { subject = 1 }
	head && /^$/ { if (!subject) print "line " FNR ": an entry without a subject"; head = 0 }
	length($0) > 200 { print "line " FNR " is long" }' "$catalog")"
check "the catalog has an entry for each reason" "$(sed -n 's/^R([A-Z0-9_]*, "\([a-z0-9_]*\)".*/\1/p' "$top/src/core/reason.def" |
	while read -r code; do
		grep -qx "The reason code is $code\." "$catalog" || echo "none for $code"
	done)"
if command -v journalctl >/dev/null; then
	mkdir -p "$place/root/usr/lib/systemd/catalog" "$place/root/var/lib/systemd/catalog"
	cp "$catalog" "$place/root/usr/lib/systemd/catalog/"
	check "journalctl reads the catalog" "$(journalctl --root="$place/root" --update-catalog 2>&1
		journalctl --root="$place/root" --list-catalog 2>&1 | grep -c anet: | grep -vx "$(grep -c '^-- ' "$catalog")")"
fi

# Accounts and directories, as a package has them made; owners need root.
if command -v systemd-sysusers >/dev/null && command -v systemd-tmpfiles >/dev/null && [ "$(id -u)" = 0 ]; then
	mkdir -p "$place/root/etc" "$place/root/run" "$place/root/var"
	check "systemd-sysusers makes the accounts" "$(systemd-sysusers --root="$place/root" "$top/units/sysusers.d/anet.conf" 2>&1 |
		grep -v '^Creating '
		grep -q '^anet:.*:/nonexistent:.*/nologin$' "$place/root/etc/passwd" || echo "no account anet without a shell"
		grep -q '^anet-helpers:[^:]*:[0-9]*:$' "$place/root/etc/group" || echo "no group anet-helpers without members")"
	check "systemd-tmpfiles makes the directories" "$(systemd-tmpfiles --root="$place/root" --create \
		"$build/units/tmpfiles.d/anet.conf" 2>&1)"
	group=$(sed -n 's/^anet:[^:]*:\([0-9]*\):.*/\1/p' "$place/root/etc/group")
	sysconfdir=$(sed -n 's|^d \(.*\)/anet/credentials 0700 root root -$|\1|p' "$build/units/tmpfiles.d/anet.conf")
	cat >"$place/want" <<-END
		run/anet 755 0:0
		run/anet/sessions 750 0:$group
		run/anet/outcomes 755 0:0
		run/anet/uids 700 0:0
		etc/anet/credentials 700 0:0
		etc/anet/credentials.sealed 700 0:0
		var/cache/anet/work-sandbox 700 0:0
		var/lib/anet/homes 700 0:0
	END
	check "directories have the owners and modes of src/os/session-dir.h" "$(cd "$place/root" && stat -c '%n %a %u:%g' \
		run/anet run/anet/sessions run/anet/outcomes run/anet/uids ".$sysconfdir/anet/credentials" \
		".$sysconfdir/anet/credentials.sealed" var/cache/anet/work-sandbox var/lib/anet/homes 2>&1 |
		sed "s|^\.$sysconfdir|etc|" | diff "$place/want" - )"
fi
finish

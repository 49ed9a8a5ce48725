# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sessions as units, and what an operator and a test see of them."""
import json
import os
import struct
import subprocess
import time

from vm import PATIENCE, read, wait_for

RUN_ANET = "/run/anet"
SESSIONS = RUN_ANET + "/sessions"
OUTCOMES = RUN_ANET + "/outcomes"
WORK = "/var/cache/anet/work-sandbox"
HOMES = "/var/lib/anet/homes"
CONFIG = "/etc/anet"
GATEWAY_SOCKET, UPSTREAM_SOCKET = RUN_ANET + "/gateway.socket", RUN_ANET + "/upstream.socket"
CGROUPS = "/sys/fs/cgroup"
# The range of /etc/subuid for the account `anet`, else the built-in one.
FIRST_UID, UIDS = 1879048192, 65536


def run(*argv, timeout=PATIENCE, **keywords):
    """(status, stdout and stderr); the status is "timeout" if it did not end."""
    keywords.setdefault("stdin", subprocess.DEVNULL if "input" not in keywords else None)
    if keywords["stdin"] is None:
        del keywords["stdin"]
    try:
        result = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout, text=True,
                                errors="replace", **keywords)
        return result.returncode, result.stdout
    except subprocess.TimeoutExpired as late:
        return "timeout", (late.stdout or b"").decode("utf-8", "replace")


def systemctl(*arguments, **keywords):
    return run("systemctl", "--no-pager", *arguments, **keywords)


def properties(unit, *names):
    """{name: value} of `systemctl show`."""
    _, text = systemctl("show", unit, "--property=" + ",".join(names))
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def journal(*matches, since=None):
    """Records as dictionaries; of whatever since the cursor."""
    # What was sent before is written then.
    subprocess.run(["journalctl", "--sync"], timeout=PATIENCE)
    argv = ["journalctl", "--quiet", "--all", "--output=json", "--no-pager"]
    if since:
        argv.append("--after-cursor=" + since)
    text = subprocess.run(argv + list(matches), capture_output=True, timeout=PATIENCE).stdout
    return [json.loads(line) for line in text.decode("utf-8", "replace").splitlines()]


def cursor():
    """Where the journal is now."""
    text = subprocess.run(["journalctl", "--quiet", "--lines=1", "--show-cursor", "--output=cat"],
                          capture_output=True, text=True, errors="replace").stdout
    return text.rpartition("-- cursor: ")[2].strip() or None


def words(record):
    """The text of a record; one with bytes beyond UTF-8 comes as numbers."""
    text = record.get("MESSAGE") or ""
    return bytes(text).decode("utf-8", "replace") if isinstance(text, list) else text


def cgroup_directories(name):
    """Control groups of that name, anywhere."""
    return [os.path.join(path, name) for path, names, _ in os.walk(CGROUPS) if name in names]


def processes(cgroup):
    """Everything in it and below."""
    return [int(line) for path, _, _ in os.walk(cgroup)
            for line in read(os.path.join(path, "cgroup.procs")).split()]


def uid_range():
    for line in read("/etc/subuid").splitlines():
        name, first, count = line.split(":")
        if name == "anet":
            return int(first), int(count)
    return FIRST_UID, UIDS


def uid_of(pid):
    for line in read("/proc/%d/status" % pid).splitlines():
        if line.startswith("Uid:"):
            return int(line.split()[1])
    return None


def name_of(pid):
    return read("/proc/%d/comm" % pid).strip()


def of_sessions():
    """{pid: (uid, name)} of all processes that have a uid of the reserved range."""
    first, count = uid_range()
    found = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            uid = uid_of(int(entry))
            if uid is not None and first <= uid < first + count:
                found[int(entry)] = uid, name_of(int(entry))
    return found


def helpers():
    """{pid: name} of what the socket units have started."""
    return {int(entry): name_of(int(entry)) for entry in os.listdir("/proc")
            if entry.isdigit() and name_of(int(entry)) in ("anet-gateway", "anet-upstream", "anet-tunnel")}


def mounts():
    """What is mounted for everybody, without what comes and goes with users and units."""
    return {line.split()[4] for line in read("/proc/1/mountinfo").splitlines()
            if "/run/user/" not in line and "/run/credentials" not in line}


class State:
    """struct session_state (src/core/session-state.h)."""
    FORMAT = struct.Struct("=IHHIIIi15Q256s")
    STAGES = {1: "starting", 2: "running", 3: "ending", 4: "ended"}

    def __init__(self, data):
        fields = self.FORMAT.unpack(data)
        (self.magic, self.version, self.size, stage, flags, self.reason, self.agent_status, self.started,
         self.updated, self.connections, self.open, self.requests, self.count_tokens, self.request_bytes,
         self.response_bytes, self.tunnels, self.tunnels_open, self.tunnel_sent, self.tunnel_received, self.refused, self.growth_bytes, self.growth_entries, detail) = fields
        self.stage = self.STAGES.get(stage, stage)
        self.full, self.exited = bool(flags & 1), bool(flags & 2)
        self.detail = detail.partition(b"\0")[0].decode("utf-8", "replace")


def agent(name, *arguments, runtime="demo", **more):
    """/etc/anet/agents.d/NAME.json: an agent whose program is `arguments`."""
    if runtime == "echo":
        more.setdefault("model", "echo-1")
    directory = os.path.join(CONFIG, "agents.d")
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, name + ".json"), "w") as file:
        json.dump(dict({"runtime": runtime, "arguments": list(arguments)}, **more), file)


class Session:
    """anet-session@INSTANCE.service"""

    def __init__(self, instance):
        self.instance = instance
        self.unit = "anet-session@%s.service" % instance
        self.id = instance if "-" in instance else instance + "-main"
        self.agent, _, self.interaction = self.id.partition("-")
        self.scope = "anet-run-%s.scope" % self.id
        self.directory = os.path.join(SESSIONS, self.id)
        self.workspace = os.path.join(WORK, self.agent, self.interaction)
        self.since = cursor()

    # -- what an operator does

    def start(self, **keywords):
        """(exit status, output, seconds) of `systemctl start`."""
        self.since = cursor()
        begin = time.monotonic()
        return systemctl("start", self.unit, **keywords) + (time.monotonic() - begin,)

    def starts(self, results, name="the session starts"):
        """Whether it does; checked."""
        status, text, _ = self.start()
        return results.equal(name, (status, text), (0, ""), self.journalctl())

    def stop(self):
        begin = time.monotonic()
        return systemctl("stop", self.unit) + (time.monotonic() - begin,)

    def status(self, *options):
        return systemctl("status", "--full", "--lines=0", *options, self.unit)[1]

    def journalctl(self, *options):
        """What a person reads: text."""
        argv = ["journalctl", "--no-pager", "-u", self.unit, *options]
        if self.since:
            argv.append("--after-cursor=" + self.since)
        return run(*argv)[1]

    # -- what a test looks at

    def properties(self, *names):
        return properties(self.unit, *names)

    def active(self):
        return self.properties("ActiveState").get("ActiveState")

    def is_down(self):
        return self.active() in ("inactive", "failed")

    def wait_end(self, seconds=PATIENCE):
        """Whether it ends by itself."""
        return wait_for(self.is_down, seconds)

    def records(self):
        """The unit's part of the journal since start()."""
        # A program that ended before journald looked is known by what it said itself, as to `journalctl -u`.
        return journal("_SYSTEMD_UNIT=" + self.unit, "+", "UNIT=" + self.unit, "+", "OBJECT_SYSTEMD_UNIT=" + self.unit,
                       since=self.since)

    def said(self):
        """The text of it."""
        return "\n".join(words(record) for record in self.records())

    def reasons(self):
        """Codes of the reasons that were told for this unit since start()."""
        return [record["ANET_REASON"] for record in self.records() if "ANET_REASON" in record]

    def main_pid(self):
        return int(self.properties("MainPID").get("MainPID") or 0)

    def cgroups(self):
        return [path for name in (self.unit, self.scope) for path in cgroup_directories(name)]

    def scopes(self):
        return cgroup_directories(self.scope)

    def processes(self):
        return sorted({pid for path in self.cgroups() for pid in processes(path)})

    def named(self, name):
        return [pid for pid in self.processes() if name_of(pid) == name]

    def state(self):
        return self._state(os.path.join(self.directory, "live", "state"))

    def outcome(self):
        return self._state(os.path.join(OUTCOMES, self.id))

    @staticmethod
    def _state(path):
        try:
            with open(path, "rb") as file:
                return State(file.read())
        except (OSError, struct.error):
            return None

    def wait_said(self, text, seconds=PATIENCE):
        """Whether its journal comes to hold the text."""
        return wait_for(lambda: text in self.said(), seconds)

    def left(self):
        """What of a session is there although it has ended, as text."""
        found = ["cgroup " + path for path in self.cgroups()]
        found += ["process %d %s of uid %d" % (pid, name, uid) for pid, (uid, name) in of_sessions().items()]
        found += ["directory " + path for path in (self.directory,) if os.path.lexists(path)]
        return "\n".join(found)


def wait_nothing_left(session, seconds=20):
    """"" if all of it is gone in time (no other session may run)."""
    wait_for(lambda: not session.left(), seconds)
    return session.left()

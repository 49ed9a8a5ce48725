#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: suite=bookworm timeout=600
"""What a session cannot be started with: each a reason code, no run, nothing left
behind; and what was wrong once does not stand in the way afterwards."""
import glob
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from service import prepare_machine  # noqa: E402
from units import (CONFIG, HOMES, RUN_ANET, SESSIONS, WORK, Session, agent, cursor, journal, of_sessions,  # noqa: E402
                   properties, run, systemctl, words)
from vm import read, run_test, wait_for  # noqa: E402

DROP_INS = "/run/systemd/system"
SWAPS = "/run/anet-test-swap"
KEPT = "/var/lib/anet-test-kept"
# What systemctl(1) makes of names with other characters is written \xNN.
NAMES = ("demo-..", "demo-a-b", "demo--x", "demo-", "-demo", "Demo", "demo-X", "1demo", "_demo", "a" * 33,
         "demo-" + "i" * 65, r"demo-\x2e\x2e\x2fetc", r"\x2fetc\x2fpasswd", r"demo-a\x25i", "demo.x", "demo-x@y",
         "demo:x", "..", r"demo-\xc3\xbc")
# Between the prepare step and the supervisor, by somebody who can: in the session's directory.
SWAPPED = (
    ("the policy is somebody else's", "chown 12345 policy"),
    ("the policy is another file of somebody else's", "cp policy p; chown 12345 p; chmod 444 p; mv -f p policy"),
    ("the policy can be written", "chmod 644 policy"),
    ("the policy has a second name", "ln policy ../policy-link"),
    ("the policy is a symbolic link", "mv policy ../policy-moved; ln -s ../policy-moved policy"),
    ("the policy is on a disk", "cp policy %s/p; chmod 444 %s/p; rm policy; ln -s %s/p policy" % (KEPT, KEPT, KEPT)),
    ("the policy is a fifo", "rm policy; mkfifo -m 444 policy"),
    ("the policy is that of another session", "sed 's/demo-s[0-9]*/demo-other/' <policy >p; chmod 444 p; mv -f p policy"),
    ("the policy is short", "head -c 100 policy >p; chmod 444 p; mv -f p policy"),
    ("the policy is gone", "rm policy"),
    ("the run record is somebody else's", "chown 12345 run"),
    ("the run record is for all to read", "chmod 444 run"),
    ("the run record is garbage", "rm run; echo garbage >run; chmod 400 run"),
    # What root's last step does not recognise it leaves alone.
    ("the directory is somebody else's", "chown 12345 ."),
    ("the directory can be written", "chmod 777 ."),
)
# Calls of systemctl are dear in here; more starts at once than this last too long for systemd.
AT_ONCE = 14


class Case:
    """`codes`: any of these reasons will do.  `said`: part of the words.  `kept`:
    its directory was there before and stays."""

    def __init__(self, name, instance, *codes, said="", kept=False):
        self.name, self.session, self.codes, self.said, self.kept = name, Session(instance), codes, said, kept


def refused(results, cases):
    """All their starts fail, each for its reason, and no run comes of any."""
    for first in range(0, len(cases), AT_ONCE):
        refused_at_once(results, cases[first:first + AT_ONCE])


def refused_at_once(results, cases):
    since = cursor()
    status, text = systemctl("start", *(case.session.unit for case in cases), timeout=200)
    results.ok("systemctl start tells the failure", status not in (0, "timeout"), text)
    records = journal(since=since)
    left = of_sessions()
    _, states = systemctl("show", "--property=Id,ActiveState", *(case.session.unit for case in cases))
    failed = {block.split("Id=")[1].split("\n")[0] for block in states.split("\n\n") if "ActiveState=failed" in block}
    for case in cases:
        unit = case.session.unit
        mine = [record for record in records if unit in (record.get("_SYSTEMD_UNIT"), record.get("UNIT"))]
        said = "\n".join(words(record) for record in mine)
        reasons = {record["ANET_REASON"] for record in mine if "ANET_REASON" in record}
        with results.under(case.name + ": "):
            results.ok("the start fails", unit in failed, said)
            results.ok("for the reason %s" % " or ".join(case.codes), reasons & set(case.codes), (reasons, said))
            results.contains("the words say on what", said, case.said)
            results.equal("no run", case.session.scopes(), [])
            results.equal("its records are gone", os.path.lexists(case.session.directory), case.kept, said)
    results.equal("no process of any", left, {})
    systemctl("reset-failed", *(case.session.unit for case in cases))


def works(results, name, *instances):
    sessions = [Session(instance) for instance in instances]
    since = cursor()
    status, text = systemctl("start", *(session.unit for session in sessions), timeout=200)
    results.equal(name, (status, text), (0, ""), "\n".join(words(record) for record in journal(since=since)))
    systemctl("stop", *(session.unit for session in sessions))


def tree():
    """Names in anet's directories, without those of the agent that there is."""
    return {os.path.join(where, name) for where in (WORK, HOMES, "/var/cache/anet", "/var/lib/anet", RUN_ANET, SESSIONS)
            for name in os.listdir(where) if not name.startswith("demo")}


def plant_foreign():
    """What lies where a session's records would be: [(name, instance)]"""
    for name in ("elses", "link", "file"):
        path = Session("demo-" + name).directory
        if name == "elses":
            os.mkdir(path, 0o755)
            with open(path + "/policy", "w") as file:
                file.write("x")
            os.chown(path, 12345, 12345)
        elif name == "link":
            os.symlink(KEPT, path)
        else:
            with open(path, "w") as file:
                file.write("x")
    with open(KEPT + "/policy", "w") as file:
        file.write("keep")
    return [("a directory of somebody else's lies in the way", "demo-elses"), ("a link lies in the way", "demo-link"),
            ("a file lies in the way", "demo-file")]


def clear(session):
    if os.path.isdir(session.directory) and not os.path.islink(session.directory):
        shutil.rmtree(session.directory)
    elif os.path.lexists(session.directory):
        os.unlink(session.directory)


def drop_in(instance, text):
    """For this instance alone; every instance of `demo` when there is none."""
    directory = "%s/anet-session@%s.service.d" % (DROP_INS, instance)
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, "test.conf"), "w") as file:
        file.write("[Service]\n" + text)


def names_and_records(results):
    os.makedirs(KEPT, exist_ok=True)
    os.makedirs(SWAPS)
    before = tree()
    cases = [Case("instance '%s'" % name, name, "session_name_invalid") for name in NAMES]
    cases.append(Case("no such agent", "nobody", "agent_unknown", said="nobody"))
    foreign = plant_foreign()
    cases += [Case(name, instance, "record_unsafe", said=SESSIONS, kept=True) for name, instance in foreign]
    for n, (name, script) in enumerate(SWAPPED):
        instance = "demo-s%d" % n
        drop_in(instance, "ExecStartPre=+/bin/sh %s/%s\n" % (SWAPS, instance))
        with open(os.path.join(SWAPS, instance), "w") as file:
            file.write("set -e\ncd %s\n%s\n" % (Session(instance).directory, script))
        cases.append(Case(name, instance, "record_unsafe", "policy_invalid", "system"))
    drop_in("demo-nothing", "InaccessiblePaths=/run/dbus /run/systemd/private\n")
    cases.append(Case("neither D-Bus nor the manager's socket", "demo-nothing", "scope_failed"))
    drop_in("demo-nobus", "InaccessiblePaths=/run/dbus\n")
    systemctl("daemon-reload")
    refused(results, cases)
    results.equal("what a link led to stays", read(KEPT + "/policy"), "keep")
    for path in glob.glob(SESSIONS + "/policy-*"):
        os.unlink(path)
    for case in cases:
        clear(case.session)
    results.equal("no name made anything anywhere", tree() - before - {RUN_ANET + "/lock", RUN_ANET + "/uids"}, set())
    session = Session("demo-nobus")
    if session.starts(results, "no D-Bus: the manager is asked by its own socket"):
        results.ok("... and limits are full", session.state() and session.state().full and session.scopes())
        session.stop()
    # A script that does nothing is the control of the others.
    for path in os.listdir(SWAPS):
        with open(os.path.join(SWAPS, path), "w") as file:
            file.write("exit 0\n")
    works(results, "afterwards all of them start", "demo-elses", "demo-link", "demo-file", "demo-s0", "demo-s13",
          "demo-s14")
    for path in glob.glob(DROP_INS + "/anet-session@demo*.d"):
        shutil.rmtree(path)
    shutil.rmtree(SWAPS)
    systemctl("daemon-reload")


def full_run(results):
    """Not a page is free in /run."""
    ballast = "/run/ballast"
    used = os.statvfs("/run")
    size = (used.f_blocks - used.f_bfree) * used.f_frsize
    subprocess.run(["mount", "-o", "remount,size=%d" % (size + (256 << 10)), "/run"], check=True)
    with open(ballast, "wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError as error:
            results.note("/run is full: %s" % error.strerror)
    try:
        refused(results, [Case("a full /run", "demo-full", "system", said="No space left on device")])
    finally:
        os.unlink(ballast)
        subprocess.run(["mount", "-o", "remount,size=20%", "/run"], check=True)
    works(results, "with space again it starts", "demo-full")


def configuration(results):
    prepare_machine()
    agent("keyless", "/usr/bin/true", runtime="other")
    with open(os.path.join(CONFIG, "runtimes", "demo.json")) as file:
        text = file.read().replace('"name": "demo"', '"name": "other"').replace('"name": "anthropic"', '"name": "absent"')
    with open(os.path.join(CONFIG, "runtimes", "other.json"), "w") as file:
        file.write(text)
    agent("coloured", "/usr/bin/true", runtime="command", colour="red")
    agent("shared", "/usr/bin/true", runtime="command")
    os.chmod(os.path.join(CONFIG, "agents.d", "shared.json"), 0o666)
    agent("torn", "/usr/bin/true", runtime="command")
    os.truncate(os.path.join(CONFIG, "agents.d", "torn.json"), 20)
    refused(results, [
        Case("no credential", "keyless", "no_api_key", said="absent"),
        Case("an unknown key in the agent's file", "coloured", "config_invalid", said="colour"),
        Case("an agent's file that all may write", "shared", "config_unreadable", said="shared.json"),
        Case("half an agent's file", "torn", "config_invalid", said="torn.json")])
    for name in ("keyless", "coloured", "shared", "torn"):
        os.unlink(os.path.join(CONFIG, "agents.d", name + ".json"))
    os.unlink(os.path.join(CONFIG, "runtimes", "other.json"))


def misuse(results):
    """Sockets that do not listen; two names of one session; a supervisor by hand."""
    agent("wired", "/usr/bin/sleep", "100")
    systemctl("mask", "--runtime", "--now", "anet-upstream.socket", "anet-gateway.socket")
    refused(results, [Case("the helpers' sockets do not listen", "wired", "socket_missing")])
    systemctl("unmask", "--runtime", "anet-upstream.socket", "anet-gateway.socket")
    systemctl("start", "anet-upstream.socket", "anet-gateway.socket")
    works(results, "they listen again", "wired")
    one, two = Session("demo"), Session("demo-main")
    one.starts(results, "a session")
    status, text, _ = two.start()
    results.ok("the same under the other name of its unit is refused", status != 0 and "session_exists" in two.reasons(),
               two.journalctl())
    facts = properties(one.unit, "ActiveState")
    results.ok("... and the first goes on, with its records", facts == {"ActiveState": "active"} and one.state() and
               one.state().stage == "running", facts)
    one.stop()
    status, text = run("/usr/libexec/anet/anet-session", "demo-main")
    results.ok("a supervisor that is started by hand is refused", status not in (0, "timeout"), (status, text))


def test(results):
    agent("demo", "/usr/bin/sleep", "1000", runtime="command")
    results.ok("the directory of sessions is there", os.path.isdir(SESSIONS))
    for part in (names_and_records, full_run, configuration, misuse):
        with results.under(part.__name__.replace("_", " ") + ": "):
            part(results)
    results.ok("nothing of all that has left a process", wait_for(lambda: not of_sessions(), 10), of_sessions())


run_test(test)

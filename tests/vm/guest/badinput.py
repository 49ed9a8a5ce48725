#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=400
"""What a session cannot be started with: each a reason code, no run, nothing left
behind; and what was wrong once does not stand in the way afterwards."""
import glob
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from service import prepare_machine  # noqa: E402
from units import (CONFIG, HOMES, RUN_ANET, SESSIONS, WORK, Session, agent, of_sessions, run, systemctl,  # noqa: E402
                   wait_nothing_left)
from vm import read, run_test, wait_for  # noqa: E402

DROP_IN = "/run/systemd/system/anet-session@.service.d"
LONG = "a" * 33
# As `systemctl start` gets them; systemd has no other limit than 255 bytes for the unit's name.
NAMES = ("demo-..", "demo-a-b", "demo--x", "demo-", "-demo", "Demo", "demo-X", "1demo", "_demo", LONG, "demo-" + "i" * 65,
         r"demo-\x2e\x2e\x2fetc", r"\x2fetc\x2fpasswd", "demo-a%i", "demo.x", "demo-x@y", "demo:x", "..", "demo-ü")


def tree():
    """Names below anet's directories."""
    return {os.path.join(where, name) for top in (RUN_ANET, WORK, HOMES, "/var/cache/anet", "/var/lib/anet")
            for where, directories, files in os.walk(top) for name in directories + files}


def refused(results, name, session, *codes, said=None):
    """Its start fails for one of the reasons, and no run comes of it."""
    status, text, _ = session.start()
    with results.under(name + ": "):
        results.ok("the start fails", status not in (0, "timeout"), (status, session.journalctl()))
        reasons = session.reasons()
        results.ok("for the reason %s" % " or ".join(codes), set(reasons) & set(codes), (reasons, session.journalctl()))
        if said:
            results.contains("the words say on what", session.said(), said)
        results.equal("no run", (session.scopes(), of_sessions()), ([], {}))
        results.equal("nothing is left", wait_nothing_left(session), "")
    systemctl("reset-failed", session.unit)


def works(results, name, session):
    status, text, _ = session.start()
    results.equal("%s: the session starts" % name, (status, text), (0, ""), session.journalctl())
    session.stop()


def names(results):
    before = tree()
    for name in NAMES:
        session = Session(name)
        refused(results, "instance '%s'" % name, session, "session_name_invalid")
    results.equal("no name made anything anywhere", tree() - before, set())
    refused(results, "no such agent", Session("nobody"), "agent_unknown", said="nobody")


def foreign_records(results):
    """What lies where a session's records would be."""
    session = Session("demo-foreign")
    secret = "/var/lib/anet-test-precious"
    os.makedirs(secret, exist_ok=True)
    with open(secret + "/policy", "w") as file:
        file.write("keep")

    def someone_elses():
        os.mkdir(session.directory, 0o755)
        with open(session.directory + "/policy", "w") as file:
            file.write("x")
        os.chown(session.directory, 12345, 12345)

    def link():
        os.symlink(secret, session.directory)

    def plain_file():
        with open(session.directory, "w") as file:
            file.write("x")

    for name, plant in (("a directory of somebody else's", someone_elses), ("a symbolic link", link),
                        ("a file", plain_file)):
        plant()
        status, text, _ = session.start()
        if status == 0:
            # Cleared away by root is as good as refused, if what was there had no say.
            policy = os.stat(session.directory + "/policy")
            results.ok("%s: replaced by root's own" % name, os.lstat(session.directory).st_uid == 0 and policy.st_uid == 0
                       and not os.path.islink(session.directory), session.journalctl())
            session.stop()
        else:
            results.ok("%s: refused with the reason" % name, "record_unsafe" in session.reasons(), session.journalctl())
            results.equal("%s: no run" % name, (session.scopes(), of_sessions()), ([], {}))
        results.equal("%s: what a link leads to stays" % name, read(secret + "/policy"), "keep")
        if os.path.islink(session.directory) or os.path.isfile(session.directory):
            os.unlink(session.directory)
        shutil.rmtree(session.directory, ignore_errors=True)
        works(results, "%s, afterwards" % name, session)


def replaced_records(results):
    """Between the prepare step and the supervisor, by somebody who can."""
    session = Session("demo-replaced")
    swap = "/run/anet-test-swap"
    os.makedirs(DROP_IN, exist_ok=True)
    with open(os.path.join(DROP_IN, "swap.conf"), "w") as file:
        file.write("[Service]\nExecStartPre=+/bin/sh %s\n" % swap)
    systemctl("daemon-reload")
    cases = (
        ("the policy is somebody else's", "chown 12345 policy"),
        ("the policy is another file of somebody else's", "cp policy p; chown 12345 p; chmod 444 p; mv -f p policy"),
        ("the policy can be written", "chmod 644 policy"),
        ("the policy has a second name", "ln policy ../../policy-link"),
        ("the policy is a symbolic link", "mv policy ../../policy-moved; ln -s ../../policy-moved policy"),
        ("the policy is on a disk", "cp policy /var/lib/policy-moved; rm policy; ln -s /var/lib/policy-moved policy"),
        ("the policy is a fifo", "rm policy; mkfifo -m 444 policy"),
        ("the policy is that of another session",
         "sed 's/demo-replaced/demo-replacex/' <policy >p; chmod 444 p; mv -f p policy"),
        ("the policy is short", "head -c 100 policy >p; chmod 444 p; mv -f p policy"),
        ("the policy is gone", "rm policy"),
        ("the run record is somebody else's", "chown 12345 run"),
        ("the run record is for all to read", "chmod 444 run"),
        ("the run record is garbage", "rm run; echo garbage >run; chmod 400 run"),
        ("the directory is somebody else's", "chown 12345 ."),
        ("the directory can be written", "chmod 777 ."),
    )
    for name, script in cases:
        with open(swap, "w") as file:
            file.write("set -e\ncd %s\n%s\n" % (session.directory, script))
        refused(results, name, session, "record_unsafe", "policy_invalid", "system")
        for path in glob.glob(RUN_ANET + "/policy-*"):
            os.unlink(path)
    with open(swap, "w") as file:
        file.write("exit 0\n")
    works(results, "a swap that does nothing (control)", session)
    shutil.rmtree(DROP_IN)
    systemctl("daemon-reload")


def full_run(results):
    """Not a byte, not an inode is free in /run."""
    session = Session("demo-full")
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
        refused(results, "a full /run", session, "system", said="No space left on device")
    finally:
        os.unlink(ballast)
        subprocess.run(["mount", "-o", "remount,size=20%", "/run"], check=True)
    works(results, "/run with space again", session)


def missing_credential(results):
    prepare_machine()
    for path in glob.glob(os.path.join(CONFIG, "credentials*", "*")):
        os.rename(path, "/root/" + path.replace("/", "_"))
    agent("keyless", "/usr/bin/true")
    refused(results, "no credential", Session("keyless"), "no_api_key", said="anthropic")
    for path in glob.glob("/root/_etc_anet_credentials*"):
        os.rename(path, os.path.basename(path).replace("_", "/"))


def no_bus(results):
    """No D-Bus; no manager either."""
    session = Session("demo-bus")
    os.makedirs(DROP_IN, exist_ok=True)
    with open(os.path.join(DROP_IN, "bus.conf"), "w") as file:
        file.write("[Service]\nInaccessiblePaths=/run/dbus\n")
    systemctl("daemon-reload")
    status, text, _ = session.start()
    results.equal("no D-Bus: the manager is asked by its own socket", (status, text), (0, ""), session.journalctl())
    results.ok("... limits are full", session.state() and session.state().full and session.scopes())
    session.stop()
    with open(os.path.join(DROP_IN, "bus.conf"), "w") as file:
        file.write("[Service]\nInaccessiblePaths=/run/dbus /run/systemd/private\n")
    systemctl("daemon-reload")
    refused(results, "neither D-Bus nor the manager's socket", session, "scope_failed")
    shutil.rmtree(DROP_IN)
    systemctl("daemon-reload")
    works(results, "both again", session)


def other_misuse(results):
    """An agent whose configuration is no longer good; a socket that does not listen; a program that is gone."""
    session = Session("demo-misuse")
    path = os.path.join(CONFIG, "agents.d", "demo.json")
    good = read(path)
    with open(path, "w") as file:
        file.write('{"runtime": "command", "arguments": ["true"], "colour": "red"}')
    refused(results, "an unknown key in the agent's file", session, "config_invalid", said="colour")
    with open(path, "w") as file:
        file.write(good)
    os.chmod(path, 0o666)
    status, text, _ = session.start()
    results.ok("an agent's file that all may write", status != 0 and "config_unreadable" in session.reasons(),
               session.journalctl())
    session.stop()
    os.chmod(path, 0o644)
    prepare_machine()
    agent("wired", "/usr/bin/sleep", "100")
    wired = Session("wired")
    systemctl("mask", "--runtime", "--now", "anet-upstream.socket", "anet-gateway.socket")
    refused(results, "the helpers' sockets do not listen", wired, "socket_missing")
    systemctl("unmask", "--runtime", "anet-upstream.socket", "anet-gateway.socket")
    systemctl("start", "anet-upstream.socket", "anet-gateway.socket")
    works(results, "they listen again", wired)
    both = Session("demo"), Session("demo-main")
    both[0].start()
    status, text, _ = both[1].start()
    results.ok("one session under two names of its unit: the second is refused",
               status != 0 and "session_exists" in both[1].reasons(), both[1].journalctl())
    results.equal("... and the first goes on", both[0].active(), "active")
    results.ok("... with its records", both[0].state() and both[0].state().stage == "running")
    both[0].stop()
    agent("slow", "/usr/bin/sleep", "100", runtime="command")
    by_hand = run("/usr/libexec/anet/anet-session", "slow-main")
    results.ok("a supervisor that is started by hand", by_hand[0] not in (0, "timeout"), by_hand)


def test(results):
    agent("demo", "/usr/bin/sleep", "1000", runtime="command")
    results.ok("the directory of sessions is there", os.path.isdir(SESSIONS))
    for part in (names, foreign_records, replaced_records, full_run, missing_credential, no_bus, other_misuse):
        with results.under(part.__name__.replace("_", " ") + ": "):
            part(results)
    results.ok("nothing of all that has left a process", wait_for(lambda: not of_sessions(), 10), of_sessions())


run_test(test)

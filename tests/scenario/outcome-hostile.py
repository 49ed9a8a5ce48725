#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A supervisor or a run that was taken over: the last step of the unit follows
nothing that they left, ends every process that has one of their uids, and gives
the uids to nobody before."""
import os
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import records  # noqa: E402
from harness import private, process, product_test, wait_for  # noqa: E402
from unit_session import SESSIONS, Machine, look, overlays, run_record  # noqa: E402

PR_SET_SECUREBITS = 28
LIVE = SESSIONS + "/demo-main/live"


def as_uid(uid, action):
    """Runs action() in a process of this uid that does not end by itself."""
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        try:
            action()
        finally:
            os._exit(0)
    return child


def stubborn():
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    os.setsid()
    while True:
        time.sleep(60)


def runaway():
    """Is never the process that it was a moment ago."""
    os.setsid()
    while True:
        if os.fork():
            os._exit(0)
        time.sleep(0.0005)


def processes_of(pair):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if process.status_field(int(pid), "Uid").split()[0] in pair and process.status_field(int(pid), "State")[0] != "Z":
                found.append(int(pid))
        except (OSError, TypeError, IndexError, AttributeError):
            pass  # it has ended meanwhile
    return found


def keep_capabilities():
    """SECBIT_NO_SETUID_FIXUP, capabilities(7): they stay when the ids change."""
    if private.libc.prctl(PR_SET_SECUREBITS, 1 << 2, 0, 0, 0) != 0:
        os._exit(99)


def check_processes(results, machine):
    machine.prepare("demo")
    policy = machine.policy("demo-main")
    pair = [str(policy["supervisor_uid"]), str(policy["run_uid"])]
    bystander = as_uid(policy["run_uid"] + 1, stubborn)
    children = [as_uid(policy["supervisor_uid"], stubborn), as_uid(policy["run_uid"], stubborn)]
    children += [as_uid(policy["run_uid"], runaway) for _ in range(3)]
    root = as_uid(0, stubborn)
    results.ok("both uids are in use", wait_for(lambda: len(processes_of(pair)) >= 5, 10), processes_of(pair))
    result = machine.outcome("demo", "signal", "killed", "KILL", before=keep_capabilities)
    results.equal("the session ends", result.status, 0, result)
    results.equal("with all that had its uids", processes_of(pair), [])
    results.equal("its pair is free", machine.reserved(), {})
    for who, pid in (("nobody of another uid", bystander), ("nobody of root's", root)):
        results.equal(who + " was touched", os.waitpid(pid, os.WNOHANG), (0, 0))
        os.kill(pid, signal.SIGKILL)

    # The same when the last step did not come to it.
    machine.prepare("demo")
    uid = machine.policy("demo-main")["run_uid"]
    again = as_uid(uid, stubborn)
    results.ok("somebody has its uid", wait_for(lambda: processes_of([str(uid)]), 10))
    results.equal("a start after a crash", machine.prepare("demo").status, 0)
    results.equal("ends them as well", processes_of([str(machine.policy("demo-main")["run_uid"])]), [])
    for child in children + [bystander, root, again]:
        os.waitpid(child, 0)
    machine.outcome("demo")


def begin(machine):
    machine.prepare("demo")
    return os.stat(LIVE).st_uid


def check_links(results, machine):
    for what, make in (("a link", lambda path: os.symlink("/run/trap/secret", path)),
                       ("a link to a directory", lambda path: os.symlink("/run/trap", path)),
                       ("a FIFO", lambda path: os.mkfifo(path, 0o666)), ("a directory", os.mkdir),
                       ("a hard link", lambda path: os.link("/run/anet/strategies.json", path))):
        begin(machine)
        make(LIVE + "/state")
        result = machine.outcome("demo", "signal", "killed", "KILL")
        results.equal(what + " as state: no word, and it goes", (result.status, result.seconds < 5, machine.sessions(),
                                                                 machine.recorded("demo-main")["reason"]),
                      (0, True, [], records.reason("supervisor_killed")), result)
    results.equal("what the links led to is there", (look("/run/trap/secret")[0], os.listdir("/run/trap")),
                  ("0o100600", ["secret"]))
    results.ok("so is what had two names", os.path.exists("/run/anet/strategies.json"))

    begin(machine)
    os.rename(LIVE, LIVE + ".old")
    os.symlink("/run/trap", LIVE)
    result = machine.outcome("demo", "signal", "killed", "KILL")
    results.ok("a link as directory is not followed", os.path.exists("/run/trap/secret") and result.status == 71, result)
    os.unlink(SESSIONS + "/.demo-main/live")
    os.rmdir(SESSIONS + "/.demo-main/live.old")
    results.equal("and when it is gone the session starts", machine.prepare("demo").status, 0)
    machine.outcome("demo")


def check_crowds(results, machine):
    begin(machine)
    for i in range(20):
        os.mkdir("%s/d%d" % (LIVE, i))
        os.symlink("/", "%s/l%d" % (LIVE, i))
    result = machine.outcome("demo", "signal", "killed", "KILL")
    results.equal("some names go", (result.status, machine.sessions(), machine.reserved()), (0, [], {}), result)
    for what, make in (("a thousand names", lambda: [os.close(os.open("%s/%d" % (LIVE, i), os.O_CREAT)) for i in range(1000)]),
                       ("a tree", lambda: os.makedirs(LIVE + "/a/b/c"))):
        begin(machine)
        make()
        result = machine.outcome("demo", "signal", "killed", "KILL")
        results.ok(what + ": left, and said", result.status == 71 and "Directory not empty" in result.errors and
                   "demo-main" in result.errors, result)
        results.equal("with its uids", list(machine.reserved()), ["demo-main"])
        results.ok("the outcome is there", machine.recorded("demo-main")["reason"] == records.reason("supervisor_killed"))
        result = machine.prepare("demo")
        results.ok("the next start says why it cannot", result.status == 71 and "Directory not empty" in result.errors and
                   SESSIONS in result.errors, result)
        for where, names, files in os.walk(SESSIONS + "/.demo-main/live", topdown=False):
            for name in files:
                os.unlink(os.path.join(where, name))
            for name in names:
                os.rmdir(os.path.join(where, name))
        results.equal("until somebody has looked", machine.prepare("demo").status, 0)
        machine.outcome("demo")


def check_words(results, machine):
    uid = begin(machine)
    machine.say("demo-main", stage=records.ENDED, reason=4000000000, flags=0xffffffff, agent_status=-1,
                detail=b"gone\n\x1b[31mMAINPID=1\n" + b"x" * 300)
    result = machine.outcome("demo", "exit-code", "exited", "1")
    results.ok("words of any kind", result.status == 0 and "\n" not in result.status_text and
               "\x1b" not in result.status_text and "[internal]" in result.status_text, result.status_text)
    outcome = machine.recorded("demo-main")
    results.ok("are no more than a record", outcome["stage"] == records.ENDED and outcome["detail"].startswith(b"gone") and
               outcome["reason"] == records.reason("internal"), outcome)
    results.ok("for the next", begin(machine) == uid and run_record("demo-main")["argv"] == ["sh", "-c", "true"])


def test(results):
    machine = Machine()
    os.mkdir("/run/trap")
    with open("/run/trap/secret", "w") as file:
        file.write("secret")
    os.chmod("/run/trap/secret", 0o600)
    check_processes(results, machine)
    check_links(results, machine)
    check_crowds(results, machine)
    check_words(results, machine)


product_test(test, overlays=overlays())

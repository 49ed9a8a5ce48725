#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""AGENT and AGENT-main are two units and one session: what is there is touched
only by the unit that it belongs to, and only as root made it."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import private, product_test  # noqa: E402
from unit_session import SESSIONS, Machine, look, overlays  # noqa: E402

OTHER = "/anet.slice/anet-session@demo.service"
GROUP = "/sys/fs/cgroup" + OTHER
DIRECTORY = SESSIONS + "/demo-main"


def contents():
    """All that the session has, with what is in it."""
    found = {}
    for where, _, files in os.walk(DIRECTORY):
        for name in files:
            path = os.path.join(where, name)
            with open(path, "rb") as file:
                found[path] = (look(path), file.read())
        found[where] = look(where)
    return found


def write_unit(text, mode=0o444, owner=0):
    os.unlink(DIRECTORY + "/unit")
    with open(DIRECTORY + "/unit", "w") as file:
        file.write(text)
    os.chmod(DIRECTORY + "/unit", mode)
    os.chown(DIRECTORY + "/unit", owner, owner)


def check_other_unit(results, machine):
    results.equal("one name", machine.prepare("demo").status, 0)
    os.makedirs(GROUP)
    write_unit("anet-session@demo\n%s\n" % OTHER)
    before, pairs = contents(), machine.reserved()
    for instance in ("demo-main", "demo"):
        result = machine.prepare(instance)
        results.ok(instance + ": refused while the other lives", result.status == 75 and
                   "[session_exists]" in result.errors and "`systemctl stop anet-session@demo.service`" in result.errors,
                   result)
        results.equal(instance + ": it is no outcome of the session that lives", machine.recorded("demo-main"), None)
    result = machine.outcome("demo-main", "exit-code", code=None)
    results.equal("the last step of the other name", (result.status, result.errors), (0, ""))
    results.equal("has changed nothing", (contents(), machine.reserved()), (before, pairs))

    write_unit("anet-host@demo\n%s\n" % OTHER)
    result = machine.prepare("demo")
    results.ok("refused while one without a boundary lives", result.status == 75 and
               "`systemctl stop anet-host@demo.service`" in result.errors, result)
    before = contents()
    result = machine.outcome("demo", "exit-code", code=None)
    results.equal("whose session the last step leaves", (result.status, result.errors, contents()), (0, "", before))

    shutil.rmtree("/sys/fs/cgroup/anet.slice")
    result = machine.prepare("demo-main")
    results.equal("when it is gone, the other name may start", result.status, 0, result)
    with open(DIRECTORY + "/unit") as file:
        results.equal("and the session is its", file.readline(), "anet-session@demo-main\n")
    results.equal("which the last step of the first leaves", (machine.outcome("demo").status, machine.sessions()),
                  (0, ["demo-main"]))
    results.equal("and its own does not", (machine.outcome("demo-main").status, machine.sessions(), machine.reserved()),
                  (0, [], {}))


def unsafe(results, machine, what, *parts):
    result = machine.prepare("demo")
    results.ok(what + ": refused", result.status == 77 and "[record_unsafe]" in result.errors and
               all(part in result.errors for part in (DIRECTORY,) + parts), result)
    result = machine.outcome("demo", "exit-code", code=None)
    results.ok(what + ": the last step says so too", result.status == 77 and "[record_unsafe]" in result.errors, result)


def check_directory(results, machine):
    trap = "/run/trap"
    os.mkdir(trap)
    for name in ("policy", "unit", "run"):
        open(os.path.join(trap, name), "w").close()
    os.symlink(trap, DIRECTORY)
    unsafe(results, machine, "a link")
    results.equal("nothing behind it is touched", sorted(os.listdir(trap)), ["policy", "run", "unit"])
    os.unlink(DIRECTORY)
    open(DIRECTORY, "w").close()
    unsafe(results, machine, "a file")
    os.unlink(DIRECTORY)
    for what, mode, owner in (("somebody else's", 0o755, private.USER_ID), ("written by a group", 0o775, 0),
                              ("written by all", 0o757, 0)):
        os.mkdir(DIRECTORY)
        os.chown(DIRECTORY, owner, 0)
        os.chmod(DIRECTORY, mode)
        unsafe(results, machine, what)
        os.rmdir(DIRECTORY)


def check_changed(results, machine):
    """There was no run for it; who made it knows it again, and removes it."""
    for what, change in (("given away", lambda: os.chown(DIRECTORY, private.USER_ID, 0)),
                         ("opened for all", lambda: os.chmod(DIRECTORY, 0o777)),
                         ("without policy", lambda: os.unlink(DIRECTORY + "/policy")),
                         ("with a policy of somebody else", lambda: os.chown(DIRECTORY + "/policy", private.USER_ID, 0)),
                         ("with a link as policy", lambda: (os.unlink(DIRECTORY + "/policy"),
                                                            os.symlink("/etc/hostname", DIRECTORY + "/policy")))):
        machine.prepare("demo")
        change()
        other = machine.outcome("demo-main", "exit-code", code=None)
        results.equal(what + ": no matter of another unit", (other.status, machine.sessions()), (0, ["demo-main"]), other)
        result = machine.outcome("demo", "exit-code", "exited", "77")
        results.equal(what + ": removed", (result.status, machine.sessions(), machine.reserved()), (0, [], {}), result)
    results.ok("nothing behind the link", os.path.exists("/etc/hostname"))


def check_record(results, machine):
    for what, text, mode, owner in (("of somebody else", "demo\n/\n", 0o444, private.USER_ID), ("that others write", "demo\n/\n", 0o446, 0),
                                    ("that is empty", "", 0o444, 0), ("with one line", "demo\n", 0o444, 0),
                                    ("with three", "demo\n/\nx\n", 0o444, 0), ("without an end", "demo\n/x", 0o444, 0),
                                    ("that is long", "d" * 500 + "\n/\n", 0o444, 0), ("with a long path", "demo\n/" + "x" * 2000 + "\n", 0o444, 0)):
        os.makedirs(DIRECTORY, exist_ok=True)
        os.close(os.open(DIRECTORY + "/unit", os.O_CREAT | os.O_WRONLY))
        write_unit(text, mode, owner)
        unsafe(results, machine, "a record " + what)
    os.unlink(DIRECTORY + "/unit")
    unsafe(results, machine, "no record")
    os.symlink("/etc/hostname", DIRECTORY + "/unit")
    unsafe(results, machine, "a record that is a link")
    os.unlink(DIRECTORY + "/unit")
    os.mkfifo(DIRECTORY + "/unit", 0o444)
    unsafe(results, machine, "a record that is a FIFO")
    shutil.rmtree(DIRECTORY)


def check_root(results, machine):
    for what, change, undo in (
            ("root of all is somebody else's", lambda: os.chown(SESSIONS, private.USER_ID, 0), lambda: os.chown(SESSIONS, 0, 0)),
            ("root of all is a link", lambda: (os.rename(SESSIONS, "/run/moved"), os.symlink("/run/moved", SESSIONS)),
             lambda: (os.unlink(SESSIONS), os.rename("/run/moved", SESSIONS)))):
        change()
        result = machine.prepare("demo")
        results.ok("the " + what, result.status == 77 and "[record_unsafe]" in result.errors and SESSIONS in result.errors,
                   result)
        undo()
    result = machine.prepare("demo")
    results.equal("and at last it starts", result.status, 0, result)


def test(results):
    machine = Machine()
    private.mount("tmpfs", "/sys/fs/cgroup", "tmpfs")
    check_other_unit(results, machine)
    check_directory(results, machine)
    check_changed(results, machine)
    check_record(results, machine)
    check_root(results, machine)


product_test(test, overlays=overlays())

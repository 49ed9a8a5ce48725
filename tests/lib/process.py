# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which processes there are.  A test is PID 1 of its own PID namespace
(private.enter), so that everything in /proc descends from it."""
import os
import time


def read(pid, name):
    try:
        with open("/proc/%d/%s" % (pid, name), "rb") as file:
            return file.read()
    except OSError:
        return b""


def state(pid):
    """One letter of proc(5), or "" if there is no such process."""
    stat = read(pid, "stat")
    return stat.rpartition(b")")[2].split()[0].decode() if stat else ""


def parent(pid):
    stat = read(pid, "stat")
    return int(stat.rpartition(b")")[2].split()[1]) if stat else 0


def name(pid):
    return read(pid, "comm").strip().decode("utf-8", "replace")


def command(pid):
    return read(pid, "cmdline").replace(b"\0", b" ").strip().decode("utf-8", "replace")


def status_field(pid, field):
    for line in read(pid, "status").decode("utf-8", "replace").splitlines():
        if line.startswith(field + ":"):
            return line.split(":", 1)[1].strip()
    return ""


def everything():
    """All processes but the test itself, zombies too."""
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit() and int(entry) != os.getpid()]


def children(pid):
    """Those of the first thread; quicker than descendants()."""
    return [int(child) for child in read(pid, "task/%d/children" % pid).split()]


def descendants(pid):
    parents = {other: parent(other) for other in everything()}
    found, new = set(), {pid}
    while new:
        new = {child for child, father in parents.items() if father in new} - found
        found |= new
    return sorted(found)


def named(pid, *names):
    """Descendants of `pid` whose comm is one of `names`."""
    return [child for child in descendants(pid) if name(child) in names]


def show(pids):
    return "\n".join("%d (parent %d, %s) %s: %s" % (pid, parent(pid), state(pid), name(pid), command(pid))
                     for pid in pids)


def reap():
    """Collects orphans that have become children of the test."""
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return


def left_after(known, seconds=3.0):
    """Processes other than `known` that are still there after `seconds`; call
    it when no Popen object is being waited for."""
    end = time.monotonic() + seconds
    while True:
        reap()
        left = [pid for pid in everything() if pid not in known]
        if not left or time.monotonic() > end:
            return left
        time.sleep(0.02)

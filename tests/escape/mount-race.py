#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=400
"""A workspace or mount that is replaced by a link while the run starts never becomes
another directory of the host: the run is refused (mount_changed), or has the
right one.  The control is plain bubblewrap, which is taken in."""
import ctypes
import os
import shutil
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import product_test, worlds  # noqa: E402

TRIES = 150
CONTROL_TRIES = 3000
CONTROL_SECONDS = 60
AT_FDCWD, RENAME_EXCHANGE = -100, 2


def start_swapper(parent, how):
    """Another program of somebody who may write `parent`: keeps exchanging the
    directory `work` for a link to `secret`, as fast as it can."""
    pid = os.fork()
    if pid:
        return pid
    libc = ctypes.CDLL(None)
    work, link = os.fsencode(parent + "/work"), os.fsencode(parent + "/link")
    os.symlink({"absolute": parent + "/secret", "relative": "secret"}[how], link)
    while True:
        libc.renameat2(AT_FDCWD, work, AT_FDCWD, link, RENAME_EXCHANGE)
        time.sleep(0.0003)


def stop(pid):
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def prepare(world):
    parent = world.directory("shared")
    shutil.rmtree(parent)
    world.directory("shared")
    world.directory("shared/work")
    world.file("shared/secret/marker", "SECRET")
    return parent


def test(results):
    for world in worlds():
        for how in ("absolute", "relative"):
            with results.under("as %s, %s link: " % (world.user, how)):
                attack(results, world, how)


def attack(results, world, how):
    parent = prepare(world)
    work = parent + "/work"
    # A link at the time when anet looks is simply followed: then the run is in
    # `secret` by that name.  What must not be is `secret` under the name `work`.
    script = "pwd -P; cat %s/marker 2>/dev/null; true" % work
    swapper = start_swapper(parent, how)
    taken, tries, end = 0, 0, time.monotonic() + CONTROL_SECONDS
    while not taken and tries < CONTROL_TRIES and time.monotonic() < end:
        # As a careful caller would: what he looked at before was a directory.
        if not os.path.islink(work):
            tries += 1
            result = world.run(["bwrap", "--ro-bind", "/usr", "/usr", "--symlink", "usr/lib", "/lib", "--symlink",
                                "usr/lib64", "/lib64", "--symlink", "usr/bin", "/bin", "--bind", work, work,
                                "--dev", "/dev", "--unshare-all", "sh", "-c", script], cwd="/")
            taken += "SECRET" in result.text
    if not results.ok("the race can be won against plain bubblewrap (control)", taken, "%d tries" % tries):
        stop(swapper)
        return
    results.note("plain bubblewrap was taken in after %d tries" % tries)

    begins(results, world, "a workspace", script, ["--workspace", work], TRIES)
    world.agent("racer", {"runtime": "command", "mounts": [{"source": work, "mode": "writable"}]})
    begins(results, world, "a mount", script, ["--agent", "racer", "--workspace", world.workspace], TRIES // 2)
    stop(swapper)


def begins(results, world, what, script, options, tries):
    bad, ran, refused, reasons = [], 0, 0, {}
    for _ in range(tries):
        result = world.run(world.argv(["sh", "-c", script], options), cwd="/")
        if "SECRET" in result.text:
            bad.append(result)
        elif result.status == 0:
            ran += 1
        else:
            refused += 1
            lines = [line for line in result.errors.splitlines() if line.rstrip().endswith("]")]
            reason = lines[-1].rpartition("[")[2] if lines else "no reason:\n" + result.errors
            reasons[reason] = reasons.get(reason, 0) + 1
    results.note("%s: %d ran, %d refused: %r" % (what, ran, refused, reasons))
    results.equal("%s: never another directory" % what, [str(result) for result in bad[:3]], [])
    results.ok("%s: every refusal has its reason" % what, not any(reason.startswith("no reason") for reason in reasons), reasons)


product_test(test)

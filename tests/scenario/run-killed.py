#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=600
"""kill -9 of the supervisor, of bubblewrap or of a helper, at any moment, leaves
no process, no mount and no file (SPEC S2.7)."""
import os
import random
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import KEY, Model, private, process, product_test, tree, wait_for, worlds  # noqa: E402

MOMENTS = 40
SEED = int(os.environ.get("ANET_TEST_SEED", "0")) or int(time.time())

# An agent that speaks to its model all the time and leaves orphans about.
BUSY = r"""
import http.client, os, signal, time
if os.fork() == 0:
    os.setsid()
    for n in range(1, 65):
        try:
            signal.signal(n, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    if os.fork() == 0:
        time.sleep(600)
    time.sleep(600)
body = ('{"model":"claude-x","max_tokens":100,"stream":true,'
        '"messages":[{"role":"user","content":"hello"}]}')
print("begun", flush=True)
while True:
    try:
        c = http.client.HTTPConnection("127.0.0.1", 8118, timeout=10)
        for _ in range(3):
            c.request("POST", "/v1/messages", body, {"content-type": "application/json"})
            c.getresponse().read()
        c.close()
    except (OSError, http.client.HTTPException):
        time.sleep(0.05)
"""


def state():
    return tree.snapshot(*tree.WATCHED, skip=(private.directory, "/run/anet")), tree.mounts()


def kill_quietly(pid):
    try:
        os.kill(pid, signal.SIGKILL)
        return True
    except ProcessLookupError:
        return False


def begin_busy(world, **popen):
    return world.begin_agent("/usr/bin/python3", "-c", BUSY, **popen)


def settle(results, name, before, allowed=()):
    left = process.left_after(allowed, 5)
    results.equal(name + ": no process", process.show(left), "")
    for pid in left:
        kill_quietly(pid)
    after = state()
    results.equal(name + ": no file", tree.difference(before[0], after[0]), [])
    results.equal(name + ": no mount", after[1], before[1])


def collect(run):
    """The run's end; whoever else holds its pipes is gone soon after."""
    try:
        return run.communicate(timeout=15)
    except subprocess.TimeoutExpired:
        return b"", b"(its pipes stay open)"


def random_moments(results, world):
    """The supervisor, from before its first step until the agent is busy."""
    before = state()
    random.seed(SEED)
    bad = []
    for n in range(MOMENTS):
        # Half of them early: the start is where there is something to lose.
        delay = random.uniform(0, 0.15) if n % 2 else random.uniform(0, 1.2)
        run = begin_busy(world)
        time.sleep(delay)
        kill_quietly(run.pid)
        collect(run)
        left = process.left_after([], 5)
        if left:
            bad.append("after %.3f s:\n%s" % (delay, process.show(left)))
            for pid in left:
                kill_quietly(pid)
    results.equal("supervisor, %d moments (ANET_TEST_SEED=%d)" % (MOMENTS, SEED), bad, [])
    settle(results, "supervisor", before)


def random_victims(results, world):
    """Any process of a session at any moment; then the session is ended."""
    before = state()
    bad, killed = [], {}
    for _ in range(MOMENTS):
        run = begin_busy(world)
        time.sleep(random.uniform(0.02, 0.8))
        victims = process.descendants(run.pid)
        if victims:
            victim = random.choice(victims)
            name = process.name(victim)
            killed[name] = killed.get(name, 0) + 1
            kill_quietly(victim)
            time.sleep(random.uniform(0, 0.1))
        run.terminate()
        collect(run)
        if run.poll() is None:
            bad.append("the supervisor stays after SIGTERM when %s was killed" % name)
            kill_quietly(run.pid)
            collect(run)
        left = process.left_after([], 5)
        if left:
            bad.append("%s was killed:\n%s" % (name, process.show(left)))
            for pid in left:
                kill_quietly(pid)
    results.note("killed: %r" % killed)
    results.equal("any process, %d moments (ANET_TEST_SEED=%d)" % (MOMENTS, SEED), bad, [])
    settle(results, "any process", before)


def child_that_waits(results, world):
    """bwrap's child waits for bwrap without an end; bwrap is killed just then."""
    before = state()
    bad, hits = [], 0
    for _ in range(MOMENTS):
        run = begin_busy(world)
        found = stop_before_release(run)
        if found:
            kill_quietly(found)
            collect(run)
            hits += 1
            left = process.left_after([], 5)
            if left:
                bad.append(process.show(left))
                for pid in left:
                    kill_quietly(pid)
        else:
            run.kill()
            collect(run)
        if hits == 3:
            break
    results.equal("bwrap's waiting child, %d of them" % hits, bad, [])
    results.ok("one was caught while it waited", hits > 0)
    settle(results, "bwrap's waiting child", before)


def stop_before_release(run):
    """bwrap, stopped before it lets its child go on; or None."""
    end = time.monotonic() + 5
    while time.monotonic() < end and run.poll() is None:
        for bwrap in process.children(run.pid):
            for child in process.children(bwrap):
                if process.name(child) != "bwrap":
                    continue
                os.kill(bwrap, signal.SIGSTOP)
                time.sleep(0.01)
                # The first thing that the child does then is to map its uid.
                if process.read(child, "uid_map") == b"":
                    return bwrap
                os.kill(bwrap, signal.SIGCONT)
                return None
    return None


def part_by_part(results, world, model):
    """Each process of a running session."""
    for name in ("bwrap", "anet-init", "anet-gateway", "anet-upstream", "anet-files"):
        before = state()
        run = begin_busy(world)
        served = len(model.records)
        begun = wait_for(lambda: len(model.records) > served + 3, 20)
        # Between two connections there may be none for a moment.
        victims = wait_for(lambda: find(run.pid, name), 10)
        for pid in victims:
            kill_quietly(pid)
        if name in ("anet-gateway", "anet-upstream"):
            # The connection is lost, the session is not.
            now = len(model.records)
            more = wait_for(lambda: len(model.records) > now + 3, 20)
            results.ok("%s: the session goes on with the next connection" % name,
                       begun and victims and more and run.poll() is None,
                       "begun %r, victims %r, more %r" % (begun, victims, more))
            run.send_signal(signal.SIGTERM)
        elif name == "anet-files":
            # Without its measure the growth is not limited: the run must not go on.
            ended = wait_for(lambda: run.poll() is not None, 15)
            results.ok("%s: the run ends" % name, begun and victims and ended and run.returncode != 0,
                       "begun %r, victims %r, status %r" % (begun, victims, run.poll()))
        else:
            ended = wait_for(lambda: run.poll() is not None, 15)
            results.ok("%s: the run ends" % name, begun and victims and ended and run.returncode != 0,
                       "begun %r, victims %r, status %r" % (begun, victims, run.poll()))
        out, err = collect(run)
        if run.poll() is None:
            kill_quietly(run.pid)
            collect(run)
        results.lacks("%s: no key in what is told" % name, (out + err).decode("utf-8", "replace"), KEY)
        settle(results, name, before)


def find(supervisor, name):
    """By its program: anet-init runs as /proc/self/fd/N."""
    found = process.named(supervisor, name[:15])
    if name == "anet-init" and not found:
        found = [pid for pid in process.descendants(supervisor)
                 if process.status_field(pid, "NSpid").split()[-1:] == ["1"]]
    return found


def closed_terminal(results, world):
    """The whole process group at once, as a shell does it."""
    before = state()
    run = begin_busy(world, start_new_session=True)
    run.stdout.readline()
    os.killpg(run.pid, signal.SIGKILL)
    collect(run)
    settle(results, "the process group", before)


def ignored(results, world):
    """A signal that the caller had ignored, as nohup(1) does, ends nothing."""
    for number, name in ((signal.SIGHUP, "HUP"), (signal.SIGINT, "INT"), (signal.SIGQUIT, "QUIT")):
        begun = os.path.join(world.workspace, "begun")
        run = world.start(["sh", "-c", "trap '' %s; exec \"$@\"" % name, "sh",
                           *world.argv(["sh", "-c", ": > begun; sleep 1; exit 7"])], start_new_session=True)
        started = wait_for(lambda: os.path.exists(begun), 20)
        os.killpg(run.pid, number)
        run.communicate(timeout=20)
        results.ok("SIG%s that the caller ignores" % name, started and run.returncode == 7, run.returncode)
        os.unlink(begun)


def test(results):
    with Model(script=[{"text": "ok"}]) as model:
        for world in worlds():
            with results.under("as %s: " % world.user):
                world.any_claude()
                # What anet keeps between runs (a cached probe) is there before.
                world.anet("true")
                random_moments(results, world)
            with results.under("as %s: " % world.user):
                random_victims(results, world)
            with results.under("as %s: " % world.user):
                child_that_waits(results, world)
            with results.under("as %s: " % world.user):
                part_by_part(results, world, model)
            with results.under("as %s: " % world.user):
                closed_terminal(results, world)
                ignored(results, world)


product_test(test)

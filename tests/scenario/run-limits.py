#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=300
"""Limits end a run, tell the caller which, and leave nothing (SPEC S2.8)."""
import os
import shutil
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import process, product_test, wait_for, worlds  # noqa: E402


def limited(world, limits, script, **popen):
    world.config({"limits": limits})
    try:
        return world.sh(script, **popen)
    finally:
        os.unlink(os.path.join(world.home, ".config/anet/config.json"))


def clean(world):
    shutil.rmtree(world.workspace)
    world.directory("work")


def wall_clock(results, world):
    result = limited(world, {"wall_clock_seconds": 2}, "echo before; trap '' TERM; sleep 60; echo after", timeout=30)
    results.equal("wall clock: status", result.status, 75, result)
    results.contains("wall clock: reason", result.errors, "[limit_wall_clock]")
    results.ok("wall clock: in time", 1.8 < result.seconds < 8, result.seconds)
    results.equal("wall clock: what was said before arrives", result.text, "before\n")
    results.equal("wall clock: nothing is left", process.show(process.left_after([])), "")
    result = limited(world, {"wall_clock_seconds": 30}, "exit 3")
    results.equal("wall clock: a run within it", result.status, 3, result)
    result = limited(world, {"wall_clock_seconds": 2}, "echo $ANET_LIMIT_WALL_CLOCK_SECONDS; exit 0")
    results.equal("wall clock: the run is told", result.text, "2\n", result)


# Fills the pipe of a caller who does not read, then gives the supervisor
# something to say.
FILL = """
import os, time, urllib.request
os.set_blocking(2, False)
for part in (4096, 1):
    for attempt in range(5):
        try:
            while True:
                os.write(2, b"x" * part)
        except BlockingIOError:
            time.sleep(0.2)
open("full", "w").close()
for n in range(40):
    try:
        urllib.request.urlopen("http://127.0.0.1:8118/nothing")
    except OSError:
        pass
    time.sleep(0.1)
time.sleep(100)
"""


def unread_messages(results, world):
    """A caller who does not read messages does not take a run out of its limits."""
    world.any_claude()
    path = os.path.join(world.workspace, "full")
    for name, limits in (("wall clock", {"wall_clock_seconds": 10}), ("SIGTERM", {})):
        world.config({"limits": limits})
        run = world.begin_agent("/usr/bin/python3", "-c", FILL)
        full = wait_for(lambda: os.path.exists(path), 20)
        if not limits:
            time.sleep(2)
            run.terminate()
        ended = wait_for(lambda: not process.named(run.pid, "python3", "anet-gateway", "bwrap"), 20)
        results.ok("nobody reads standard error: %s" % name, full and ended, process.show(process.descendants(run.pid)))
        results.ok("nobody reads standard error: %s: the supervisor ends" % name,
                   wait_for(lambda: run.poll() is not None, 20), run.returncode)
        run.kill()
        run.communicate()
        os.unlink(path)
    os.unlink(os.path.join(world.home, ".config/anet/config.json"))
    run = world.begin("sh", "-c", ": > full; head -c 120000 /dev/zero & head -c 120000 /dev/zero >&2; exit 3")
    wait_for(lambda: os.path.exists(path) and not process.named(run.pid, "bwrap"), 10)
    os.unlink(path)
    run.terminate()
    results.ok("nobody reads: SIGTERM after the agent's end", wait_for(lambda: run.poll() is not None, 20) and
               run.returncode == 3, run.returncode)
    run.kill()
    run.communicate()


def growth(results, world):
    result = limited(world, {"growth_mib": 20},
                     "for i in $(seq 60); do head -c 5000000 /dev/zero > f$i; sleep 0.2; done; echo after", timeout=60)
    results.equal("growth: status", result.status, 75, result)
    results.contains("growth: reason", result.errors, "[limit_growth]")
    results.lacks("growth: it is ended", result.text, "after")
    clean(world)
    result = limited(world, {"growth_mib": 20}, "head -c 5000000 /dev/zero > f; sleep 1.5; exit 3")
    results.equal("growth: a run within it", result.status, 3, result)
    world.file("work/large", b"x" * 30000000)
    result = limited(world, {"growth_mib": 20}, "sleep 1.5; exit 3")
    results.equal("growth: what was there before does not count", result.status, 3, result)
    clean(world)
    # Holes cost nothing; directories without any rights hide nothing.
    result = limited(world, {"growth_mib": 20}, "truncate -s 1000000000 f; sleep 1.5; exit 3")
    results.equal("growth: a hole costs nothing", result.status, 3, result)
    clean(world)
    result = limited(world, {"growth_mib": 20},
                     "mkdir d; for i in $(seq 60); do head -c 5000000 /dev/zero > d/f$i; done; chmod 0 d; sleep 20",
                     timeout=60)
    results.ok("growth: nor does a directory without rights hide it",
               result.status == 75 and "[limit_growth]" in result.errors, result)
    world.sh("chmod 755 d")
    clean(world)
    # A file that has no name any more still takes space.
    result = limited(world, {"growth_entries": 100},
                     "for i in $(seq 1000); do : > f$i; [ $((i % 50)) = 0 ] && sleep 0.2; done; sleep 5; echo after",
                     timeout=60)
    results.ok("entries", result.status == 75 and "[limit_entries]" in result.errors, result)
    clean(world)
    results.equal("growth: nothing is left", process.show(process.left_after([])), "")


def configuration(results, world):
    for limits, part in (({"wall_clock_second": 2}, "wall_clock_seconds"), ({"wall_clock_seconds": "2"}, "limits"),
                         ({"wall_clock_seconds": -1}, "limits"), ({"growth_mib": 1.5}, "limits")):
        result = limited(world, limits, "echo started")
        results.ok("a bad limit refuses: %r" % limits,
                   result.status == 78 and "[config_invalid]" in result.errors and part in result.errors and
                   "started" not in result.text, result)


def test(results):
    for world in worlds():
        for part in (wall_clock, unread_messages, growth, configuration):
            with results.under("as %s: " % world.user):
                part(results, world)


product_test(test)

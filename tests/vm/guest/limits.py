#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""`anet run` where systemd runs: everything of a run is in its scope, the
limits hold, the one that is hit is told by name, and nothing survives."""
import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from vm import ANET, MIB, Account, Told, cgroup_of, read, run_test, scopes, wait_for  # noqa: E402

CONFIG = '{"limits": {"memory_mib": 128, "tasks": 40}}'
TOUCH = "x = bytearray(200 * 1024 * 1024)"
FORKS = """
import os, time
n = 0
try:
    while n < 100:
        if os.fork() == 0:
            time.sleep(1000)
        n += 1
except OSError as error:
    print(n, error.errno)
"""
BOMB = """
import os, time
while True:
    try:
        os.fork()
    except OSError:
        time.sleep(0.2)
"""


def processes(scope):
    return [int(line) for line in read(os.path.join(scope, "cgroup.procs")).split()]


def names_in(scope):
    return [read("/proc/%d/comm" % pid).strip() for pid in processes(scope)]


def defaults(results, account):
    """The numbers of SPEC, in the live control group, around all of the run."""
    run = account.start([ANET, "run", "--", "sh", "-c", "sleep 1000 & sleep 1001"])
    scope = wait_for(lambda: scopes() and names_in(scopes()[0]).count("sleep") == 2 and scopes()[0])
    if not results.ok("a scope with the run's processes", scope, (scopes(), run.poll())):
        run.kill()
        results.note(run.communicate())
        return
    for file, value in (("memory.max", 2048 * MIB), ("memory.swap.max", 0), ("pids.max", 256)):
        results.equal(file, read(os.path.join(scope, file)).strip(), str(value))
    names = names_in(scope)
    results.ok("bubblewrap, PID 1 and the agent are in it", "bwrap" in names and "sh" in names and len(names) >= 5,
               names)
    results.ok("the supervisor is not", run.pid not in processes(scope))
    slice_name = "anet.slice" if account.uid == 0 else "app-anet.slice"
    results.contains("in its slice", scope, "/%s/anet-run-" % slice_name)
    inside = processes(scope)

    os.kill(run.pid, signal.SIGKILL)
    results.ok("all end with a supervisor that is killed",
               wait_for(lambda: not any(os.path.isdir("/proc/%d" % pid) for pid in inside), 20), names)
    results.ok("the scope is gone", wait_for(lambda: not scopes(), 20), scopes())
    run.communicate()


def memory(results, account):
    with Told() as told:
        status, out, err = account.anet("/usr/bin/python3", "-c", TOUCH)
        results.equal("an agent beyond its memory is killed", status, 137, out + err)
        told.about(results, "the limit is told by name", "limit_memory", err)
        told.about(results, "with its size", "128 MiB", err)
    with Told() as told:
        status, out, err = account.anet("sh", "-c", "/usr/bin/python3 -c '%s'; echo then $?" % TOUCH)
        results.equal("an agent whose program is killed goes on", (status, out), (0, "then 137\n"), err)
        told.about(results, "the limit is told by name all the same", "limit_memory", err)


def tasks(results, account):
    with Told() as told:
        status, out, err = account.anet("/usr/bin/python3", "-c", FORKS)
        words = out.split()
        results.ok("the run has no more than its tasks", len(words) == 2 and 20 < int(words[0]) < 40,
                   (status, out, err))
        told.about(results, "the limit is told by name", "limit_tasks", err)
    with Told() as told:
        run = account.start([ANET, "run", "--", "/usr/bin/python3", "-c", BOMB])
        scope = wait_for(lambda: scopes() and len(processes(scopes()[0])) >= 38 and scopes()[0])
        results.ok("a fork bomb comes to its limit", scope, scopes())
        results.ok("and not beyond", scope and int(read(os.path.join(scope, "pids.current")) or 0) <= 40)
        os.kill(run.pid, signal.SIGTERM)
        results.ok("and is gone with the run", wait_for(lambda: not scopes(), 30), scopes())
        out, err = run.communicate()
        told.about(results, "the limit is told by name", "limit_tasks", err)


def test(results):
    for account in (Account("root"), Account("with")):
        with results.under("as %s: " % account.name):
            with Told() as told:
                status, out, err = account.anet("true")
                results.equal("a run", (status, out), (0, ""), err)
                results.lacks("nothing is missing", err + told.news(), "no_cgroup_limits")
            defaults(results, account)
            account.config(CONFIG)
            memory(results, account)
            tasks(results, account)
    account = Account("without")
    with results.under("as one without a manager: "):
        with Told() as told:
            status, out, err = account.anet("sh", "-c", "cat /proc/self/cgroup; echo ran")
            results.equal("the run goes on", (status, out.endswith("ran\n")), (0, True), err)
            told.about(results, "with a warning", "no_cgroup_limits", err)
            told.about(results, "that says what is missing", "/run/user/%d/" % account.uid, err)
    results.equal("this test is in no scope", "anet-run-" in cgroup_of(os.getpid()), False)


run_test(test)

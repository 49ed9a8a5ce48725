#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=600
"""The limits of a session's scope are hit, told by name, and cost nobody else
anything: a run that allocates 3 GiB, and one that forks without end."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from units import Session, agent, name_of, processes, wait_nothing_left  # noqa: E402
from vm import MIB, read, run_test, wait_for  # noqa: E402

QUIET = "import time\nwhile True:\n    print('tick', flush=True)\n    time.sleep(1)"
GLUTTON = """
taken = []
print("begun", flush=True)
while len(taken) < 48:
    taken.append(b"x" * (64 << 20))
print("got it all", flush=True)
"""
BOMB = """
import os, time
print("begun", flush=True)
while True:
    try:
        os.fork()
    except OSError:
        time.sleep(0.5)
"""


def value(session, file):
    return read(os.path.join(session.scopes()[0], file)).strip() if session.scopes() else None


def memory(results, quiet):
    agent("glutton", "/usr/bin/python3", "-c", GLUTTON, runtime="command")
    session = Session("glutton")
    if not session.starts(results):
        return
    results.equal("memory.max", value(session, "memory.max"), str(2048 * MIB))
    results.equal("memory.swap.max", value(session, "memory.swap.max"), "0")
    results.ok("the session ends", session.wait_end(150), session.journalctl())
    said = session.said()
    results.ok("the agent did not get its 3 GiB", "begun" in said and "got it all" not in said, said)
    results.contains("the limit is told by name", " ".join(session.reasons()), "limit_memory")
    results.contains("with its size", said, "2048 MiB")
    facts = session.properties("Result", "ExecMainStatus")
    results.equal("the supervisor ended in order, with the agent's status", facts,
                  {"Result": "exit-code", "ExecMainStatus": "137"}, session.journalctl())
    results.contains("journalctl -x tells what to do", session.journalctl("-x"), "limits.memory_mib")
    outcome = session.outcome()
    results.ok("the outcome has it", outcome and outcome.stage == "ended" and outcome.reason, outcome and vars(outcome))


def tasks(results, quiet):
    agent("bomb", "/usr/bin/python3", "-c", BOMB, runtime="command")
    session = Session("bomb")
    if not session.starts(results):
        return
    results.equal("pids.max", value(session, "pids.max"), "256")
    reached = wait_for(lambda: int(value(session, "pids.current") or 0) >= 254 and value(session, "pids.events"))
    results.ok("the bomb comes to its limit", reached, value(session, "pids.current"))
    results.ok("and not beyond", int(value(session, "pids.current") or 1000) <= 256, value(session, "pids.current"))
    results.ok("the limit is told while it goes on", wait_for(lambda: "limit_tasks" in session.reasons()),
               session.journalctl())
    results.equal("the session is still there", session.active(), "active")
    lives_on(results, quiet)
    members = [pid for path in session.scopes() for pid in processes(path)]
    status, text, seconds = session.stop()
    results.equal("systemctl stop ends all of it", (status, [pid for pid in members if name_of(pid) == "python3"]),
                  (0, []), text)
    results.note("stopping 256 tasks took %.1f s" % seconds)
    told = [code for code in session.reasons() if code == "limit_tasks"]
    results.ok("it is not told without end", len(told) <= 3, session.journalctl())


def lives_on(results, quiet):
    ticks = quiet.said().count("tick")
    results.ok("the other session lives on", wait_for(lambda: quiet.said().count("tick") > ticks + 2) and
               quiet.active() == "active", quiet.journalctl("-n", "20"))


def test(results):
    agent("quiet", "/usr/bin/python3", "-c", QUIET, runtime="command")
    quiet = Session("quiet")
    quiet.starts(results, "a quiet session beside")
    with results.under("3 GiB: "):
        memory(results, quiet)
        lives_on(results, quiet)
    with results.under("fork bomb: "):
        tasks(results, quiet)
    quiet.stop()
    results.equal("nothing is left", wait_nothing_left(quiet), "")


run_test(test)

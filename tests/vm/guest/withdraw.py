#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: suite=trixie timeout=400
"""A strategy is withdrawn while sessions run: those go on, new ones are refused and do
not start, until it is offered again; and where nothing can run, nothing starts."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from units import CONFIG, Session, agent, properties, run, wait_nothing_left  # noqa: E402
from vm import ANET, read, run_test, wait_for  # noqa: E402

SETTINGS = os.path.join(CONFIG, "config.json")
OFF = "sandbox.%s is off on this machine"
REFUSED = 'agent "%s" runs its sessions in the srt strategy, which this machine cannot run: ' + OFF % "srt"
NOTHING = "startup refused: no execution strategy can run on this machine (host: %s; srt: %s; microsandbox: %s)" % tuple(
    OFF % name for name in ("host", "srt", "microsandbox"))
# Leaves a mark when it starts, and ends when it is asked to.
STAYS = "echo started >mark; while [ ! -e go ]; do sleep 0.3; done; rm go; echo went on to its end"


def settings(value):
    if value is None:
        os.unlink(SETTINGS)
        return
    with open(SETTINGS, "w") as file:
        json.dump(value, file)


def mark(session):
    return read(os.path.join(session.workspace, "mark"))


def begins(results, name, session):
    if session.starts(results, name):
        results.ok("... its agent too", wait_for(lambda: mark(session) == "started\n"), session.journalctl())


def is_refused(results, name, session):
    before = mark(session)
    status, text, _ = session.start()
    results.ok(name, status not in (0, "timeout"), text)
    records = [record for record in session.records() if record.get("ANET_REASON") == "strategy_off"]
    results.equal("... word for word", [record.get("MESSAGE", "").partition(" [")[0] for record in records],
                  [REFUSED % session.agent], session.said())
    results.contains("... and in its status", session.status(), REFUSED % session.agent)
    results.equal("... its agent did not start", (mark(session) != before, session.scopes(), session.state()),
                  (False, [], None))


def restart(*options):
    return run(ANET, "restart", *options)


def withdrawn(results, old):
    facts = old.properties("ActiveState", "MainPID", "InvocationID")
    limits = {name: read(os.path.join(old.scopes()[0], name)) for name in ("memory.max", "pids.max")}
    settings({"sandbox": {"srt": False}})
    status, text = restart()
    results.ok("anet restart shows it", status == 0 and OFF % "srt" in text, text)
    with open("/run/anet/strategies.json") as file:
        rows = {row["strategy"]: row for row in json.load(file)["strategies"]}
    results.equal("the unit's table has it", (rows["srt"]["offered"], rows["srt"]["available"], rows["srt"]["reason"],
                                              rows["host"]["available"]), (False, False, OFF % "srt", True))
    is_refused(results, "a new session is refused", Session("late"))
    is_refused(results, "another one of the agent that runs is refused", Session("stays-two"))
    results.equal("the one that runs goes on", old.properties("ActiveState", "MainPID", "InvocationID"), facts,
                  old.journalctl())
    results.equal("... within its limits", {name: read(os.path.join(old.scopes()[0], name)) for name in limits}, limits)
    with open(os.path.join(old.workspace, "go"), "w"):
        pass
    results.ok("... to its own end", old.wait_end() and "went on to its end" in old.said(), old.said())
    results.equal("... as a success", old.properties("Result", "ExecMainStatus"), {"Result": "success",
                                                                                   "ExecMainStatus": "0"})
    results.equal("... and leaves nothing", wait_nothing_left(old), "")
    is_refused(results, "it does not start again", old)


def nothing_can_run(results):
    settings({"sandbox": {"host": False, "srt": False, "microsandbox": False}})
    status, text = restart()
    results.ok("anet restart is refused, word for word", status == 69 and "anet: %s [no_strategy]" % NOTHING in text, text)
    results.equal("the probe's unit has failed", properties("anet-probe.service", "ActiveState", "Result"),
                  {"ActiveState": "failed", "Result": "exit-code"})
    is_refused(results, "no session starts", Session("late"))


def offered_again(results, old):
    settings(None)
    new = Session("late")
    begins(results, "offered again, without anything else, a session starts", new)
    new.stop()
    status, text = restart()
    results.ok("anet restart succeeds", status == 0 and properties("anet-probe.service", "ActiveState") == {
        "ActiveState": "active"}, text)
    os.unlink(os.path.join(old.workspace, "mark"))
    begins(results, "the old one starts, too", old)
    old.stop()
    results.equal("nothing is left", wait_nothing_left(old), "")


def test(results):
    for name in ("stays", "late"):
        agent(name, "/bin/sh", "-c", STAYS, runtime="command", strategy="srt")
    old = Session("stays")
    begins(results, "a session starts", old)
    withdrawn(results, old)
    nothing_can_run(results)
    offered_again(results, old)


run_test(test)

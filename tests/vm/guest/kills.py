#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=400
"""kill -9 of any part of a session: a lost helper costs a connection, any other
part the session, which leaves nothing behind, says what happened, and can be
started again at once."""
import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from service import KEY, Model  # noqa: E402
from units import Session, agent, helpers, name_of, wait_nothing_left  # noqa: E402
from vm import read, run_test, wait_for  # noqa: E402

# Speaks to its model all the time; has an orphan that ignores every signal.
BUSY = r"""
import http.client, os, signal, time
if os.fork() == 0:
    os.setsid()
    for n in range(1, 65):
        try:
            signal.signal(n, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    if os.fork():
        os._exit(0)
    time.sleep(1000)
body = '{"model":"claude-x","max_tokens":100,"messages":[{"role":"user","content":"hello"}]}'
n = lost = 0
while True:
    try:
        c = http.client.HTTPConnection("127.0.0.1", 8118, timeout=60)
        while True:
            c.request("POST", "/v1/messages", body, {"content-type": "application/json"})
            answer = c.getresponse()
            answer.read()
            n += answer.status == 200
            print("answer", n, "lost", lost, flush=True)
            time.sleep(1)
    except (OSError, http.client.HTTPException):
        lost += 1
        time.sleep(0.2)
"""


def more_answers(model):
    before = len(model.requests())
    return wait_for(lambda: len(model.requests()) > before + 1)


def victims(session, name):
    """Processes of that name that belong to it (it is the only session)."""
    if name in ("anet-gateway", "anet-upstream"):
        return [pid for pid, other in helpers().items() if other == name]
    if name == "anet-init":
        # It runs as /proc/self/fd/N; PID 1 of the run is the one.
        return [pid for pid in session.processes()
                if [line for line in read("/proc/%d/status" % pid).splitlines()
                    if line.startswith("NSpid:") and line.split()[2:] == ["1"]]]
    found = session.named(name)
    if name == "bwrap":
        # The parent: the child is in the run's PID namespace already.
        found = [pid for pid in found
                 if any(line.startswith("NSpid:") and len(line.split()) == 2
                        for line in read("/proc/%d/status" % pid).splitlines())]
    return found


def kill(results, session, name):
    pids = victims(session, name)
    if not results.ok("it is there", pids, [(pid, name_of(pid)) for pid in session.processes()]):
        return False
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return True


def one_helper(results, model, session, name):
    """The session goes on."""
    if not kill(results, session, name):
        return
    results.ok("the agent's next connection works", more_answers(model), session.journalctl("-n", "30"))
    results.equal("the session goes on", session.active(), "active")
    results.ok("the loss is told", wait_for(lambda: "helper_died" in session.reasons()), session.journalctl("-n", "30"))


def one_part(results, model, session, name, result):
    """The session ends with all that belongs to it."""
    if not kill(results, session, name):
        session.stop()
        return
    results.ok("the session ends", session.wait_end(30), session.status())
    results.equal("nothing is left of it", wait_nothing_left(session), "")
    results.equal("no helper either", wait_for(lambda: not helpers()) and {}, {}, helpers())
    facts = session.properties("ActiveState", "Result")
    results.equal("the unit failed", facts, {"ActiveState": "failed", "Result": result}, session.journalctl("-n", "30"))
    results.ok("why is told", set(session.reasons()) - {"ok", "client_gone", "supervisor_gone", "helper_died"},
               session.journalctl("-n", "30"))
    outcome = session.outcome()
    results.ok("the outcome is recorded", outcome and outcome.stage == "ended" and outcome.reason,
               outcome and vars(outcome))
    results.lacks("no key in what is told", session.journalctl("--output=verbose"), KEY)
    status, text, _ = session.start()
    results.equal("the same can be started again", (status, text), (0, ""), session.journalctl())
    results.ok("and works", more_answers(model), session.journalctl("-n", "30"))


def test(results):
    agent("demo", "/usr/bin/python3", "-c", BUSY)
    with Model(script=[{"text": "hello"}], side_text="hello") as model:
        session = Session("demo-kill_me")
        status, text, _ = session.start()
        results.equal("a session starts", (status, text), (0, ""), session.journalctl())
        results.ok("and works", more_answers(model), session.journalctl())
        for name in ("anet-gateway", "anet-upstream"):
            with results.under(name + ": "):
                one_helper(results, model, session, name)
        for name, result in (("anet-session", "signal"), ("bwrap", "exit-code"), ("anet-init", "exit-code"),
                             ("anet-files", "exit-code")):
            with results.under(name + ": "):
                one_part(results, model, session, name, result)
        session.stop()
        results.equal("nothing is left", wait_nothing_left(session), "")


run_test(test)

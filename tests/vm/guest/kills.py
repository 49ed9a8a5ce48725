#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: suite=bookworm timeout=600
"""kill -9 of any part of a session: a lost helper costs a connection, any other
part the session, which leaves nothing behind, says what happened, and can be
started again at once."""
import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from echo import Echo  # noqa: E402
from service import KEY, prepare_machine  # noqa: E402
from units import Session, agent, helpers, name_of, systemctl, wait_nothing_left  # noqa: E402
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
body = '{"model":"m","max_tokens":100,"messages":[{"role":"user","content":"%s"}]}' % os.path.basename(os.getcwd())
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


PARTS = (("anet-session", "signal"), ("bwrap", "exit-code"), ("anet-init", "exit-code"), ("anet-files", "exit-code"))


def more_answers(service, session):
    """Whether its agent gets answers, of those that it asks for from now on."""
    before = service.asked.count(session.interaction)
    return wait_for(lambda: service.asked.count(session.interaction) > before + 1)


def victims(session, name):
    def pids_inside(pid):
        return next((line.split()[1:] for line in read("/proc/%d/status" % pid).splitlines()
                     if line.startswith("NSpid:")), [])

    if name == "anet-init":
        # It runs as /proc/self/fd/N; PID 1 of the run is the one.
        return [pid for pid in session.processes() if pids_inside(pid)[1:] == ["1"]]
    found = session.named(name)
    # Of bubblewrap the parent: the child is in the run's PID namespace.
    return [pid for pid in found if len(pids_inside(pid)) == 1] if name == "bwrap" else found


def kill(results, pids, what):
    if not results.ok("it is there", pids, what):
        return False
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return True


def lose_helpers(results, service):
    """The session goes on."""
    session = Session("demo-helpers")
    if not session.starts(results):
        return
    results.ok("it works", more_answers(service, session), session.journalctl())
    for name in ("anet-gateway", "anet-upstream"):
        with results.under(name + ": "):
            # The connection's own and the next one's, which waits.
            pids = wait_for(lambda: [pid for pid, other in helpers().items() if other == name])
            kill(results, pids, helpers())
            results.ok("the agent's next connection works", more_answers(service, session), session.journalctl("-n", "30"))
            results.ok("the loss is told", wait_for(lambda: "helper_died" in session.reasons()),
                       session.journalctl("-n", "30"))
    results.equal("the session goes on", session.active(), "active")
    session.stop()
    results.equal("nothing is left", wait_nothing_left(session), "")


def lose_parts(results, service):
    """The session ends with all that belongs to it.  One session for each part, all at once."""
    sessions = {name: Session("demo-" + name.replace("-", "_")) for name, _ in PARTS}
    units = [session.unit for session in sessions.values()]
    status, text = systemctl("start", *units, timeout=120)
    results.equal("sessions start", (status, text), (0, ""))
    for name, session in sessions.items():
        with results.under(name + ": "):
            results.ok("its session works", more_answers(service, session), session.journalctl())
            kill(results, victims(session, name), [(pid, name_of(pid)) for pid in session.processes()])
    for name, result in PARTS:
        session = sessions[name]
        with results.under(name + ": "):
            results.ok("the session ends", session.wait_end(30), session.status())
            facts = session.properties("ActiveState", "Result")
            results.equal("the unit failed", facts, {"ActiveState": "failed", "Result": result}, session.journalctl("-n", "30"))
            told = set(session.reasons()) - {"ok", "client_gone", "supervisor_gone"}
            results.ok("why is told", told - (set() if name == "anet-files" else {"helper_died"}),
                       session.journalctl("-n", "30"))
            outcome = session.outcome()
            results.ok("the outcome is recorded", outcome and outcome.stage == "ended" and outcome.reason,
                       outcome and vars(outcome))
            results.lacks("no key in what is told", session.journalctl("--output=verbose"), KEY)
            results.equal("its records are gone", os.path.lexists(session.directory), False)
    results.equal("nothing is left of any", "".join(wait_nothing_left(session) for session in sessions.values()), "")
    results.equal("no helper either", wait_for(lambda: not helpers()) and {}, {}, helpers())
    status, text = systemctl("start", *units, timeout=120)
    results.equal("the same can be started again", (status, text), (0, ""))
    for name, session in sessions.items():
        results.ok("%s: and works" % name, more_answers(service, session), session.journalctl("-n", "30"))
    systemctl("stop", *units, timeout=120)
    results.equal("nothing is left in the end", "".join(wait_nothing_left(session) for session in sessions.values()), "")


def hang(results):
    """A supervisor that does not answer is ended by systemd's watchdog."""
    session = Session("demo-hung")
    directory = "/run/systemd/system/%s.d" % session.unit
    os.makedirs(directory)
    # After those of /etc, by its name.
    with open(directory + "/zz-soon.conf", "w") as file:
        file.write("[Service]\nWatchdogSec=15\nTimeoutStopSec=5\nTimeoutAbortSec=5\n")
    systemctl("daemon-reload")
    if session.starts(results):
        os.kill(session.main_pid(), signal.SIGSTOP)
        results.ok("the watchdog ends the session", session.wait_end(), session.status())
        results.equal("the unit says so", session.properties("ActiveState", "Result"),
                      {"ActiveState": "failed", "Result": "watchdog"}, session.journalctl())
        results.contains("so does the journal", " ".join(session.reasons()), "supervisor_hung")
        results.equal("nothing is left", wait_nothing_left(session), "")
    os.unlink(directory + "/zz-soon.conf")
    systemctl("daemon-reload")


def test(results):
    prepare_machine()
    agent("demo", "/usr/bin/python3", "-c", BUSY, runtime="echo")
    with Echo() as service:
        lose_helpers(results, service)
        lose_parts(results, service)
        with results.under("a supervisor that hangs: "):
            hang(results)


run_test(test)

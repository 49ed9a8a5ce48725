#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: suite=bookworm timeout=600
"""Twenty sessions at once: each has its own model connection, uids and limits,
and two of them cannot reach each other's endpoint, files, sockets, processes."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from echo import Echo  # noqa: E402
from service import prepare_machine  # noqa: E402
from units import (Session, agent, helpers, of_sessions, systemctl, uid_of, wait_nothing_left,  # noqa: E402
                   words, journal, cursor)
from vm import read, run_test, wait_for  # noqa: E402

SESSIONS = 20
# Each lays out what another might get at, asks its model, and tries for what all others have laid out; what it
# finds must be its own.  The same program with the same steps is the control of each attempt.
PROGRAM = r"""
import glob, http.client, json, os, signal, socket, subprocess, sys, threading, time
me = os.getcwd()

def tell(**fields):
    print(json.dumps(fields), flush=True)

open("secret", "w").write(me)
open("/tmp/secret", "w").write(me)
open(os.path.expanduser("~/secret"), "w").write(me)
open("/dev/shm/secret", "w").write(me)
child = subprocess.Popen(["sleep", "1000"], env={"SECRET": me})

def serve(listener):
    while True:
        connection, _ = listener.accept()
        connection.sendall(me.encode())
        connection.close()

def listen(family, address):
    listener = socket.socket(family)
    listener.bind(address)
    listener.listen(64)
    threading.Thread(target=serve, args=(listener,), daemon=True).start()

listen(socket.AF_INET, ("127.0.0.1", 7777))
listen(socket.AF_UNIX, "\0abstract-secret")
listen(socket.AF_UNIX, "/tmp/socket-secret")

c = http.client.HTTPConnection("127.0.0.1", 8118, timeout=300)
c.request("POST", "/v1/messages", json.dumps({"model": "m", "max_tokens": 10,
          "messages": [{"role": "user", "content": me}]}), {"content-type": "application/json"})
r = c.getresponse()
tell(what="answer", status=r.status, text=json.loads(r.read())["content"][0]["text"])
while not glob.glob("go"):
    time.sleep(1)

def attempt(what, function):
    # What was got, one text for each; those that are mine are the control.
    try:
        got = sorted(set(function()))
    except OSError as error:
        got = [os.strerror(error.errno)]
    tell(what=what, got=got)

def contents(*patterns):
    for pattern in patterns:
        for path in glob.glob(pattern):
            try:
                yield open(path).read()
            except OSError as error:
                yield "%s: %s" % (path, error.strerror)

def from_socket(family, address):
    with socket.socket(family) as s:
        s.settimeout(20)
        s.connect(address)
        yield s.recv(200).decode()

def environments():
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            for word in open(path).read().split("\0"):
                if word.startswith("SECRET="):
                    yield word[7:]
        except OSError:
            pass

def working_directories():
    for path in glob.glob("/proc/[0-9]*/cwd"):
        try:
            where = os.readlink(path)
            if where.startswith("/var/cache"):
                yield where
        except OSError:
            pass

attempt("files of workspaces", lambda: contents("/var/cache/anet/work-sandbox/*/*/secret", "../*/secret",
                                                "../../*/*/secret"))
attempt("files of homes", lambda: contents("/var/lib/anet/homes/*/secret", os.path.expanduser("~/secret")))
attempt("files in /tmp", lambda: contents("/tmp/secret", "/tmp/*/secret", "/tmp/*/*/secret"))
attempt("files in /dev/shm", lambda: contents("/dev/shm/secret"))
attempt("a TCP port", lambda: from_socket(socket.AF_INET, ("127.0.0.1", 7777)))
attempt("an abstract socket", lambda: from_socket(socket.AF_UNIX, "\0abstract-secret"))
attempt("a socket in /tmp", lambda: from_socket(socket.AF_UNIX, "/tmp/socket-secret"))
attempt("environments of processes", environments)
attempt("processes", working_directories)
attempt("sockets of helpers", lambda: glob.glob("/run/anet/*") + glob.glob("/run/systemd/*") + glob.glob("/run/dbus/*"))
if me.endswith("/s1"):
    # Everybody that this one may signal; itself survives.
    for n in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.kill(-1, n)
        except OSError:
            pass
tell(what="end")
time.sleep(1000)
"""


def told(since):
    """{unit: {what: record}} of the agents' lines."""
    found = {}
    for record in journal(since=since):
        text = words(record)
        if text.startswith('{"what"'):
            event = json.loads(text)
            found.setdefault(record.get("_SYSTEMD_UNIT"), {})[event["what"]] = event
    return found


def test(results):
    prepare_machine()
    agent("demo", "/usr/bin/python3", "-c", PROGRAM, runtime="echo")
    sessions = [Session("demo-s%d" % n) for n in range(1, SESSIONS + 1)]
    units = {session.unit: session for session in sessions}
    since = cursor()
    with Echo() as service:
        status, text = systemctl("start", *units, timeout=300)
        if not results.equal("%d sessions start at once" % SESSIONS, (status, text), (0, "")):
            return
        answered = wait_for(lambda: sum("answer" in events for events in told(since).values()) == SESSIONS, 300)
        results.ok("each gets its answer", answered, told(since))
        got = {unit: events.get("answer", {}).get("text") for unit, events in told(since).items()}
        results.equal("its own", got, {unit: session.workspace for unit, session in units.items()})
        results.equal("the service was asked by each once", sorted(service.asked),
                      sorted(session.workspace for session in sessions))
        uids = {}
        for session in sessions:
            members = {uid_of(pid) for pid in session.processes()}
            uids[session.unit] = members & {uid for uid, _ in of_sessions().values()}
        results.equal("each has two uids", [unit for unit, pair in uids.items() if len(pair) != 2], [])
        results.equal("and none is another's", len(set().union(*uids.values())), 2 * SESSIONS)
        limits = {(read(path + "/memory.max"), read(path + "/pids.max")) for session in sessions
                  for path in session.scopes()}
        results.equal("each has its limits", limits, {("2147483648\n", "256\n")})
        states = [session.state() for session in sessions]
        results.ok("each says so", all(state and state.full and state.stage == "running" and state.requests == 1
                                       for state in states), [state and vars(state) for state in states])

        for session in sessions:
            with open(os.path.join(session.workspace, "go"), "w"):
                pass
        results.ok("each makes its attempts", wait_for(
            lambda: sum("end" in events for events in told(since).values()) >= SESSIONS, 200), told(since))
        attempts(results, units, told(since))
        status, text = systemctl("is-active", *units)
        results.equal("none was killed by another's kill(-1)", set(text.split()), {"active"})
        # Everything at once, as at a shutdown.
        status, text = systemctl("stop", *units, timeout=200)
        results.equal("all can be stopped", (status, text), (0, ""))
        results.equal("nothing is left", "".join(wait_nothing_left(session) for session in sessions), "")
        results.equal("no helper either", wait_for(lambda: not helpers()) and {}, {}, helpers())


def attempts(results, units, events):
    names = [what for what in events.get("anet-session@demo-s1.service", {}) if what not in ("answer", "end")]
    results.ok("there were attempts", len(names) == 10, events)
    for what in names:
        got = {unit: events.get(unit, {}).get(what, {}).get("got") for unit in units}
        own = {unit: [session.workspace] for unit, session in units.items()}
        if what == "sockets of helpers":
            own = {unit: [] for unit in units}
        wrong = {unit: texts for unit, texts in got.items() if texts != own[unit]}
        results.equal("%s: each finds its own and no other" % what, wrong, {})


run_test(test)

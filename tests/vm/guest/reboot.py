#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: suite=trixie last timeout=200
"""The machine is reset in the middle of a session.  After it nothing of the
session is there but its files, and the same ID starts again."""
import os
import pwd
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from echo import Echo  # noqa: E402
from service import prepare_machine  # noqa: E402
from units import (GATEWAY_SOCKET, OUTCOMES, RUN_ANET, SESSIONS, UPSTREAM_SOCKET, Session, agent,  # noqa: E402
                   of_sessions, systemctl, wait_nothing_left)
from vm import read, run_test, wait_for  # noqa: E402

PROGRAM = r"""
import http.client, json, os, time
open("life", "a").write("x")
open(os.path.expanduser("~/home"), "a").write("x")
c = http.client.HTTPConnection("127.0.0.1", 8118, timeout=100)
c.request("POST", "/v1/messages", json.dumps({"model": "m", "max_tokens": 10, "messages": [
          {"role": "user", "content": "hi"}]}), {"content-type": "application/json"})
print("life", len(open("life").read()), "home", len(open(os.path.expanduser("~/home")).read()),
      json.loads(c.getresponse().read())["content"][0]["text"], flush=True)
time.sleep(1000)
"""
RESET = 99


def before(results):
    prepare_machine()
    agent("demo", "/usr/bin/python3", "-c", PROGRAM, runtime="echo")
    session = Session("demo-rebooted")
    with Echo():
        session.starts(results)
        results.ok("and works", session.wait_said("life 1 home 1 hi"), session.journalctl())
        results.finish()
        sys.stdout.flush()
        # The session goes on until the machine does not.
        os._exit(RESET)


def after(results):
    session = Session("demo-rebooted")
    results.equal("no session", (session.active(), os.listdir(SESSIONS), os.listdir(OUTCOMES)), ("inactive", [], []))
    results.equal("no process", of_sessions(), {})
    for unit in ("anet-gateway.socket", "anet-upstream.socket", "anet-tunnel.socket", "anet-probe.service"):
        results.ok("%s came up by itself" % unit, wait_for(lambda: systemctl("is-active", unit)[0] == 0),
                   systemctl("status", unit)[1])
    results.ok("the sockets and the table are there", all(map(os.path.exists, (
        GATEWAY_SOCKET, UPSTREAM_SOCKET, RUN_ANET + "/strategies.json"))), os.listdir(RUN_ANET))
    results.equal("no unit has failed", systemctl("--failed", "--no-legend", "--plain", "--all", "list-units", "anet*")[1]
                  .strip(), "")
    prepare_machine()
    path = os.path.join(session.workspace, "life")
    results.ok("the workspace is as it was, and the account's", read(path) == "x" and os.stat(path).st_uid ==
               pwd.getpwnam("anet").pw_uid, os.path.exists(path) and os.stat(path))
    with Echo():
        session.starts(results, "the same ID starts again")
        results.ok("with its workspace and home", session.wait_said("life 2 home 2 hi"), session.journalctl())
        session.stop()
    results.equal("nothing is left", wait_nothing_left(session), "")


run_test(after if sys.argv[1:] == ["after"] else before)

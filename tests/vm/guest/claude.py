#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: suite=bookworm timeout=400
"""The real Claude Code under `systemctl start anet-session@claude`: it does its
task, and reaches its model only through the gateway."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from service import KEY, Model  # noqa: E402
from units import Session, helpers, wait_nothing_left  # noqa: E402
from vm import Skip, read, run_test, wait_for  # noqa: E402
import claude  # noqa: E402


def configure():
    import json
    from units import CONFIG
    os.makedirs(os.path.join(CONFIG, "agents.d"), exist_ok=True)
    with open(os.path.join(CONFIG, "agents.d", "claude.json"), "w") as file:
        json.dump({"runtime": "claude", "arguments": [
            "-p", "Create hello.txt with a greeting and list the folder", "--dangerously-skip-permissions"]}, file)


def test(results):
    if not os.path.exists("/usr/local/bin/claude"):
        raise Skip("this machine has no disk with Claude Code")
    configure()
    session = Session("claude")
    with Model(cwd=session.workspace) as model:
        status, text, seconds = session.start()
        results.equal("systemctl start", (status, text), (0, ""), session.journalctl())
        results.ok("it ends", session.wait_end(330), session.journalctl("-n", "50"))
        facts = session.properties("ActiveState", "Result", "ExecMainStatus")
        results.equal("as a success", facts, {"ActiveState": "inactive", "Result": "success", "ExecMainStatus": "0"},
                      session.journalctl("-n", "50"))
        results.contains("its reply is in the journal", session.said(), "Done: hello.txt is written.")
        results.equal("the file is there", read(os.path.join(session.workspace, "hello.txt")), "hello from the stub\n")
        requests = model.requests()
        results.ok("the service was asked", len(requests) >= 3, len(requests))
        claude.KEY = KEY
        claude.check_requests(results, "requests", requests, "claude-haiku-5-5")
        results.equal("nothing else was asked of the service", {record["path"].split("?")[0] for record in model.records} -
                      {"/v1/messages", "/v1/messages/count_tokens"}, set())
        results.equal("nothing was refused", [code for code in session.reasons() if code not in (
            "ok", "client_gone", "supervisor_gone")], [], session.journalctl("-n", "50"))
        results.equal("nothing is left", wait_nothing_left(session), "")
        results.equal("no helper is left", wait_for(lambda: not helpers()) and {}, {}, helpers())


run_test(test)

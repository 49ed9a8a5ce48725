#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the first step of a session's unit makes, with its modes and owners."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import private, product_test  # noqa: E402
from unit_session import (ACCOUNT_ID, FIRST_UID, HOMES, RUN, SESSIONS, UIDS, WORK, Machine, look, overlays,  # noqa: E402
                          run_record)

WRITABLE, PROGRAM, ASSIGNED = 1, 2, 4
SEPARATE_UIDS, UNIT, PROTECT = 4, 16, 32


def check_demo(results, machine):
    result = machine.prepare("demo")
    results.equal("it prepares", result.status, 0, result)
    results.equal("and says nothing", (result.errors, result.journal), ("", []))
    for path, want in (
            (RUN, ("0o40755", 0, 0)), (SESSIONS, ("0o40750", 0, ACCOUNT_ID)), (UIDS, ("0o40700", 0, 0)),
            (SESSIONS + "/demo-main", ("0o40755", 0, 0)), (SESSIONS + "/demo-main/policy", ("0o100444", 0, 0)),
            (SESSIONS + "/demo-main/run", ("0o100400", 0, 0)), (SESSIONS + "/demo-main/unit", ("0o100444", 0, 0)),
            (SESSIONS + "/demo-main/live", ("0o40755", FIRST_UID, FIRST_UID)),
            ("%s/%d" % (UIDS, FIRST_UID), ("0o100600", 0, 0)),
            (os.path.dirname(WORK), ("0o40755", 0, 0)), (WORK, ("0o40700", 0, 0)), (WORK + "/demo", ("0o40700", 0, 0)),
            (WORK + "/demo/main", ("0o40700", ACCOUNT_ID, ACCOUNT_ID)), (HOMES, ("0o40700", 0, 0)),
            (HOMES + "/demo-main", ("0o40700", ACCOUNT_ID, ACCOUNT_ID))):
        results.equal("mode and owner of " + path, look(path), want)
    results.equal("nothing else", sorted(os.listdir(SESSIONS + "/demo-main")), ["live", "policy", "run", "unit"])
    results.equal("the pair is the session's", machine.reserved(), {"demo-main": FIRST_UID})
    policy = machine.policy("demo-main")
    results.equal("uids in the policy", (policy["supervisor_uid"], policy["run_uid"]), (FIRST_UID, FIRST_UID + 1))
    results.equal("names in the policy", (policy["session"], policy["agent"], policy["runtime"]),
                  (b"demo-main", b"demo", b"command"))
    results.equal("flags of the policy", policy["flags"], SEPARATE_UIDS | UNIT | PROTECT)
    run = run_record("demo-main")
    results.equal("workspace", (run["workspace"], run["workspace_flags"]), (WORK + "/demo/main", ASSIGNED))
    results.equal("home", run["mounts"], [(HOMES + "/demo-main", "/home/agent", WRITABLE | ASSIGNED)])
    results.equal("command", run["argv"], ["sh", "-c", "true"])
    with open(SESSIONS + "/demo-main/unit") as file:
        lines = file.read().split("\n")
    results.ok("the unit's record", lines[0] == "anet-session@demo" and len(lines) == 3 and lines[2] == "", lines)


def check_more(results, machine):
    results.equal("another interaction", machine.prepare("demo-i1").status, 0)
    results.equal("has uids of its own", machine.reserved(), {"demo-main": FIRST_UID, "demo-i1": FIRST_UID + 2})
    results.equal("and a directory beside, not inside", run_record("demo-i1")["workspace"], WORK + "/demo/i1")

    # A start whose end was cut off together with its last step.
    with open(SESSIONS + "/demo-main/live/state", "w"):
        pass
    with open(WORK + "/demo/main/kept", "w"):
        pass
    os.chmod(WORK + "/demo/main", 0o2000)
    again = machine.prepare("demo")
    results.equal("a second start after a crash", again.status, 0, again)
    results.equal("its records are new", os.listdir(SESSIONS + "/demo-main/live"), [])
    results.equal("no pair is lost", sorted(machine.reserved()), ["demo-i1", "demo-main"])
    results.ok("the workspace is kept", os.path.exists(WORK + "/demo/main/kept"))
    results.equal("and its own again", look(WORK + "/demo/main"), ("0o40700", ACCOUNT_ID, ACCOUNT_ID))

    # Half a directory: its maker was killed.
    os.rename(SESSIONS + "/demo-i1", SESSIONS + "/.demo-i1")
    os.unlink(SESSIONS + "/.demo-i1/unit")
    results.equal("a start after half a preparation", machine.prepare("demo-i1").status, 0)
    results.equal("which is gone", machine.sessions(), ["demo-i1", "demo-main"])

    at_once = [machine.begin("anet-prepare", "demo-x%d" % i) for i in range(8)]
    results.equal("eight at once", [process.wait(30) for process in at_once], [0] * 8)
    pairs = machine.reserved()
    results.ok("each with a pair of its own", len(pairs) == 10 and len(set(pairs.values())) == 10, pairs)


def check_operators(results, machine):
    place = "/home/%s/project" % private.USER_NAME
    os.mkdir(place)
    os.chown(place, private.USER_ID, private.USER_ID)
    os.symlink(place, "/home/link")
    before = look(place)
    machine.agent("chosen", runtime="command", arguments=["true"], workspace="/home/link")
    result = machine.prepare("chosen")
    results.equal("an operator's workspace", result.status, 0, result)
    run = run_record("chosen-main")
    results.equal("is used by its own name, and by no right of anet", (run["workspace"], run["workspace_flags"]),
                  (place, 0))
    results.equal("and is left as it is", look(place), before)
    results.ok("nothing is assigned beside", not os.path.exists(WORK + "/chosen"))

    # Root's own home is nobody's configuration here.
    os.makedirs("/root/.config/anet/agents.d", exist_ok=True)
    with open("/root/.config/anet/agents.d/demo.json", "w") as file:
        file.write('{"runtime": "command", "arguments": ["evil"]}')
    machine.prepare("demo", XDG_CONFIG_HOME="/root/.config", XDG_RUNTIME_DIR="/root")
    results.equal("root's home does not matter", run_record("demo-main")["argv"], ["sh", "-c", "true"])

    machine.model_agent()
    machine.key()
    result = machine.prepare("coder")
    results.equal("an agent with a model service", result.status, 0, result)
    policy = machine.policy("coder-main")
    results.equal("its policy", (policy["credential"], policy["host"], policy["flags"]),
                  (b"anthropic", b"api.anthropic.com", SEPARATE_UIDS | UNIT | PROTECT))
    with open(SESSIONS + "/coder-main/run", "rb") as file:
        results.ok("the key is in no record", b"sk-test-of-a-unit" not in file.read())


def test(results):
    machine = Machine()
    check_demo(results, machine)
    check_more(results, machine)
    check_operators(results, machine)


product_test(test, overlays=overlays())

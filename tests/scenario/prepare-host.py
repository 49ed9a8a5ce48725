#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the first step of anet-host@.service makes and refuses: a session without a
boundary, under its own unit only (SPEC S1.5, S1.7, S2.3, S4.1)."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import product_test  # noqa: E402
from records import STRATEGY_HOST  # noqa: E402
from unit_session import FIRST_UID, HOST_ACCOUNT_ID, HOST_WORK, SESSIONS, WORK, Machine, look, overlays, run_record  # noqa: E402

SEPARATE_UIDS, UNIT = 4, 16


def made(results, machine):
    result = machine.prepare(["--host", "free"])
    results.equal("it prepares", (result.status, result.errors), (0, ""), result)
    policy, run = machine.policy("free-main"), run_record("free-main")
    results.equal("the policy", (policy["strategy"], policy["flags"], policy["supervisor_uid"], policy["run_uid"]),
                  (STRATEGY_HOST, SEPARATE_UIDS | UNIT, FIRST_UID, HOST_ACCOUNT_ID))
    results.equal("the workspace", run["workspace"], HOST_WORK + "/free/main")
    results.equal("no mounts", run["mounts"], [])
    env = dict(line.split("=", 1) for line in run["env"])
    results.equal("the account's environment", [env.get(name) for name in ("HOME", "USER", "LOGNAME")],
                  ["/var/lib/anet-host", "anet-host", "anet-host"])
    results.lacks("nothing of the unit's own", " ".join(run["env"]), "NOTIFY_SOCKET")
    for path, want in ((HOST_WORK, ("0o40711", 0, 0)), (HOST_WORK + "/free", ("0o40711", 0, 0)),
                       (HOST_WORK + "/free/main", ("0o40700", HOST_ACCOUNT_ID, HOST_ACCOUNT_ID))):
        results.equal("mode and owner of " + path, look(path), want)
    with open(SESSIONS + "/free-main/unit") as file:
        results.equal("the unit's record", file.readline(), "anet-host@free\n")
    result = machine.outcome("free", "exit-code", code=None)
    results.equal("the last step of the other unit leaves it", (result.status, machine.sessions()), (0, ["free-main"]), result)
    result = machine.outcome(["--host", "free"])
    results.equal("its own does not", (result.status, machine.sessions(), machine.reserved()), (0, [], {}), result)
    # No probe is needed for it, and none is waited for.
    os.unlink("/run/anet/strategies.json")
    result = machine.prepare(["--host", "free"])
    results.equal("without a table of the probe", result.status, 0, result)
    machine.outcome(["--host", "free"])
    machine.strategies()


def refused(results, machine, what, arguments, code, *parts):
    result = machine.prepare(arguments)
    results.ok(what, result.status != 0 and "[%s]" % code in result.errors and all(part in result.errors for part in parts), result)
    results.equal("... nothing is made", (machine.sessions(), machine.reserved()), ([], {}))
    results.equal("... one record says so", [record["ANET_REASON"] for record in result.journal if record["ANET_REASON"] != "key_retired"], [code],
                  result.journal)


def wrong_units(results, machine):
    refused(results, machine, "a host agent under the sandbox's unit", "free", "wrong_unit",
            'agent "free" runs its sessions without a boundary: `systemctl start anet-host@free`')
    refused(results, machine, "... an interaction of it", "free-i1", "wrong_unit", "`systemctl start anet-host@free-i1`")
    refused(results, machine, "a sandboxed agent under the host's unit", ["--host", "demo"], "wrong_unit",
            'agent "demo" runs its sessions in a sandbox: `systemctl start anet-session@demo`')
    refused(results, machine, "no agent's name", ["--host", "../free"], "session_name_invalid")
    for arguments in ([], ["--host"], ["--hots", "free"], ["free", "--host"], ["--host", "free", "x"]):
        result = machine.run("anet-prepare", arguments)
        results.ok("arguments %s" % arguments, result.status == 64, result)


def off(results, machine):
    sentence = 'agent "free" runs its sessions in the host strategy, which this machine cannot run: sandbox.host is off on this machine'
    for name, value in (("sandbox.host", {"sandbox": {"host": False}}), ("requireSandbox", {"security": {"requireSandbox": True}})):
        path = machine.config("config.json", value)
        refused(results, machine, name, ["--host", "free"], "strategy_off", sentence)
        refused(results, machine, name + ": under the other unit too", "free", "strategy_off", sentence)
        os.unlink(path)
    with open("/run/anet/require-sandbox", "w"):
        pass
    refused(results, machine, "`anet restart --require-sandbox`", ["--host", "free"], "strategy_off")
    os.unlink("/run/anet/require-sandbox")


def accounts(results, machine):
    machine.accounts(anet=True, host=None)
    refused(results, machine, "no account", ["--host", "free"], "account_missing", "`anet-host`", "`host.user`")
    machine.accounts(anet=True, host=0)
    refused(results, machine, "an account that is root", ["--host", "free"], "account_missing", "is root")
    machine.accounts(anet=True)
    path = machine.config("config.json", {"host": {"user": "nobody-at-all"}})
    refused(results, machine, "another account", ["--host", "free"], "account_missing", "`nobody-at-all`")
    os.unlink(path)


def workspaces(results, machine):
    """Never where sessions in a sandbox keep theirs."""
    for place in (WORK, WORK + "/demo/main", "/var/cache/anet", HOST_WORK + "/other/main"):
        os.makedirs(place, exist_ok=True)
        machine.agent("near", runtime="command", strategy="host", arguments=["true"], workspace=place)
        refused(results, machine, "a workspace at " + place, ["--host", "near"], "never_visible")
    os.symlink(WORK, "/var/lib/link")
    machine.agent("near", runtime="command", strategy="host", arguments=["true"], workspace="/var/lib/link")
    refused(results, machine, "a link to one", ["--host", "near"], "never_visible")


def homes(results, machine):
    machine.agent("brief", runtime="command", home="ephemeral", arguments=["true"])
    results.equal("a home that is not kept", machine.prepare("brief").status, 0)
    results.equal("... is none of the session's mounts", run_record("brief-main")["mounts"], [])
    results.ok("... and none is made", not os.path.exists("/var/lib/anet/homes/brief-main"))


def test(results):
    machine = Machine()
    machine.agent("free", runtime="command", strategy="host", arguments=["sh", "-c", "true"])
    for part in (made, wrong_units, off, accounts, workspaces, homes):
        part(results, machine)


product_test(test, overlays=overlays())

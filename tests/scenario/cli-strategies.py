#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=240
"""anet strategies (SPEC S1.9): each strategy with its state and reason word for word,
the saved choice also when it cannot run, and an exit status that tells whether a
session could start."""
import json
import os
import re
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import machine  # noqa: E402
from harness import ANET, HELPERS, Terminal, World, private, product_test, worlds  # noqa: E402

TABLE = "/run/anet/strategies.json"
NO_SUCH = 'this machine has no "docker" execution strategy'
NOT_BUILT = "microsandbox is not part of this build"
GONE = "not offered where this agent is placed"


def off(name):
    return "sandbox.%s is off on this machine" % name


def show(world, *words):
    return world.run([ANET, "strategies", *words])


def as_json(world, *words):
    result, value = world.run_json([ANET, "strategies", *words], {})
    rows = {row["name"]: row for row in value.get("strategies", ())}
    return result, value, rows


def plain(results, world):
    result, (json_result, value, rows) = show(world), as_json(world)
    results.equal("exit status", (result.status, json_result.status), (0, 0), result)
    results.equal("its members", sorted(value), sorted(["schema", "agent", "probed", "strategies", "saved", "strategy", "new_agent",
                                                        "can_run", "code", "detail"]))
    results.equal("schema and choice", (value["schema"], value["agent"], value["saved"], value["strategy"], value["new_agent"]),
                  ("anet.strategies/1", None, None, None, "host"))
    results.equal("in their order", [row["name"] for row in value["strategies"]], ["host", "srt", "microsandbox"])
    results.ok("host is no boundary", rows["host"]["boundary"].startswith("no boundary"), rows)
    results.equal("microsandbox", (rows["microsandbox"]["available"], rows["microsandbox"]["reason"]), (False, NOT_BUILT))
    for part in ("no boundary", NOT_BUILT, "available", "default", "A new agent gets host."):
        results.contains("the table has: " + part, result.text, part)
    results.ok("one line for each boundary", all(row["boundary"] and "\n" not in row["boundary"] for row in value["strategies"]))


CASES = (
    # name, sandbox, agent's strategy, status, what the row of it says, what the choice shows
    ("saved, runs", {}, "host", 0, None, None),
    ("saved, withdrawn", {"host": False}, "host", 77, off("host"), GONE),
    ("srt, withdrawn", {"srt": False}, "srt", 77, off("srt"), GONE),
    ("none saved, srt off", {"srt": False}, None, 77, off("srt"), off("srt")),
    ("microsandbox", {}, "microsandbox", 69, NOT_BUILT, NOT_BUILT),
    ("unknown", {}, "docker", 78, None, NO_SUCH),
)


def agents(results, world):
    for name, sandbox, saved, status, reason, shown in CASES:
        world.config({"sandbox": sandbox})
        world.agent("demo", dict({"runtime": "command"}, **({"strategy": saved} if saved else {})))
        result, (json_result, value, rows) = show(world, "--agent", "demo"), as_json(world, "--agent", "demo")
        results.equal(name + ": exit status", (result.status, json_result.status), (status, status), result)
        results.equal(name + ": the choice stays", (value["agent"], value["saved"], value["strategy"], value["can_run"]),
                      ("demo", saved, saved or "srt", status == 0))
        results.equal(name + ": what it shows", value["detail"], shown)
        if shown:
            results.contains(name + ": in the text", " ".join(result.text.split()), "cannot start: %s." % shown)
        if reason:
            results.equal(name + ": the row", rows[saved or "srt"]["reason"], reason)
    world.config({"sandbox": {"host": False, "srt": False}})
    result = show(world)
    results.equal("nothing can run: exit status", result.status, 69, result)
    results.contains("and its sentence", " ".join(result.text.split()),
                     "startup refused: no execution strategy can run on this machine (host: %s; srt: %s; microsandbox: %s)"
                     % (off("host"), off("srt"), NOT_BUILT))
    world.config({})


def usage(results, world):
    for name, words, status, part in (("an argument", ["demo"], 64, "`--agent NAME`"),
                                      ("an unknown option", ["--agnt", "x"], 64, "did you mean `--agent`?"),
                                      ("no such agent", ["--agent", "demoo"], 78, "did you mean `demo`?"),
                                      ("no agent's name", ["--agent", "../x"], 78, "no agent can be called"),
                                      ("an escape", ["--agent", "\033[2J"], 78, "\\x1b[2J")):
        result = show(world, *words)
        results.ok("refused: " + name, result.status == status and part in result.errors and not result.out and
                   b"\033" not in result.err, result)
    world.agent("loud", {"runtime": "command", "strategy": "\033]0;x\007"})
    result = show(world, "--agent", "loud")
    results.ok("a strategy's name does nothing to a terminal", result.status == 78 and b"\033" not in result.out and
               "\\x1b]0;x\\x07" in result.text, result)
    terminal = Terminal([ANET, "strategies"], columns=64, env=world.env, **world.identity())
    terminal.wait(10)
    text = terminal.read()
    terminal.close()
    lines = re.sub(r"\x1b\[\d*m", "", text).replace("\r", "").splitlines()
    results.ok("in a narrow terminal, with colours", max(len(line) for line in lines) <= 64 and
               "\x1b[32mavailable\x1b[0m" in text, text)


def write_table(identity, at, srt):
    host = {"strategy": "host", "offered": True, "available": True, "code": "", "reason": "", "boundary": "b"}
    micro = {"strategy": "microsandbox", "offered": True, "available": False, "code": "strategy_not_built", "reason": NOT_BUILT,
             "boundary": "b"}
    with open(TABLE, "w") as file:
        json.dump({"at": at, "identity": identity, "strategies": [host, dict({"strategy": "srt", "offered": True, "boundary": "b"},
                                                                             **srt), micro]}, file)
    os.chmod(TABLE, 0o644)


def boot_table(results, root, user):
    """What the boot probe found counts for root while it is fresh; for nobody else."""
    machine.anet_directory()
    results.equal("the boot probe", root.run([os.path.join(HELPERS, "anet-strategies")]).status, 0)
    with open(TABLE) as file:
        identity = json.load(file)["identity"]
    bad = {"available": False, "code": "userns_blocked", "reason": "bwrap said: no"}
    now = int(time.time())
    write_table(identity, now, bad)
    result, value, rows = as_json(root, "--agent", "command")
    results.equal("root sees it", (result.status, rows["srt"]["reason"], value["code"]), (69, "bwrap said: no", "userns_blocked"))
    results.equal("another account has its own", as_json(user, "--agent", "command")[0].status, 0)
    for name, change in (("an old one", (identity, now - 301)), ("one of something else", ("x", now))):
        write_table(*change, bad)
        results.equal(name + " says nothing", as_json(root, "--agent", "command")[0].status, 0)
    write_table(identity, now, bad)
    os.chmod(TABLE, 0o646)
    results.equal("nor does one that others write", as_json(root, "--agent", "command")[0].status, 0)
    os.unlink(TABLE)


def test(results):
    for world in worlds():
        for part in (plain, agents, usage):
            with results.under("as %s: %s: " % (world.user, part.__name__)):
                part(results, world)
    if private.is_root:
        with results.under("the table of the boot probe: "):
            boot_table(results, World("root"), World("user"))


product_test(test)

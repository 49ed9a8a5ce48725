#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=240
"""anet models: what both models.json have of each service, which model an agent's requests go to and why, and what
a request for another one loses; a session's policy has the same."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import machine  # noqa: E402
from harness import ANET, Terminal, private, product_test, worlds  # noqa: E402

ANTHROPIC, OPENAI = "api.anthropic.com", "api.openai.com"
OURS = os.path.join(private.PREFIX, "share", "anet", "models.json")
THEIRS = os.path.join(machine.config_directory(), "models.json")


def show(world, *words):
    return world.run([ANET, "models", *words])


def as_json(world, *words):
    result, value = world.run_json([ANET, "models", *words], {})
    models = {(row["service"], row["model"]): row for row in value.get("models", ())}
    return result, value, models, {row["name"]: row for row in value.get("agents", ())}


def plain(results, world):
    result, (json_result, value, models, agents) = show(world), as_json(world)
    results.equal("exit status", (result.status, json_result.status), (0, 0), result)
    results.equal("its members", sorted(value), ["agents", "files", "models", "schema"])
    results.equal("schema, files, agents", (value["schema"], value["files"], agents), ("anet.models/1", [OURS], {}))
    results.equal("members of a model", sorted(value["models"][0]),
                  sorted(["service", "model", "aliases", "in", "out", "takes", "deprecated", "cheapest", "agents", "file"]))
    haiku = models[ANTHROPIC, "claude-haiku-5-5"]
    results.equal("the cheapest one", (haiku["in"], haiku["out"], haiku["aliases"], haiku["cheapest"], haiku["takes"]),
                  (0.1, 0.5, ["haiku"], True, ["thinking_adaptive", "effort"]))
    results.contains("a price as it is written", json_result.text, '"in": 0.10,')
    results.equal("no price", (models[OPENAI, "gpt-6.2-sol"]["in"], models[OPENAI, "gpt-6.2-sol"]["out"]), (None, None))
    results.equal("the cheapest of each", sorted(key for key, row in models.items() if row["cheapest"]),
                  [(ANTHROPIC, "claude-haiku-5-5"), (OPENAI, "gpt-6-luna")])
    rows = [line.split() for line in result.text.splitlines()]
    results.equal("headings", rows[0], ["SERVICE", "MODEL", "ALIASES", "IN", "OUT", "CHOICE", "TAKES"])
    results.ok("a row", [ANTHROPIC, "claude-haiku-5-5", "haiku", "0.10", "0.50", "cheapest", "thinking_adaptive",
                         "effort"] in rows, result)
    results.contains("where it is from", result.text, OURS)


# name, what the agent's file has, model, cause, known, words of the sentence, what a request loses
CASES = (
    ("none", {}, "claude-haiku-5-5", "cheapest", True, "the cheapest one: " + OURS,
     ["thinking.budget_tokens (the type becomes adaptive)", "thinking of type disabled", "temperature", "top_p", "top_k"]),
    ("an alias", {"model": "opus"}, "claude-opus-5-5", "alias", True, "opus is an alias of " + OURS,
     ["thinking.budget_tokens (the type becomes adaptive)", "thinking of type disabled", "temperature", "top_p", "top_k"]),
    ("an id", {"model": "claude-haiku-4-5"}, "claude-haiku-4-5", "id", True, "named in ",
     ["thinking of type adaptive", "output_config.effort"]),
    ("an id with a date", {"model": "claude-haiku-4-5-20251001"}, "claude-haiku-4-5-20251001", "id", True, "named in ",
     ["thinking of type adaptive", "output_config.effort"]),
    ("takes all", {"model": "claude-opus-4-6"}, "claude-opus-4-6", "id", True, "named in ", []),
    ("takes little", {"model": "claude-3-5-haiku-latest"}, "claude-3-5-haiku-latest", "id", True, "named in ",
     ["thinking of type enabled", "thinking of type adaptive", "thinking of type disabled", "output_config.effort"]),
    ("mistyped", {"model": "sonet"}, "sonet", "id", False, "models.json does not have it, did you mean `sonnet`?", None),
    ("unknown", {"model": "another-thing-1"}, "another-thing-1", "id", False, "; models.json does not have it", None),
    ("left to it", {"model": "agent"}, None, "agent", False, "left to the agent in ", None),
)


def agents(results, world):
    for name, members, model, cause, known, part, drops in CASES:
        path = world.agent("demo", dict({"runtime": "claude"}, **members))
        result, (json_result, value, models, named) = show(world, "--agent", "demo"), as_json(world, "--agent", "demo")
        row = named["demo"]
        results.equal(name + ": exit status", (result.status, json_result.status), (0, 0), result)
        results.equal(name + ": what it gets", (row["service"], row["model"], row["cause"], row["known"], row["code"]),
                      (ANTHROPIC, model, cause, known, None))
        results.equal(name + ": what is written, where", (row["configured"], row["file"], row["line"]),
                      (members.get("model"), path if members else None, 1 if members else None))
        results.equal(name + ": what a request loses", row["drops"], drops)
        results.contains(name + ": why", row["why"], part)
        results.contains(name + ": in the text", " ".join(result.text.split()), part)
        results.equal(name + ": only its service", {key[0] for key in models}, {ANTHROPIC})
        results.equal(name + ": its row", [key[1] for key, of in models.items() if of["agents"] == ["demo"]],
                      [model] if (ANTHROPIC, model) in models else [])
        if drops:
            results.contains(name + ": its end", " ".join(result.text.split()),
                             "A request for another model loses: %s." % ", ".join(drops))
    world.agent("tool", {"runtime": "command"})
    world.agent("broken", {"runtime": "claude", "modell": "opus"})
    result, (_, _, _, named) = show(world), as_json(world)
    results.equal("all of them: exit status", result.status, 0, result)
    results.equal("all of them", sorted(named), ["broken", "demo", "tool"])
    results.equal("without a service", (named["tool"]["service"], named["tool"]["model"], named["tool"]["cause"]),
                  (None, None, None))
    results.equal("a file that is wrong", (named["broken"]["code"], named["broken"]["model"]), ("config_invalid", None))
    results.contains("and what is wrong", named["broken"]["why"], "did you mean `model`?")
    results.equal("a runtime's name", as_json(world, "--agent", "claude")[3]["claude"]["model"], "claude-haiku-5-5")


def usage(results, world):
    world.agent("demo", {"runtime": "claude"})
    for name, words, status, part in (("an argument", ["demo"], 64, "`--agent NAME`"),
                                      ("an unknown option", ["--agnt", "x"], 64, "did you mean `--agent`?"),
                                      ("no such agent", ["--agent", "demoo"], 78, "did you mean `demo`?"),
                                      ("a file that is wrong", ["--agent", "broken"], 78, "did you mean `model`?"),
                                      ("an escape", ["--agent", "\033[2J"], 78, "\\x1b[2J")):
        result = show(world, *words)
        results.ok("refused: " + name, result.status == status and part in result.errors and not result.out and
                   b"\033" not in result.err, result)
    terminal = Terminal([ANET, "models"], columns=100, env=world.env, **world.identity())
    terminal.wait(10)
    text = terminal.read()
    terminal.close()
    results.ok("in a terminal, with colours", "\x1b[32mcheapest; of demo\x1b[0m" in text, text)


def operators(results, world):
    """What /etc/anet/models.json has, counts; the rest is ours."""
    world.any_claude()
    os.makedirs(os.path.dirname(THEIRS), exist_ok=True)
    with open(THEIRS, "w") as file:
        json.dump({ANTHROPIC: {"cheapest": "claude-opus-5-5", "aliases": {"opus": "claude-opus-9", "best": "claude-opus-5-5"},
                               "models": [{"id": "claude-haiku-5-5", "in": 7, "out": 8.5}]},
                   "llm.example": {"models": [{"id": "free", "in": 0, "out": 0, "takes": ["sampling"]}]}}, file)
    os.chmod(THEIRS, 0o644)
    result, value, models, _ = as_json(world)
    results.equal("both files", value["files"], [THEIRS, OURS], result)
    row = models[ANTHROPIC, "claude-haiku-5-5"]
    results.equal("a model of both", (row["in"], row["out"], row["takes"], row["cheapest"], row["file"]), (7, 8.5, None, False, THEIRS))
    row = models[ANTHROPIC, "claude-opus-5-5"]
    results.equal("a model of ours", (row["in"], row["cheapest"], row["aliases"], row["file"]), (4, True, ["best"], OURS))
    row = models[ANTHROPIC, "claude-opus-9"]
    results.equal("one that only has an alias", (row["in"], row["takes"], row["aliases"], row["file"]), (None, None, ["opus"], THEIRS))
    results.equal("a service of theirs", models["llm.example", "free"]["takes"], ["sampling"])
    results.ok("and ours is still there", (OPENAI, "gpt-6-luna") in models)
    world.agent("demo", {"runtime": "claude"})
    result, _, _, named = as_json(world, "--agent", "demo")
    results.equal("what an agent gets", (named["demo"]["model"], named["demo"]["why"]),
                  ("claude-opus-5-5", "the cheapest one: " + THEIRS), result)
    text = show(world).text
    results.contains("it is said in the text", text, "operator's   " + THEIRS)
    for name, content, part in (("no JSON", "{", "models.json, line 1"),
                                ("a key that nobody knows", '{\n"%s": {"aliasses": {}}}' % ANTHROPIC, "line 2: `%s.aliasses` is not a key "
                                 "that anet knows; did you mean `aliases`?" % ANTHROPIC),
                                ("a word that nobody knows", '{"x.example": {"models": [{"id": "a",\n"takes": ["samplin"]}]}}',
                                 "line 2: `x.example.models[0].takes[0]` must be one of")):
        with open(THEIRS, "w") as file:
            file.write(content)
        for command in (["models"], ["run", "--agent", "claude", "--", "true"]):
            result = world.run([ANET, *command])
            results.ok("%s: %s is refused" % (name, command[0]), result.status == 78 and part in result.errors, result)
        result = world.run([ANET, "config", "check"])
        results.ok(name + ": config check tells it", result.status == 78 and part in " ".join((result.text + result.errors).split()), result)
    os.unlink(THEIRS)


def test(results):
    for world in worlds():
        for part in (plain, agents, usage) + ((operators,) if private.is_root else ()):
            with results.under("as %s: %s: " % (world.user, part.__name__)):
                part(results, world)


product_test(test, overlays=machine.config_overlays() if private.is_root else ())

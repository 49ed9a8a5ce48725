#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""anet run --task: one task for an agent, as its runtime says it to the program; and
what a person at a terminal gets."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ANET, Terminal, private, product_test, worlds  # noqa: E402
from unit_session import CONFIG, overlays  # noqa: E402

TELL = "#!/bin/sh\nfor word in \"$@\"; do printf '[%s]' \"$word\"; done\necho; cat\n"
MOST = 127 * 1024


def define(name, **changes):
    path = os.path.join(CONFIG, "runtimes", name + ".json")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        json.dump(dict({"name": name, "program": {"names": ["tool"]}, "arguments": ["--first"],
                        "sandboxed": ["--in"], "interactive": ["--tui"]}, **changes), file)


def run(world, *words, **popen):
    return world.run([ANET, "run", *words], **popen)


def given(results, world):
    agent = ("--agent", "mine")
    for name, task in (("words", "fix it"), ("an option", "--help"), ("lines", "a\n\"b\"\n$(c) ${MODEL}\t\u00e4"),
                       ("the longest", "x" * MOST)):
        want = "[--first][--in][own][-p][--message=%s]\n" % task
        result = run(world, *agent, "--task", task)
        results.equal(name, (result.status, result.text == want), (0, True), result)
        result = run(world, *agent, "--task", "-", input=task.encode())
        results.equal(name + ", from standard input", (result.status, result.text == want), (0, True), result)
    result = run(world, *agent, "--task", "-", input=b"a\n\nb\n\n")
    results.equal("the last newlines are no part of it", result.text, "[--first][--in][own][-p][--message=a\n\nb]\n", result)
    result = run(world, *agent, "--task", "x", input=b"of the caller")
    results.equal("the agent's input is empty", result.text, "[--first][--in][own][-p][--message=x]\n", result)
    result = run(world, *agent, "--", "--task", "x", input=b"of the caller")
    results.equal("words are words", result.text, "[--first][--in][own][--task][x]\nof the caller", result)
    result = run(world, *agent)
    results.equal("nobody at a terminal", result.text, "[--first][--in][own]\n", result)


def refused(results, world):
    agent = ("--agent", "mine")
    for name, words, data, part in (
            ("with words", (*agent, "--task", "x", "y"), None, "further words"),
            ("without an agent", ("--task", "x"), None, "name it with `--agent`"),
            ("empty", (*agent, "--task", ""), None, "is empty"),
            ("no value", (*agent, "--task"), None, "task"),
            ("no input", (*agent, "--task", "-"), b"", "is empty"),
            ("only newlines", (*agent, "--task", "-"), b"\n\n", "is empty"),
            ("a NUL", (*agent, "--task", "-"), b"a\0b", "holds a NUL"),
            ("no UTF-8", (*agent, "--task", "-"), b"a\xffb", "is not UTF-8"),
            ("a surrogate", (*agent, "--task", "-"), b"\xed\xa0\x80", "is not UTF-8"),
            ("cut off", (*agent, "--task", "-"), b"\xe2\x82", "is not UTF-8"),
            ("too long", (*agent, "--task", "x" * (MOST + 1)), None, "longer than 127 KiB"),
            ("too long an input", (*agent, "--task", "-"), b"x" * (MOST + 1), "longer than 127 KiB"),
            ("a runtime without tasks", ("--agent", "silent", "--task", "x"), None, "does not say how a task"),
            ("any command", ("--agent", "command", "--task", "x"), None, "does not say how a task")):
        result = run(world, *words, input=data)
        results.ok("refused: " + name, result.status == 64 and part in result.errors and "[usage]" in result.errors and
                   not result.out, result)
    result = run(world, *agent, "--task", "-", input=b"x" * (64 * 1024 * 1024), timeout=20)
    results.ok("an input without end", result.status == 64 and "longer than 127 KiB" in result.errors, result)


def at_a_terminal(results, world):
    terminal = Terminal([ANET, "run", "--agent", "mine"], env=world.env, cwd=world.workspace, **world.identity())
    results.ok("a person gets what is for persons", terminal.expect("[--first][--in][own][--tui]"), terminal.output)
    terminal.close()


def test(results):
    define("tool", task=["-p", "--message=${TASK}"])
    define("silent")
    for world in worlds():
        world.file("bin/tool", TELL, 0o755)
        world.env["PATH"] = world.home + "/bin:" + world.env["PATH"]
        world.agent("mine", {"runtime": "tool", "arguments": ["own"]})
        with results.under("as %s: " % world.user):
            given(results, world)
            refused(results, world)
            at_a_terminal(results, world)


product_test(test, overlays=overlays())

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=240
"""Each runtime that came with anet, with a program of its name that tells how it is started:
what it is given in a sandbox and without one, and what refuses it (SPEC S5)."""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ANET, ENDPOINT, PLACEHOLDER, private, product_test, worlds  # noqa: E402

RUNTIMES = os.path.join(private.PREFIX, "share", "anet", "runtimes")
OF_SPEC = ("claude", "codex", "command", "cursor", "hermes", "openclaw", "opencode", "pi", "qwen")
TELL = """#!/bin/sh
for word in "$@"; do printf 'arg %s\\n' "$word"; done
env | sed 's/^/env /'
[ "$HOME" = /home/agent ] && find ~ -type f | while read -r file; do echo "file $file"; sed 's/^/text /' "$file"; done
echo "in $(cat)"
"""
# The key goes where this asks for it; a sandbox must have nothing of it.
KEY = "sk-of-the-operator-0123456789"


def definition(name):
    with open(os.path.join(RUNTIMES, name + ".json")) as file:
        return json.loads(re.sub(r"^\s*//.*$", "", file.read(), flags=re.MULTILINE))


def told(result, kind):
    return [line[len(kind) + 1:] for line in result.text.splitlines() if line.startswith(kind + " ")]


def refused(results, name, result, code):
    results.ok("%s: %s" % (name, code), result.status == 78 and "[%s]" % code in result.errors and not result.out, result)


def sandboxed(results, world, name, runtime):
    task = "--do \"this\"\nand that"
    result = world.run([ANET, "run", "--agent", "x", "--task", "-"], input=task.encode())
    words, env = told(result, "arg"), told(result, "env")
    results.equal(name + ": it runs", result.status, 0, result)
    results.lacks(name + ": every name is replaced", result.text, "${")
    results.lacks(name + ": no key", result.text, KEY)
    results.equal(name + ": its input is empty", result.text.rstrip().splitlines()[-1:], ["in"], result)
    results.ok(name + ": the task, once", result.text.count('--do "this"\nand that') == 1, result)
    # Else its first bytes could be an option of the program's.
    last = words.index(next(word for word in words if '--do "this"' in word))
    results.ok(name + ": behind an option or --", words[last] != '--do "this"' or words[last - 1].startswith("-"), words)
    results.ok(name + ": switched off in a sandbox", all(word.replace("${MODEL}", "m-1") in words
                                                         for word in runtime.get("sandboxed", ())), words)
    everything = "\n".join(words + env + told(result, "text"))
    results.ok(name + ": endpoint, key and model", "%s:%d" % ENDPOINT in everything and PLACEHOLDER in everything and
               "m-1" in everything, everything)
    results.equal(name + ": its files", sorted(told(result, "file")),
                  sorted("/home/agent/" + path for path in runtime.get("files", ())))
    for path in runtime.get("files", ()):
        text = "\n".join(world.run([ANET, "run", "--agent", "x", "--", "x"]).text.split("file /home/agent/%s\n" % path)[-1]
                         .split("\nfile ")[0].split("\nin")[0].replace("text ", "").splitlines())
        results.ok("%s: %s is JSON" % (name, path), is_json(text), text)


def is_json(text):
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def of_service(results, world, name, runtime):
    """Without a key, a base, a model."""
    base = {} if "host" in runtime else {"api_base": "https://models.example/v1"}
    key = {runtime["credential"]["env"][0]: KEY}
    whole = dict(runtime=name, strategy="srt", model="m-1", **base)
    world.agent("x", whole)
    refused(results, name, world.run([ANET, "run", "--agent", "x", "--task", "x"]), "no_api_key")
    if base and runtime.get("api_base") != "optional":
        world.agent("x", {name: value for name, value in whole.items() if name != "api_base"})
        refused(results, name, world.run([ANET, "run", "--agent", "x", "--task", "x"], env=key), "no_api_base")
    world.agent("x", {name: value for name, value in whole.items() if name != "model"})
    result = world.run([ANET, "run", "--agent", "x", "--task", "x"], env=key)
    if base:
        refused(results, name, result, "no_model")
    else:
        results.equal(name + ": its service has a cheapest model", result.status, 0, result)
        world.agent("x", dict(whole, api_base="https://models.example/v1"))
        refused(results, name + ": another base", world.run([ANET, "run", "--agent", "x", "--task", "x"], env=key),
                "config_invalid")
    world.agent("x", whole)
    world.env.update(key)
    sandboxed(results, world, name, runtime)
    world.agent("x", dict(whole, strategy="host"))
    result = world.run([ANET, "run", "--agent", "x", "--task", "x"])
    if runtime.get("files"):
        refused(results, name + " without a sandbox", result, "files_need_sandbox")
    else:
        results.equal(name + ": without a sandbox", (result.status, [word for word in runtime.get("sandboxed", ())
                                                                     if word != "-c" and word in told(result, "arg")]),
                      (0, []), result)
        results.lacks(name + ": ... its endpoint is known", result.text, "anet-endpoint")
        results.lacks(name + ": ... and no key", result.text, KEY)
    for variable in key:
        del world.env[variable]


def test(results):
    results.equal("those of the table", sorted(name[:-5] for name in os.listdir(RUNTIMES) if name in
                                               {one + ".json" for one in OF_SPEC}), sorted(OF_SPEC))
    for world in worlds():
        world.env["PATH"] = world.home + "/bin:" + world.env["PATH"]
        with results.under("as %s: " % world.user):
            for name in OF_SPEC:
                runtime = definition(name)
                for program in runtime.get("program", {}).get("names", ()):
                    world.file("bin/" + program, TELL, 0o755)
                if "task" in runtime:
                    of_service(results, world, name, runtime)
            result = world.run([ANET, "run", "--agent", "cursor", "--task", "x"])
            refused(results, "cursor", result, "agent_unsupported")
            result, found = world.run_json([ANET, "doctor"], {"checks": []})
            found = {check["id"]: check for check in found["checks"]}
            results.equal("doctor", {name: found.get("runtime." + name, {}).get("status") for name in OF_SPEC},
                          dict({name: "ok" for name in OF_SPEC}, cursor="info"), result)
            result = world.run([ANET, "agent", "add", "y", "--runtime", "cursor", "--strategy", "srt"])
            results.ok("agent add says it", result.status == 78 and "[agent_unsupported]" in result.errors, result)
            result = world.run([ANET, "agent", "add", "y", "--runtime", "pi", "--model", "m", "--api-base",
                                "https://models.example/v1"])
            results.ok("a new agent of a runtime with files gets a sandbox", result.status == 0 and
                       "run in srt" in result.text, result)
            result = world.run([ANET, "agent", "set", "y", "--strategy", "host"])
            results.ok("... and cannot leave it", result.status == 78 and "[files_need_sandbox]" in result.errors, result)
            result = world.run([ANET, "agent", "add", "z", "--runtime", "codex", "--strategy", "srt"])
            results.ok("... and where the program is", "Its program is %s/bin/codex." % world.home in result.text, result)
            world.run([ANET, "agent", "remove", "y", "--yes"])
            world.run([ANET, "agent", "remove", "z", "--yes"])


product_test(test)

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=240
"""An agent's api_base (SPEC S5): where its runtime leaves the model service to it, its
requests go there and nowhere else; where there is none, or another one than the
runtime's own, it does not start."""
import json
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import machine  # noqa: E402
import model  # noqa: E402
from agents import agent, clean, write  # noqa: E402
from harness import ANET, KEY, private, product_test, worlds  # noqa: E402

RUNTIMES = os.path.join(private.PREFIX, "share", "anet", "runtimes")
OPEN = {"name": "open", "wire": "anthropic", "credential": {"name": "open", "env": ["OPEN_KEY"]},
        "program": {"names": ["tool"], "search": ["~/bin"]}}

# One request to the endpoint; prints the answer's first line.
ASK = r"""
import json, socket
body = json.dumps({"model": "any", "max_tokens": 5, "messages": [{"role": "user", "content": "hello"}]}).encode()
s = socket.create_connection(("127.0.0.1", 8118), timeout=10)
s.sendall(b"POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
print(s.recv(65536).split(b"\r\n")[0].decode())
"""


def ask(world, name):
    return world.run([ANET, "run", "--agent", name, "--", "/usr/bin/python3", "-c", ASK], env={"OPEN_KEY": KEY})


def served(results, world, service, other):
    base = "http://127.0.0.1:%d/gate" % service.port
    agent(world, "add", "demo", "--runtime", "open", "--strategy", "srt", "--model", "some-model", "--api-base", base)
    result = ask(world, "demo")
    records = [record for record in service.records if record.get("path") == "/gate/v1/messages"]
    results.ok("the request goes there, below its prefix", result.status == 0 and " 200 " in result.text and len(records) == 1, result)
    headers = {key.lower(): value for record in records for key, value in record["headers"]}
    results.equal("with the key, for that host", (headers.get("x-api-key"), headers.get("host")),
                  (KEY, "127.0.0.1:%d" % service.port), headers)
    results.equal("and nowhere else", other.records, [])


# What a command finds in its environment is enough to ask.
COMMAND = r"""
import os, urllib.request
request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/models", headers={"Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]})
print(urllib.request.urlopen(request, timeout=10).read().decode())
"""


def optional(results, world, service):
    """The runtime `command`: any program, and a model service where its agent names one."""
    base = "http://127.0.0.1:%d/gate/v1" % service.port
    agent(world, "add", "with", "--runtime", "command", "--strategy", "srt", "--model", "some-model", "--api-base", base)
    agent(world, "add", "without", "--runtime", "command", "--strategy", "srt")
    words = ["--", "/usr/bin/python3", "-c", COMMAND]
    result = world.run([ANET, "run", "--agent", "with"] + words, env={"OPENAI_API_KEY": KEY})
    results.ok("with an api_base it has an endpoint", result.status == 0 and '"id":"some-model"' in result.text, result)
    results.lacks("and no key", result.text, KEY)
    result = world.run([ANET, "run", "--agent", "with"] + words)
    results.ok("which needs a key", result.status == 78 and "[no_api_key]" in result.errors, result)
    result = world.run([ANET, "run", "--agent", "without", "--", "/usr/bin/env"], env={"OPENAI_API_KEY": KEY})
    results.ok("without one it has none", result.status == 0 and "OPENAI" not in result.text, result)
    result = world.run([ANET, "run", "--", "/usr/bin/env"])
    results.ok("nor without an agent", result.status == 0 and "OPENAI" not in result.text, result)


def missing(results, world):
    write(world, "none", json.dumps({"runtime": "open", "strategy": "srt", "model": "m"}))
    result = ask(world, "none")
    results.ok("none: not started, with what to do", result.status == 78 and "[no_api_base]" in result.errors and
               "`anet agent set none --api-base URL`" in result.errors and not result.out, result)
    result = agent(world, "add", "new", "--runtime", "open", "--model", "m")
    results.ok("nor saved", result.status == 78 and "[no_api_base]" in result.errors, result)
    result = agent(world, "add", "new", "--runtime", "open", "--api-base", "https://api.example.com")
    results.ok("without a model", result.status == 78 and "[no_model]" in result.errors, result)


def another(results, world):
    """Written by hand: the start is refused, by the sentence and by the program."""
    for name, runtime, base, part in (
            ("another one", "claude", "https://other.example.com", "another `api_base` is refused"),
            ("another port", "claude", "https://api.anthropic.com:8443", "another `api_base` is refused"),
            ("loopback", "claude", "http://127.0.0.1:1", "another `api_base` is refused"),
            ("not strict", "open", "https://api.example.com/", "`api_base`"),
            ("http elsewhere", "open", "http://api.example.com", "loopback"),
            ("without a service", "plain", "https://api.example.com", "uses no model service"),
            ("without TLS", "command", "http://api.example.com", "loopback")):
        write(world, "by_hand", json.dumps({"runtime": runtime, "strategy": "srt", "model": "m", "api_base": base}))
        marker = os.path.join(world.workspace, "started")
        result = world.run([ANET, "run", "--agent", "by_hand", "--", "touch", marker], env={"OPEN_KEY": KEY, "ANTHROPIC_API_KEY": KEY})
        results.ok("not started: " + name, result.status == 78 and "[config_invalid]" in result.errors and part in result.errors and
                   not os.path.exists(marker), result)


def test(results):
    ours = os.path.join(private.directory, "runtimes")
    shutil.copytree(RUNTIMES, ours)
    private.mount(ours, RUNTIMES, flags=private.MS_BIND)
    with open(os.path.join(RUNTIMES, "open.json"), "w") as file:
        json.dump(OPEN, file)
    with open(os.path.join(RUNTIMES, "plain.json"), "w") as file:
        json.dump({"name": "plain", "wire": "none"}, file)
    for world in worlds():
        world.any_claude()
        world.file("bin/tool", '#!/bin/sh\nexec "$@"\n', 0o755)
        with model.ModelStub() as service, model.ModelStub() as other:
            with results.under("as %s: served: " % world.user):
                served(results, world, service, other)
                optional(results, world, service)
        for part in (missing, another):
            with results.under("as %s: %s: " % (world.user, part.__name__)):
                part(results, world)
        clean(world)


product_test(test, overlays=machine.config_overlays())

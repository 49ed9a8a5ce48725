#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A session without a boundary reaches its model by the same endpoint, and only it:
keys stay outside, and who else connects to its port gets nothing (issue 4)."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import KEY, Model, product_test, worlds  # noqa: E402

# Asks the endpoint that stands in the environment, with each set of fields.
ASK = """
import http.client, json, os, sys, urllib.parse
place = urllib.parse.urlsplit(sys.argv[1] or os.environ["ANTHROPIC_BASE_URL"])
own = os.environ.get("ANTHROPIC_API_KEY", "")
answers = []
for fields in json.loads(sys.argv[2]):
    fields = {name: value.replace("OWN", own) for name, value in fields.items()}
    one = http.client.HTTPConnection(place.hostname, place.port, timeout=20)
    one.request("POST", "/v1/messages", json.dumps({"model": "m", "max_tokens": 9, "messages": [
        {"role": "user", "content": "Say hello"}]}), dict(fields, **{"content-type": "application/json"}))
    answer = one.getresponse()
    answers.append([answer.status, answer.getheader("anet-reason"), answer.read().decode("utf-8", "replace")[:300]])
    one.close()
print(json.dumps({"place": place.netloc, "key": own, "answers": answers}))
"""
HELLO = {"x-api-key": "OWN"}

# As many as there are places, and more, that say nothing.
SILENT = """
import os, socket, urllib.parse
place = urllib.parse.urlsplit(os.environ["ANTHROPIC_BASE_URL"])
silent = [socket.create_connection((place.hostname, place.port), timeout=20) for _ in range(40)]
""" + ASK

# What a process of the same account can see of all others.
LOOK = """
import glob, os
for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline"):
    try:
        data = open(path, "rb").read()
    except OSError:
        continue
    if os.environ["MARK"].encode()[::-1] in data:
        print(path, open(os.path.dirname(path) + "/comm").read().strip())
"""


def agent(world, *arguments, **popen):
    return world.run(world.argv(["/usr/bin/python3", "-c", *arguments], ["--agent", "free"]), **popen)


def ask(world, *fields):
    result = agent(world, ASK, "", json.dumps(fields), env={"ANTHROPIC_API_KEY": KEY})
    try:
        return result, json.loads(result.text)
    except ValueError:
        return result, {"place": "", "key": "", "answers": []}


def keys(results, world, model):
    before = len(model.requests())
    result, told = ask(world, HELLO, {"authorization": "Bearer OWN"}, {"Authorization": "bEARER OWN"})
    results.equal("its own key: served", [answer[0] for answer in told["answers"]], [200] * 3, result)
    results.equal("... with the operator's key", {value for record in model.requests()[before:]
                                                  for name, value in record["headers"] if name.lower() == "x-api-key"}, {KEY})
    results.ok("it holds a key of the session's own", len(told["key"]) == 64 and set(told["key"]) <= set("0123456789abcdef"), told)
    _, other = ask(world, HELLO)
    results.ok("another session has another one", other["key"] not in ("", told["key"]), (other["key"], told["key"]))

    before = len(model.requests())
    wrong = [{}, {"x-api-key": ""}, {"x-api-key": KEY}, {"x-api-key": "anet-placeholder-key"}, {"x-api-key": other["key"]},
             {"x-api-key": "OWN0"}, {"x-api-key": "0" * 64}, {"authorization": "Basic OWN"}, {"authorization": "OWN"},
             {"cookie": "x-api-key=OWN"}]
    result, told = ask(world, *wrong)
    for fields, answer in zip(wrong, told["answers"]):
        results.equal("refused: %s" % (fields,), answer[:2], [401, "endpoint_key"], answer)
        results.contains("... in words for an agent", answer[2], "anet: this endpoint serves only the session")
    results.equal("all of them were tried", len(told["answers"]), len(wrong), result)
    results.equal("none was forwarded", len(model.requests()), before)
    results.equal("no key is in what is told", [key for key in (told["key"], KEY) if key in result.errors], [])


def strangers(results, world):
    """Another process of the machine, which sees the port and not the key."""
    script = "import os, sys; print(os.environ['ANTHROPIC_BASE_URL'], flush=True); sys.stdin.readline()"
    running = world.start(world.argv(["/usr/bin/python3", "-c", script], ["--agent", "free"]),
                          env={"ANTHROPIC_API_KEY": KEY}, stdin=-1)
    place = running.stdout.readline().decode().strip()
    results.ok("on the machine's loopback", place.startswith("http://127.0.0.1:"), place)
    stranger = world.run(["/usr/bin/python3", "-c", ASK, place, json.dumps([{}, {"x-api-key": "guess"}])])
    told = json.loads(stranger.text or "{}")
    results.equal("a stranger is refused", [answer[:2] for answer in told.get("answers", [])], [[401, "endpoint_key"]] * 2, stranger)
    _, errors = running.communicate(b"\n", timeout=20)
    results.contains("... and it is told", errors.decode(), "[endpoint_key]")
    result = agent(world, SILENT, "", json.dumps([HELLO]), env={"ANTHROPIC_API_KEY": KEY})
    told = json.loads(result.text or "{}")
    results.equal("who connects and says nothing keeps nobody out", [answer[0] for answer in told.get("answers", [])], [200],
                  result)


def kept(results, world):
    result = agent(world, LOOK, env={"ANTHROPIC_API_KEY": KEY, "MARK": KEY[::-1]})
    results.equal("the key is in no environment and no command line", (result.status, result.text), (0, ""), result)
    # The same look finds what is there.
    result = agent(world, LOOK, env={"ANTHROPIC_API_KEY": KEY, "MARK": "free", "SEEN": "eerf"})
    results.ok("... which would be seen", result.status == 0 and "/environ" in result.text, result)


def test(results):
    with Model(cwd="/") as model:
        for world in worlds():
            with results.under("as %s: " % world.user):
                world.any_claude()
                world.agent("free", {"runtime": "claude", "strategy": "host"})
                keys(results, world, model)
                strangers(results, world)
                kept(results, world)


product_test(test)

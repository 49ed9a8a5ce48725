#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=240
"""A session that speaks OpenAI's APIs, from inside its run: streams, answers of every
kind, refusals, limits, and a client that leaves as Codex does."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import machine  # noqa: E402
from agents import agent, clean  # noqa: E402
from harness import ANET, KEY, Model, product_test, wait_for, worlds  # noqa: E402

RESPONSES, CHAT = "/v1/responses", "/v1/chat/completions"
BODIES = {RESPONSES: {"model": "x", "input": "hello"}, CHAT: {"model": "x", "messages": [{"role": "user", "content": "hello"}]}}

# Each line of its input is a request [method, path, fields, body, whether to leave at the last event]; prints
# [status, header fields, text] for each.  One connection until somebody closes it.
CLIENT = r"""
import http.client, json, sys
connection = None
for method, path, fields, body, leave in json.load(open(sys.argv[1])):
    connection = connection or http.client.HTTPConnection("127.0.0.1", 8118, timeout=20)
    connection.request(method, path, body and json.dumps(body), dict(fields))
    answer = connection.getresponse()
    if leave:
        text = b""
        while b"response.completed" not in text or not text.endswith(b"\n\n"):
            text += answer.readline()
    else:
        text = answer.read()
    print(json.dumps([answer.status, {k.lower(): v for k, v in answer.getheaders()}, text.decode()]), flush=True)
    if leave or answer.will_close:
        answer.close()
        connection.close()
        connection = None
"""


def ask(world, requests, name="demo"):
    world.file("work/requests.json", json.dumps(requests))
    result = world.run([ANET, "run", "--agent", name, "--", "/usr/bin/python3", "-c", CLIENT, "requests.json"],
                       env={"OPENAI_API_KEY": KEY})
    answers = [json.loads(line) for line in result.text.splitlines() if line.startswith("[")]
    return answers + [[0, {}, ""]] * (len(requests) - len(answers)), result


def post(path, leave=False, **members):
    return ["POST", path, [["Content-Type", "application/json"]], dict(BODIES[path], **members), leave]


def served(results, world, model):
    """Streamed or not, the answer is the service's, and the body what the rules make of it."""
    rows = [(path, stream) for path in BODIES for stream in (False, True)]
    answers, result = ask(world, [post(path, stream=stream) for path, stream in rows] + [["GET", "/v1/models", [], None, False]])
    for (path, stream), (status, fields, text) in zip(rows, answers):
        name = "%s, stream %s: " % (path, stream)
        end = "data: [DONE]\n\n" if path == CHAT else '"status": "completed"'
        results.ok(name + "whole", status == 200 and (end in text if stream else "stub" in text), (status, text[-300:]))
        results.equal(name + "type", fields.get("content-type", "").split(";")[0],
                      "text/event-stream" if stream else "application/json")
    results.equal("the models are one", [entry["id"] for entry in json.loads(answers[-1][2] or "{}").get("data", [])],
                  ["gpt-6-luna"], result)
    for path, field in ((RESPONSES, "max_output_tokens"), (CHAT, "max_completion_tokens")):
        bodies = [record["body"] for record in model.requests(path)]
        results.equal(path + ": model, length, storing", {(body.get("model"), body.get(field), body.get("store")) for body in bodies},
                      {("gpt-6-luna", 8192, False)}, bodies)
    results.lacks("no key inside", result.text, KEY)


def leaves(results, world, model):
    """Codex closes its connection when it has read the last event."""
    before = len(model.requests(RESPONSES))
    model.fail({"path": RESPONSES, "fault": "slow", "ms": 20, "times": 0})
    answers, result = ask(world, [post(RESPONSES, stream=True, leave=True) for _ in range(3)])
    model.fail()
    results.equal("three times, each on a connection of its own", [answer[0] for answer in answers], [200] * 3, result)
    # The service writes it down when it has sent the whole answer, which may be later.
    wait_for(lambda: len(model.requests(RESPONSES)) - before >= 3, 20)
    results.equal("and that is all", len(model.requests(RESPONSES)) - before, 3)
    results.ok("nobody calls it an abort", result.status == 0 and "client_gone" not in result.errors, result)


def refused(results, world, model):
    before = len(model.records)
    tool = {"tools": [{"type": "web_search"}]}
    upgrade = [["Upgrade", "websocket"], ["Connection", "Upgrade"], ["Sec-WebSocket-Version", "13"],
               ["Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="], ["OpenAI-Beta", "responses_websockets=2026-02-06"]]
    rows = [
        ("a tool of the service", post(RESPONSES, **tool), 400, "rule_server_tool"),
        ("a search of Chat's", post(CHAT, web_search_options={}), 400, "rule_server_tool"),
        ("a WebSocket", ["GET", RESPONSES, upgrade, None, False], 426, "http_upgrade"),
        ("a method", ["GET", RESPONSES, [], None, False], 405, "http_method"),
        ("stored answers", ["GET", RESPONSES + "/resp_1", [], None, False], 404, "http_not_found"),
        ("the other API", ["POST", "/v1/messages", [], {"model": "x", "messages": []}, False], 404, "http_not_found"),
        ("compressed", ["POST", RESPONSES, [["Content-Encoding", "zstd"]], {}, False], 415, "http_encoded"),
    ]
    answers, result = ask(world, [row[1] for row in rows])
    for (name, _, status, code), answer in zip(rows, answers):
        error = json.loads(answer[2] or "{}").get("error", {})
        results.equal(name, (answer[0], error.get("code"), answer[1].get("anet-reason"), answer[1].get("x-should-retry")),
                      (status, code, code, "false"), result)
        results.ok(name + ": a sentence", error.get("message", "").startswith("anet: "), error)
    results.equal("nothing was forwarded", model.records[before:], [])


def failures(results, world, model):
    """What the service says goes on, but not what concerns the key, nor another address."""
    faults = [({"status": 429, "headers": {"retry-after": "1", "x-ratelimit-remaining-requests": "0", "set-cookie": "a=b"}}, 429, None),
              ({"status": 400}, 400, None), ({"status": 500}, 500, None),
              ({"status": 401, "body": "your key " + KEY}, 400, "upstream_credential"),
              ({"status": 403}, 400, "upstream_credential"),
              ({"status": 307, "headers": {"location": "https://elsewhere.example/v1"}}, 502, "upstream_redirect")]
    model.fail(*(dict(fault[0], fault="status", path="/v1/") for fault in faults))
    answers, result = ask(world, [post(CHAT) for _ in faults] + [post(CHAT)])
    for (fault, status, code), answer in zip(faults, answers):
        error = json.loads(answer[2] or "{}").get("error", {})
        results.equal("status %d" % fault["status"], (answer[0], error.get("code"), error.get("message", "").startswith("anet: ")),
                      (status, code, code is not None), result)
    results.equal("when to try again", (answers[0][1].get("retry-after"), answers[0][1].get("x-ratelimit-remaining-requests"),
                                        answers[0][1].get("set-cookie")), ("1", "0", None))
    results.equal("and the next is served", answers[-1][0], 200)
    results.lacks("the key stays outside", result.text + result.errors, KEY)
    results.contains("where to is told", result.errors, "https://elsewhere.example/v1")


def limited(results, world, model):
    agent(world, "set", "demo", "--limit", "requests=2", "--limit", "request_mib=1")
    answers, result = ask(world, [post(CHAT), post(RESPONSES), post(CHAT), ["GET", "/v1/models", [], None, False]])
    results.equal("two requests", [answer[0] for answer in answers], [200, 200, 400, 200], result)
    results.equal("each answer tells what is left", [answer[1].get("anet-requests-left") for answer in answers],
                  ["1", "0", "0", "0"])
    left = [int(answer[1].get("anet-request-bytes-left", -1)) for answer in answers]
    results.ok("and of bytes", 1 << 20 > left[0] > left[1] == left[2] == left[3] > 0, left)
    error = json.loads(answers[2][2] or "{}").get("error", {})
    results.equal("the third is refused", (error.get("code"), answers[2][1].get("x-should-retry")), ("limit_requests", "false"))


def test(results):
    with Model(cwd="/") as model:
        for world in worlds():
            result = agent(world, "add", "demo", "--runtime", "command", "--strategy", "srt", "--model", "gpt-6-luna",
                           "--api-base", "https://api.openai.com/v1")
            results.ok("as %s: an agent" % world.user, result.status == 0, result)
            for part in (served, leaves, refused, failures, limited):
                model.records.clear()
                with results.under("as %s: %s: " % (world.user, part.__name__)):
                    part(results, world, model)
            clean(world)


product_test(test, overlays=machine.config_overlays())

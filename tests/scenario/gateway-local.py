#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the gateway answers by itself: is somebody there, and which models."""
import os
import sys
import json

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import records
from gateway import Gateway
from ledger import Ledger
from tap import run_test

def get(agent, line, head_only=False):
    agent.send(line.encode() + b" HTTP/1.1\r\nHost: a\r\n\r\n")
    return agent.answer(head_only)


def test(results):
    with Gateway() as gateway:
        for line in ("HEAD /", "HEAD /api/hello", "HEAD /v1/models", "HEAD /?x=y"):
            answer = get(gateway.agent, line, head_only=True)
            results.equal(line, (answer.status, gateway.agent.is_quiet(0.05)), (200, True))
        for line in ("GET /", "GET /api/hello"):
            answer = get(gateway.agent, line)
            results.equal(line, (answer.status, json.loads(answer.body)), (200, {}))
        for line in ("GET /v1/models", "GET /v1/models?limit=1000&after_id=x"):
            models = json.loads(get(gateway.agent, line).body)
            results.equal(line, [(model["id"], model["type"]) for model in models["data"]],
                          [("claude-test-1", "model")])
        get(gateway.agent, "GET /")
        gateway.agent.send(b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
        results.equal("a body nobody wants", gateway.agent.answer().status, 200)
        results.equal("does not disturb the next", get(gateway.agent, "GET /").status, 200)
        gateway.agent.close()
        gateway.reports()
        results.equal("no event, nothing forwarded", (gateway.events, gateway.upstream.requests), ([], []))

    openai = {"wire": records.WIRE_OPENAI, "host": b"api.openai.com"}
    with Gateway(policy=records.policy(model=b"gpt-x", **openai)) as gateway:
        for line in ("GET /v1/models", "GET /v1/models?client_version=0.171.0"):
            results.equal("OpenAI: " + line, json.loads(get(gateway.agent, line).body),
                          {"object": "list", "data": [{"id": "gpt-x", "object": "model", "created": 0,
                                                       "owned_by": "anet"}]})
        for line in ("GET /", "GET /api/hello"):
            answer = get(gateway.agent, line)
            results.equal("OpenAI: " + line, (answer.status, json.loads(answer.body)), (200, {}))
    with Gateway(policy=records.policy(model=b"", **openai)) as gateway:
        results.equal("OpenAI: no pinned model", json.loads(get(gateway.agent, "GET /v1/models").body)["data"], [])
    for wire in (records.WIRE_ANTHROPIC, records.WIRE_OPENAI):
        with Gateway(policy=records.policy(wire=wire, requests=60, request_bytes=1000),
                     ledger=Ledger(requests=18, request_bytes=1200)) as gateway:
            for name, line in (("a local answer", "GET /v1/models"), ("a refusal", "GET /x")):
                answer = get(gateway.agent, line)
                results.equal("%s tells what is left, wire %d" % (name, wire),
                              [answer.field("anet-" + field) for field in ("requests-left", "request-bytes-left")],
                              ["42", "0"])
            gateway.ledger.add("requests", 2)
            results.equal("as it is now", get(gateway.agent, "GET /").field("anet-requests-left"), "40")
    with Gateway() as gateway:
        answer = get(gateway.agent, "GET /")
        results.equal("without a limit nothing is told", [key for key, _ in answer.fields if key.startswith("anet-")], [])

    with Gateway(policy=records.policy(model=b"")) as gateway:
        models = json.loads(get(gateway.agent, "GET /v1/models").body)
        results.equal("no pinned model: an empty list", models["data"], [])
    odd = b'a"b\\c'
    with Gateway(policy=records.policy(model=odd)) as gateway:
        models = json.loads(get(gateway.agent, "GET /v1/models").body)
        results.equal("an odd name is quoted", models["data"][0]["id"], odd.decode())


run_test(test)

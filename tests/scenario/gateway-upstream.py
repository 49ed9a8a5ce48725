#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The record and the body that anet-upstream gets, and what its report does."""
import os
import sys
import json

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import records
from gateway import CHAT, COUNT, ENDPOINTS, MESSAGE, RESPONSE, Gateway, post
from tap import run_test

SEALS = 0x1 | 0x2 | 0x4 | 0x8  # F_SEAL_SEAL, SHRINK, GROW, WRITE


def what_is_handed_over(results):
    with Gateway() as gateway:
        agent, requests = gateway.agent, gateway.upstream.requests
        rows = [
            ("plain", post(MESSAGE), records.MESSAGES, 0),
            ("beta query", post(MESSAGE, "/v1/messages?beta=true"), records.MESSAGES, records.QUERY_BETA),
            ("other query", post(MESSAGE, "/v1/messages?beta=true&x=y"), records.MESSAGES, 0),
            ("other spelling", post(MESSAGE, "/v1/messages?beta=True"), records.MESSAGES, 0),
            ("stream", post(b'{"stream":true,' + MESSAGE[1:]), records.MESSAGES, records.STREAM),
            ("count", post(COUNT, "/v1/messages/count_tokens?beta=true"), records.COUNT_TOKENS,
             records.QUERY_BETA),
        ]
        handed_over(results, gateway, rows)
        results.equal("the pinned model", json.loads(requests[0][1])["model"], "claude-test-1")
    with Gateway(policy=records.policy(wire=records.WIRE_OPENAI, host=b"api.openai.com", model=b"gpt-test-1")) as gateway:
        stream = b'{"stream":true,'
        handed_over(results, gateway, [
            ("Responses", post(RESPONSE, "/v1/responses"), records.RESPONSES, 0),
            ("Responses: stream", post(stream + RESPONSE[1:], "/v1/responses"), records.RESPONSES, records.STREAM),
            ("Responses: query", post(RESPONSE, "/v1/responses?beta=true"), records.RESPONSES, 0),
            ("Responses: flags of another API", post(RESPONSE, "/v1/responses", fields=[
                "anthropic-beta: effort-2025-11-24", "OpenAI-Beta: responses_websockets=2026-02-06"]), records.RESPONSES, 0),
            ("Chat", post(CHAT, "/v1/chat/completions"), records.CHAT, 0),
            ("Chat: stream", post(stream + CHAT[1:], "/v1/chat/completions"), records.CHAT, records.STREAM),
        ])
        bodies = [json.loads(body) for _, body in gateway.upstream.requests]
        results.equal("the pinned model of OpenAI's", {body["model"] for body in bodies}, {"gpt-test-1"})


def handed_over(results, gateway, rows):
    for name, request, endpoint, flags in rows:
        gateway.agent.send(request)
        results.equal(name + ": answered", gateway.agent.answer().status, 200)
        record, body = gateway.upstream.requests[-1]
        results.equal(name + ": record", (record["magic"], record["version"], record["size"], record["endpoint"],
                                          record["flags"], record["body_bytes"], record["beta"]),
                      (records.UPSTREAM_MAGIC, 1, 24, endpoint, flags, len(body), 0))


def beta_fields(results):
    with Gateway() as gateway:
        beta = []
        for fields in (["anthropic-beta: effort-2025-11-24"],
                       ["anthropic-beta: claude-code-20250219"],
                       ["Anthropic-Beta: effort-2025-11-24", "anthropic-BETA:", "anthropic-beta: claude-code-20250219"],
                       ["anthropic-beta: effort-2025-11-24, claude-code-20250219"],
                       ["anthropic-beta: \t"], []):
            gateway.agent.send(post(MESSAGE, fields=fields))
            gateway.agent.answer()
            beta.append(gateway.upstream.requests[-1][0]["beta"])
        results.ok("each flag has a bit", beta[0] and beta[1] and not beta[0] & beta[1], beta)
        results.equal("several fields are one list", (beta[2], beta[3]), (beta[0] | beta[1],) * 2)
        results.equal("empty, or none", beta[4:], [0, 0])


def seals(results):
    with Gateway() as gateway:
        gateway.agent.send(post(MESSAGE))
        gateway.agent.answer()
        results.equal("the body is sealed", gateway.upstream.seals, [SEALS])


def refusals(results):
    for wire, path, _, request in ENDPOINTS:
        forbidden = 400 if wire == records.WIRE_OPENAI else 403
        for code, status, retry in (
                ("limit_requests", forbidden, "false"), ("limit_count_tokens", forbidden, "false"),
                ("limit_request_bytes", forbidden, "false"), ("upstream_unreachable", 502, ""),
                ("upstream_timeout", 504, ""), ("upstream_tls", 502, "false"), ("upstream_redirect", 502, "false"),
                ("upstream_credential", forbidden, "false"), ("system", 502, "")):
            with results.under("%s, %s: " % (path, code)), Gateway(policy=records.policy(wire=wire)) as gateway:
                refusal(results, gateway, post(request, path), code, status, retry)


def refusal(results, gateway, request, code, status, retry):
    gateway.upstream.behaviour = lambda upstream, record, body: upstream.done(code, detail=b"why \"x\"")
    gateway.agent.send(request)
    answer = gateway.agent.answer()
    results.equal("status, retry", (answer.status, answer.field("x-should-retry")), (status, retry))
    results.contains("detail", json.loads(answer.body)["error"]["message"], 'why "x"')
    if code != "system":
        gateway.upstream.behaviour = None
        gateway.agent.send(request)
        results.equal("the next request is served", gateway.agent.answer().status, 200)
    gateway.agent.close()
    gateway.reports()
    # The upstream has told what happened at the service, the rest has not been told.
    results.equal("told once", len(gateway.events), 0 if code.startswith("upstream_") else 1)


def broken_off(results):
    def behaviour(upstream, record, body):
        upstream.conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
        upstream.done("upstream_protocol", flags=records.HEAD_SENT | records.CLOSE)
        upstream.conn.close()

    with Gateway() as gateway:
        gateway.upstream.behaviour = behaviour
        gateway.agent.send(post(MESSAGE))
        try:
            answer = gateway.agent.answer()
            results.fail("half an answer is no answer", answer)
        except (EOFError, ConnectionResetError):
            results.ok("half an answer ends with the connection", b"anet:" not in gateway.agent.received)
        gateway.reports()
        results.equal("what the upstream has told is not told again",
                      (gateway.outcome["code"], gateway.events), ("ok", []))


def closing(results):
    def behaviour(upstream, record, body):
        upstream.conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
        upstream.done(flags=records.HEAD_SENT | records.CLOSE)

    with Gateway() as gateway:
        gateway.upstream.behaviour = behaviour
        gateway.agent.send(post(MESSAGE) + post(MESSAGE))
        results.equal("an answer that closes", gateway.agent.answer().body, b"ok")
        results.ok("ends the connection", gateway.agent.ended())
        results.equal("the second request was not forwarded", len(gateway.upstream.requests), 1)


def test(results):
    for part in (what_is_handed_over, beta_fields, seals, refusals, broken_off, closing):
        with results.under(part.__name__.replace("_", " ") + ": "):
            part(results)


run_test(test)

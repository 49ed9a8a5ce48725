#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a refused agent gets, and that it can go on."""
import os
import sys
import json

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from gateway import MESSAGE, Gateway, post
from tap import run_test

def request(line, *fields, body=b""):
    lines = [line + " HTTP/1.1", "Host: a"] + list(fields)
    if body:
        lines.append("Content-Length: %d" % len(body))
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


# name, request, status, code, type of the error
ROWS = [
    ("unknown path", request("GET /v1/files"), 404, "http_not_found", "not_found_error"),
    ("unknown path with a body", request("POST /v1/complete", body=MESSAGE), 404, "http_not_found", "not_found_error"),
    ("a path below", request("POST /v1/messages/batches", body=MESSAGE), 404, "http_not_found", "not_found_error"),
    ("two slashes", request("POST //v1/messages", body=MESSAGE), 404, "http_not_found", "not_found_error"),
    ("percent sign", request("POST /v1/%6dessages", body=MESSAGE), 404, "http_not_found", "not_found_error"),
    ("dots", request("POST /v1/x/../messages", body=MESSAGE), 404, "http_not_found", "not_found_error"),
    ("slash behind", request("POST /v1/messages/", body=MESSAGE), 404, "http_not_found", "not_found_error"),
    ("wrong method", request("GET /v1/messages"), 405, "http_method", "invalid_request_error"),
    ("unknown method", request("DELETE /v1/models"), 405, "http_method", "invalid_request_error"),
    ("lower case method", request("post /v1/messages", body=MESSAGE), 405, "http_method", "invalid_request_error"),
    ("no length", request("POST /v1/messages"), 411, "http_length_required", "invalid_request_error"),
    ("gzip", request("POST /v1/messages", "Content-Encoding: gzip", body=MESSAGE), 415, "http_encoded",
     "invalid_request_error"),
    ("expectation", request("POST /v1/messages", "Expect: 200-ok"), 417, "http_expectation", "invalid_request_error"),
    ("websocket", request("GET /v1/responses", "Connection: Upgrade", "Upgrade: websocket"), 426, "http_upgrade",
     "invalid_request_error"),
    ("no JSON", request("POST /v1/messages", body=b"hello"), 400, "json_not_object", "invalid_request_error"),
    ("empty body", request("POST /v1/messages", "Content-Length: 0"), 400, "json_syntax", "invalid_request_error"),
    ("a rule", request("POST /v1/messages", body=b'{"mcp_servers":[{"url":"https://example"}],' + MESSAGE[1:]), 403,
     "rule_mcp", "permission_error"),
]


def each(results):
    for name, data, status, code, kind in ROWS:
        with results.under(name + ": "), Gateway() as gateway:
            gateway.agent.send(data + request("GET /v1/models"))
            answer = gateway.agent.answer()
            results.equal("status and code", (answer.status, answer.reason), (status, code))
            results.equal("no retry", answer.field("x-should-retry"), "false")
            results.equal("JSON", answer.field("content-type"), "application/json")
            error = json.loads(answer.body)
            results.equal("shape", (error["type"], error["error"]["type"]), ("error", kind))
            results.ok("message", error["error"]["message"].startswith("anet: "), answer)
            results.equal("the next request is served", gateway.agent.answer().status, 200)
            gateway.agent.close()
            gateway.reports()
            results.equal("one event", [event["code"] for event in gateway.events], [code])
            results.equal("the outcome is good", gateway.outcome["code"], "ok")
            results.equal("nothing was forwarded", gateway.upstream.requests, [])


def special_fields(results):
    with Gateway() as gateway:
        gateway.agent.send(request("GET /v1/messages"))
        results.equal("405 names the method", gateway.agent.answer().field("allow"), "POST")
        gateway.agent.send(request("PUT /v1/models"))
        results.equal("and the methods", gateway.agent.answer().field("allow"), "GET, HEAD")
        gateway.agent.send(request("GET /", "Upgrade: websocket"))
        results.equal("426 names what is served", gateway.agent.answer().field("upgrade"), "HTTP/1.1")
        gateway.agent.send(request("HEAD /nothing"))
        answer = gateway.agent.answer(head_only=True)
        results.equal("HEAD is refused without a body", (answer.status, gateway.agent.is_quiet()), (404, True))
        gateway.agent.send(request("GET /", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c"))
        results.equal("HTTP/2 on the way is not taken up", gateway.agent.answer().status, 200)


def quoting(results):
    """What the agent sent is quoted so that the answer stays JSON."""
    with Gateway() as gateway:
        gateway.agent.send(post(b'{"a\\"\\\\\\u0007\xc3\xa4":1,' + MESSAGE[1:]))
        answer = gateway.agent.answer()
        message = json.loads(answer.body)["error"]["message"]
        results.ok("a key with quotes and controls", answer.status == 403 and "\u00e4" in message, answer)
        gateway.agent.send(request("GET /" + "a'b" * 900))
        message = json.loads(gateway.agent.answer().body)["error"]["message"]
        results.ok("a long path is cut", len(message) < 400 and "GET /a'ba'b" in message, message)


def many(results):
    with Gateway() as gateway:
        for _ in range(130):
            gateway.agent.send(request("GET /x"))
            gateway.agent.answer()
        gateway.agent.close()
        gateway.reports()
        results.equal("130 refusals give 100 events", len(gateway.events), 100)
        results.equal("and are counted", gateway.outcome["requests"], 130)
        results.contains("all of them", gateway.outcome["detail"], b"130")


def test(results):
    each(results)
    special_fields(results)
    quoting(results)
    many(results)


run_test(test)

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a refused agent gets, and that it can go on."""
import os
import sys
import json

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import records
from gateway import ENDPOINTS, MESSAGE, Gateway, post
from tap import run_test

def request(line, *fields, body=b""):
    lines = [line + " HTTP/1.1", "Host: a"] + list(fields)
    if body:
        lines.append("Content-Length: %d" % len(body))
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


# name, request, status on each wire, code, type of the error on Anthropic's
COMMON = [
    ("unknown path", request("GET /v1/files"), 404, 404, "http_not_found", "not_found_error"),
    ("unknown path with a body", request("POST /v1/complete", body=MESSAGE), 404, 404, "http_not_found",
     "not_found_error"),
    ("another model", request("GET /v1/models/x"), 404, 404, "http_not_found", "not_found_error"),
    ("unknown method", request("DELETE /v1/models"), 405, 405, "http_method", "invalid_request_error"),
    ("websocket", request("GET /v1/responses", "Connection: Upgrade", "Upgrade: websocket"), 426, 426, "http_upgrade",
     "invalid_request_error"),
    ("websocket elsewhere", request("GET /v1/realtime", "Connection: Upgrade", "Upgrade: websocket"), 426, 426,
     "http_upgrade", "invalid_request_error"),
    ("websocket by POST", request("POST /v1/messages", "Connection: Upgrade", "Upgrade: websocket", body=MESSAGE), 426, 426,
     "http_upgrade", "invalid_request_error"),
]


def at(path):
    """What may be wrong with a request to one of the model's endpoints."""
    return [
        ("a path below", request("POST %s/batches" % path, body=MESSAGE), 404, 404, "http_not_found", "not_found_error"),
        ("two slashes", request("POST /%s" % path, body=MESSAGE), 404, 404, "http_not_found", "not_found_error"),
        ("percent sign", request("POST " + path[:-1] + "%%%02x" % ord(path[-1]), body=MESSAGE), 404, 404, "http_not_found",
         "not_found_error"),
        ("dots", request("POST /v1/x/.." + path[3:], body=MESSAGE), 404, 404, "http_not_found", "not_found_error"),
        ("slash behind", request("POST %s/" % path, body=MESSAGE), 404, 404, "http_not_found", "not_found_error"),
        ("wrong method", request("GET " + path), 405, 405, "http_method", "invalid_request_error"),
        ("lower case method", request("post " + path, body=MESSAGE), 405, 405, "http_method", "invalid_request_error"),
        ("no length", request("POST " + path), 411, 411, "http_length_required", "invalid_request_error"),
        ("gzip", request("POST " + path, "Content-Encoding: gzip", body=MESSAGE), 415, 415, "http_encoded",
         "invalid_request_error"),
        ("zstd", request("POST " + path, "Content-Encoding: zstd", body=MESSAGE), 415, 415, "http_encoded",
         "invalid_request_error"),
        ("expectation", request("POST " + path, "Expect: 200-ok"), 417, 417, "http_expectation", "invalid_request_error"),
        ("no JSON", request("POST " + path, body=b"hello"), 400, 400, "json_not_object", "invalid_request_error"),
        ("empty body", request("POST " + path, "Content-Length: 0"), 400, 400, "json_syntax", "invalid_request_error"),
    ]


def rule(path, body):
    """A tool that runs at the service."""
    tool = b'{"tools":[{"type":"web_search_20250305"},{"type":"web_search"}],'
    return ("%s: a rule" % path, request("POST " + path, body=tool + body[1:]), 403, 400, "rule_", "permission_error")


# wire, its endpoints, those of the other
WIRES = [
    (records.WIRE_ANTHROPIC, ("/v1/messages", "/v1/messages/count_tokens"), ("/v1/responses", "/v1/chat/completions")),
    (records.WIRE_OPENAI, ("/v1/responses", "/v1/chat/completions"), ("/v1/messages", "/v1/messages/count_tokens")),
]


def refused(results, wire, name, data, status, code, kind):
    with results.under(name + ": "), Gateway(policy=records.policy(wire=wire)) as gateway:
        gateway.agent.send(data + request("GET /v1/models"))
        answer = gateway.agent.answer()
        results.ok("status and code", answer.status == status and answer.reason.startswith(code), answer)
        results.equal("no retry", answer.field("x-should-retry"), "false")
        results.equal("JSON", answer.field("content-type"), "application/json")
        error = json.loads(answer.body)
        if wire == records.WIRE_OPENAI:
            results.equal("shape", {key: error["error"][key] for key in error["error"] if key != "message"},
                          {"type": "invalid_request_error", "param": None, "code": answer.reason})
            results.equal("nothing else", (list(error), len(error["error"])), (["error"], 4))
        else:
            results.equal("shape", (error["type"], error["error"]["type"]), ("error", kind))
        results.ok("message", error["error"]["message"].startswith("anet: "), answer)
        results.equal("the next request is served", gateway.agent.answer().status, 200)
        gateway.agent.close()
        gateway.reports()
        results.equal("one event", [event["code"] for event in gateway.events], [answer.reason])
        results.equal("the outcome is good", gateway.outcome["code"], "ok")
        results.equal("nothing was forwarded", gateway.upstream.requests, [])


def each(results):
    for wire, endpoints, others in WIRES:
        rows = COMMON + [("of the other wire", request("POST " + path, body=MESSAGE), 404, 404, "http_not_found",
                          "not_found_error") for path in others]
        for path in endpoints:
            rows += [("%s: %s" % (path, row[0]),) + row[1:] for row in at(path)]
        rows += [rule(path, body) for of, path, _, body in ENDPOINTS if of == wire]
        for name, data, anthropic, openai, code, kind in rows:
            status = openai if wire == records.WIRE_OPENAI else anthropic
            refused(results, wire, "wire %d: %s" % (wire, name), data, status, code, kind)


# Where the next request would begin is not known then: the answer is the last.
UNREADABLE = [
    ("no HTTP", b"hello\r\n\r\n", 400), ("another version", b"GET / HTTP/1.0\r\nHost: a\r\n\r\n", 505),
    ("a head of 64 KiB", b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"y" * 65536 + b"\r\n\r\n", 431),
    ("two lengths", b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx", 400),
]


def unreadable(results):
    for wire, endpoints, _ in WIRES:
        rows = UNREADABLE + [
            ("a body of 9 MiB", request("POST " + endpoints[0], "Content-Length: %d" % (9 << 20)), 413),
            ("chunks that are none", request("POST " + endpoints[0], "Transfer-Encoding: chunked") + b"x\r\n", 400),
            ("trailers", request("POST " + endpoints[0], "Transfer-Encoding: chunked") + b"0\r\nX: y\r\n\r\n", 400)]
        for name, data, status in rows:
            with results.under("wire %d: %s: " % (wire, name)), Gateway(policy=records.policy(wire=wire)) as gateway:
                gateway.agent.send(data)
                answer = gateway.agent.answer()
                results.equal("status", (answer.status, answer.field("connection")), (status, "close"))
                error = json.loads(answer.body)
                results.equal("shape", error["error"].get("code"), answer.reason if wire == records.WIRE_OPENAI else None)
                results.ok("message", error["error"]["message"].startswith("anet: "), answer)
                results.equal("nothing was forwarded", gateway.upstream.requests, [])


def special_fields(results):
    with Gateway() as gateway:
        gateway.agent.send(request("GET /v1/messages"))
        results.equal("405 names the method", gateway.agent.answer().field("allow"), "POST")
        gateway.agent.send(request("PUT /v1/models"))
        results.equal("and the methods", gateway.agent.answer().field("allow"), "GET, HEAD")
        gateway.agent.send(request("GET /", "Upgrade: websocket"))
        answer = gateway.agent.answer()
        results.equal("426 names what is served", (answer.field("upgrade"), answer.field("connection")), ("HTTP/1.1", "Upgrade"))
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
    unreadable(results)
    special_fields(results)
    quoting(results)
    many(results)


run_test(test)

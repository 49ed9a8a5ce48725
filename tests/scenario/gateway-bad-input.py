#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=300
"""Bodies that are no honest request, at each endpoint: each is answered with its
sentence, nothing of it goes out, and the gateway goes on."""
import json
import os
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import records
from gateway import ENDPOINTS, Gateway, chunked, post
from records import LIMIT_BODY_BYTES
from tap import run_test

LENGTH = {"/v1/messages": "max_tokens", "/v1/messages/count_tokens": None, "/v1/responses": "max_output_tokens",
          "/v1/chat/completions": "max_completion_tokens"}
REFUSED_BY_RULE = {records.WIRE_ANTHROPIC: 403, records.WIRE_OPENAI: 400}


def with_fields(body, text):
    """A good body with these fields in front of its own."""
    return b"{" + text + b"," + body[1:]


def rows(body, path):
    """name, body, status (None: as a rule), code"""
    found = [
        ("200001 values", with_fields(body, b'"x":[' + b",".join([b"0"] * 200001) + b"]"), 400, "json_nodes"),
        ("300000 objects", with_fields(body, b'"x":[' + b",".join([b"{}"] * 300000) + b"]"), 400, "json_nodes"),
        ("65 levels", with_fields(body, b'"x":' + b"[" * 65 + b"]" * 65), 400, "json_depth"),
        ("a million open arrays", b"[" * 1000000, 400, "json_not_object"),
        ("a million open objects", b'{"a":' * 1000000, 400, "json_depth"),
        ("1e999", with_fields(body, b'"temperature":1e999'), 400, "json_number"),
        ("-1e999", with_fields(body, b'"temperature":-1e999'), 400, "json_number"),
        ("100 digits", with_fields(body, b'"seed":' + b"9" * 100), 400, "json_number"),
        ("NaN", with_fields(body, b'"temperature":NaN'), 400, "json_syntax"),
        ("Infinity", with_fields(body, b'"temperature":Infinity'), 400, "json_syntax"),
        ("first half of a pair", with_fields(body, b'"x":"\\ud83d"'), 400, "json_string"),
        ("second half of a pair", with_fields(body, b'"x":"\\ude00"'), 400, "json_string"),
        ("a pair the wrong way round", with_fields(body, b'"x":"\\ude00\\ud83d"'), 400, "json_string"),
        ("half a pair in a key", with_fields(body, b'"\\ud83d":1'), 400, "json_string"),
        ("half a pair as bytes", with_fields(body, b'"x":"\xed\xa0\xbd"'), 400, "json_utf8"),
        ("Latin-1", with_fields(body, b'"x":"\xe4"'), 400, "json_utf8"),
        ("overlong", with_fields(body, b'"x":"\xc0\xaf"'), 400, "json_utf8"),
        ("byte order mark", b"\xef\xbb\xbf" + body, 400, "json_utf8"),
        ("UTF-16", b"\xff\xfe" + body.decode().encode("utf-16-le"), 400, "json_not_object"),
        ("key twice", with_fields(body, b'"model":"x"'), 400, "json_duplicate_key"),
        ("key twice by an escape", with_fields(body, b'"\\u006dodel":"x"'), 400, "json_duplicate_key"),
        ("key twice by a solidus", with_fields(body, b'"a/":1,"a\\/":2'), 400, "json_duplicate_key"),
        ("key twice far inside", with_fields(body, b'"x":[[{"a":[{"b":1,"c":2,"b":3}]}]]'), 400, "json_duplicate_key"),
        ("NUL in a key", with_fields(body, b'"model\\u0000":"x"'), 400, "json_string"),
        ("NUL in the body", body[:-1] + b"\0}", 400, "json_syntax"),
        ("two objects", body + body, 400, "json_not_object"),
        ("something behind", body + b" x", 400, "json_not_object"),
        ("cut", body[:-1], 400, "json_syntax"),
        ("comment", b"/* */" + body, 400, "json_not_object"),
        ("single quotes", body.replace(b'"', b"'"), 400, "json_syntax"),
        ("comma too many", body[:-1] + b",}", 400, "json_syntax"),
        ("an array around it", b"[" + body + b"]", 400, "json_not_object"),
        ("null", b"null", 400, "json_not_object"),
        ("model as a number", body.replace(b'"model":"', b'"model":1,"y":"'), None, "rule_type"),
        ("model as an object", body.replace(b'"model":"', b'"model":{},"y":"'), None, "rule_type"),
    ]
    name = LENGTH[path]
    if name:
        rest = body.replace(b'"max_tokens":100,', b"")
        for value in (b'"1000"', b"1000.5", b"1e3", b"true", b"[1000]", b"{}", b"-1"):
            found.append(("%s %s" % (name, value.decode()), with_fields(rest, b'"%s":%s' % (name.encode(), value)), None,
                          "rule_type"))
    return found


def each(results, wire, path, body):
    """All over one connection, then a good one."""
    with Gateway(policy=records.policy(wire=wire)) as gateway:
        n = 0
        for name, bad, status, code in rows(body, path):
            gateway.agent.send(post(bad, path))
            answer = gateway.agent.answer()
            message = json.loads(answer.body)["error"]["message"]
            results.ok(name, (answer.status, answer.reason) == (status or REFUSED_BY_RULE[wire], code) and
                       message.startswith("anet: ") and answer.field("x-should-retry") == "false", answer)
            n += 1
        gateway.agent.send(post(body, path))
        results.equal("a good request behind them", gateway.agent.answer().status, 200)
        gateway.agent.close()
        gateway.reports()
        results.equal("outcome", (gateway.outcome["code"], gateway.outcome["requests"]), ("ok", n + 1))
        results.equal("one was forwarded", len(gateway.upstream.requests), 1)
        results.equal("exit status", gateway.status(), 0)


def large(results, wire, path, body):
    """The model is the last key, behind as much as there may be; and one byte more."""
    many = b'{"role":"user","content":"%s"},' % (b"a" * 1000)
    head = b'{"input":[' if path == "/v1/responses" else b'{"messages":['
    tail = b'{"role":"user","content":"hi"}],"model":"agents-own"}'
    fits = head + many * ((LIMIT_BODY_BYTES - 1000) // len(many)) + tail
    with Gateway(policy=records.policy(wire=wire, model=b"pinned")) as gateway:
        gateway.agent.send(post(fits, path))
        results.equal("8 MB of messages before the model", gateway.agent.answer().status, 200)
        record, forwarded = gateway.upstream.requests[0]
        forwarded = json.loads(forwarded)
        results.equal("and the model is pinned", (forwarded["model"], record["body_bytes"] > 7900000), ("pinned", True))

    huge = head + many * (10 * 1024 * 1024 // len(many)) + tail
    with Gateway(policy=records.policy(wire=wire)) as gateway:
        sender = threading.Thread(target=lambda: gateway.agent.send(post(huge, path)), daemon=True)
        sender.start()
        answer = gateway.agent.answer()
        results.equal("10 MB", (answer.status, answer.reason), (413, "http_body_too_large"))
        sender.join(20)
        gateway.agent.close()
        gateway.reports()
        results.equal("nothing was forwarded", gateway.upstream.requests, [])


def framing(results, wire, path, body):
    start = b"POST %s HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n" % path.encode()
    for name, data, status, code in (
            ("trailer", start + b"\r\n" + chunked(body, last=b"0\r\nX-Api-Key: y\r\n\r\n"), 400, "http_"),
            ("announced trailer", start + b"Trailer: model\r\n\r\n" + chunked(body, last=b"0\r\nModel: y\r\n\r\n"), 400, "http_"),
            ("gzip", post(body, path, ["Content-Encoding: gzip"]), 415, "http_encoded"),
            ("zstd", post(body, path, ["Content-Encoding: zstd"]), 415, "http_encoded"),
            ("br, gzip", post(body, path, ["Content-Encoding: br, gzip"]), 415, "http_encoded"),
            ("deflate and identity", post(body, path, ["Content-Encoding: identity", "Content-Encoding: deflate"]), 415,
             "http_encoded"),
            ("length and chunks", post(body, path, ["Transfer-Encoding: chunked"]), 400, "http_framing")):
        with Gateway(policy=records.policy(wire=wire)) as gateway:
            gateway.agent.send(data)
            answer = gateway.agent.answer()
            results.ok(name, answer.status == status and answer.reason.startswith(code), answer)
            message = json.loads(answer.body)["error"]["message"]
            if status == 415:
                results.contains(name + " is told what to send", message, "must be uncompressed JSON")
            gateway.agent.close()
            gateway.reports()
            results.equal(name + ": nothing was forwarded", gateway.upstream.requests, [])


def singly(results, wire, path, body):
    with Gateway(policy=records.policy(wire=wire)) as gateway:
        gateway.agent.send_singly(post(body, path))
        results.equal("byte by byte", gateway.agent.answer().status, 200)
        gateway.agent.send_singly(post(b"\xef\xbb\xbf" + body, path))
        results.equal("also what is refused", gateway.agent.answer().reason, "json_utf8")
        gateway.agent.send_singly(post(chunked(*(bytes([byte]) for byte in body)), path, ["Transfer-Encoding: chunked"],
                                       length=False))
        results.equal("in chunks of a byte", gateway.agent.answer().status, 200)


def gone(results, wire, path, body):
    """Clients that leave in the middle."""
    request = post(body, path)
    for name, part, leave in (("in the head", request[:30], "close"), ("in the body", request[:-10], "close"),
                              ("by a reset", request[:-10], "reset"), ("half closed", request[:-10], "shutdown")):
        with Gateway(policy=records.policy(wire=wire)) as gateway:
            gateway.agent.send(part)
            if leave == "shutdown":
                gateway.agent.sock.shutdown(1)
            else:
                getattr(gateway.agent, leave)()
            gateway.reports()
            results.equal("left " + name, (gateway.status(), gateway.upstream.requests), (0, []), gateway.outcome)


def test(results):
    for wire, path, _, body in ENDPOINTS:
        for part in (each, large, framing, singly, gone):
            with results.under("%s: " % path):
                part(results, wire, path, body)


run_test(test)

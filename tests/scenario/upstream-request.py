#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""anet-upstream: what reaches the model service is a head of constants, the
operator's key, and the body byte for byte."""
import hashlib
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import records
from tls_stub import Service
from upstream import KEY, Upstream, upstream_test

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


def head(results, upstream, seen):
    answer, done = upstream.exchange(b'{"a":1}')
    results.equal("served", (done["code"], done["http_status"], answer.body), ("ok", 200, b"{}"), done)
    request = seen[-1]
    results.equal("request line", request.line, "POST /v1/messages HTTP/1.1")
    results.equal("body", request.body, b'{"a":1}')
    want = {"host": "api.anthropic.com", "accept-encoding": "identity", "accept": "application/json",
            "anthropic-version": "2023-06-01", "x-api-key": KEY.decode(), "content-type": "application/json",
            "content-length": "7"}
    got = dict(request.fields)
    results.ok("user agent", got.pop("user-agent", "").startswith("anet/"), request.fields)
    results.equal("header fields", got, want)
    results.equal("each once", len(request.fields), len(want) + 1)


def variants(results, upstream, seen):
    upstream.exchange(flags=records.STREAM | records.QUERY_BETA, beta=0b1000000011)
    results.equal("?beta=true", seen[-1].line, "POST /v1/messages?beta=true HTTP/1.1")
    results.equal("a stream is asked for as one", seen[-1].field("accept"), ["text/event-stream"])
    results.equal("beta flags", seen[-1].field("anthropic-beta"),
                  ["claude-code-20250219,interleaved-thinking-2025-05-14,mid-conversation-system-2026-04-07"])
    upstream.exchange(endpoint=records.COUNT_TOKENS)
    results.equal("token counts", seen[-1].line, "POST /v1/messages/count_tokens HTTP/1.1")


# base_path, endpoint, what is asked for: the prefix is what the API's own SDK is given.
PATHS = [
    (b"", records.RESPONSES, "/v1/responses"), (b"", records.CHAT, "/v1/chat/completions"),
    (b"/v1", records.RESPONSES, "/v1/responses"), (b"/openai/v1", records.CHAT, "/openai/v1/chat/completions"),
    (b"/api", records.CHAT, "/api/chat/completions"), (b"/v1beta/openai", records.RESPONSES, "/v1beta/openai/responses"),
    (b"", records.MESSAGES, "/v1/messages"), (b"/v1", records.MESSAGES, "/v1/messages"),
    (b"/anthropic", records.MESSAGES, "/anthropic/v1/messages"), (b"/a/v1", records.MESSAGES, "/a/v1/messages"),
    (b"/av1", records.MESSAGES, "/av1/v1/messages"), (b"/a/v1", records.COUNT_TOKENS, "/a/v1/messages/count_tokens"),
]


WIRES = {records.MESSAGES: records.WIRE_ANTHROPIC, records.COUNT_TOKENS: records.WIRE_ANTHROPIC,
         records.RESPONSES: records.WIRE_OPENAI, records.CHAT: records.WIRE_OPENAI}


def paths(results, seen):
    for base_path, endpoint, path in PATHS:
        with Upstream(wire=WIRES[endpoint], base_path=base_path) as upstream:
            upstream.exchange(endpoint=endpoint)
            results.equal("%r and endpoint %d" % (base_path, endpoint), seen[-1].line, "POST %s HTTP/1.1" % path)
    longest = b"/" + b"x" * 254
    with Upstream(wire=records.WIRE_OPENAI, base_path=longest) as upstream:
        upstream.exchange(endpoint=records.CHAT)
        results.equal("the longest prefix", seen[-1].line, "POST %s/chat/completions HTTP/1.1" % longest.decode())


def openai(results, seen):
    for endpoint in (records.RESPONSES, records.CHAT):
        with Upstream(wire=records.WIRE_OPENAI, host=b"api.openai.com") as upstream:
            upstream.exchange(b'{"a":1}', endpoint=endpoint)
            got = dict(seen[-1].fields)
            results.ok("user agent", got.pop("user-agent", "").startswith("anet/"), seen[-1].fields)
            results.equal("header fields of endpoint %d" % endpoint, got,
                          {"host": "api.openai.com", "accept-encoding": "identity", "accept": "application/json",
                           "authorization": "Bearer " + KEY.decode(), "content-type": "application/json",
                           "content-length": "7"})
            results.equal("each once", len(seen[-1].fields), 7)
            upstream.exchange(endpoint=endpoint, flags=records.STREAM)
            results.equal("a stream is asked for as one", seen[-1].field("accept"), ["text/event-stream"])


def other_wire(results):
    """A gateway cannot ask for what is not of the session's API."""
    for name, wire, values in (
            ("Messages on OpenAI's", records.WIRE_OPENAI, {"endpoint": records.MESSAGES}),
            ("token counts on OpenAI's", records.WIRE_OPENAI, {"endpoint": records.COUNT_TOKENS}),
            ("Responses on Anthropic's", records.WIRE_ANTHROPIC, {"endpoint": records.RESPONSES}),
            ("Chat on Anthropic's", records.WIRE_ANTHROPIC, {"endpoint": records.CHAT}),
            ("no endpoint", records.WIRE_OPENAI, {"endpoint": 0}), ("an unknown one", records.WIRE_OPENAI, {"endpoint": 5}),
            ("beta flags", records.WIRE_OPENAI, {"endpoint": records.CHAT, "beta": 1}),
            ("?beta=true", records.WIRE_OPENAI, {"endpoint": records.CHAT, "flags": records.QUERY_BETA})):
        with Upstream(wire=wire) as upstream:
            upstream.request(**values)
            upstream.reports()
            results.equal(name, upstream.outcome["code"], "handover_invalid", upstream.outcome)


def bodies(results, upstream, seen):
    # Around the size of the first piece, and the largest one.
    sizes = [0, 1, 15000, 16383, 16384, 16385, 100000, records.LIMIT_BODY_BYTES]
    for size in sizes:
        body = os.urandom(size)
        answer, done = upstream.exchange(body)
        results.ok("a body of %d bytes" % size, done["code"] == "ok" and
                   hashlib.sha256(seen[-1].body).digest() == hashlib.sha256(body).digest(), done)
    results.equal("all over one connection", upstream_connections(seen), 1)


def upstream_connections(seen):
    return len({request.connection for request in seen})


def test(results):
    seen = []

    def behaviour(peer):
        while True:
            request = peer.request()
            request.connection = peer.number
            seen.append(request)
            peer.send(ANSWER)

    with Service(behaviour), Upstream() as upstream:
        head(results, upstream, seen)
        variants(results, upstream, seen)
        bodies(results, upstream, seen)
        results.equal("the end of the pair ends it", upstream.finish(), (0, "ok"))
        sent = sum(len(request.body) for request in seen)
        results.equal("outcome", [upstream.outcome[key] for key in ("requests", "bytes_in", "bytes_out", "connection")],
                      [len(seen), sent, 2 * len(seen), 7], upstream.outcome)
        results.equal("no event", upstream.events, [])

    with Service(behaviour):
        paths(results, seen)
        openai(results, seen)
        other_wire(results)
    with Service(behaviour, port=0, plain=True) as service, \
            Upstream(flags=3, host=b"localhost", port=service.port, base_path=b"/some/prefix") as upstream:
        upstream.exchange()
        results.equal("base path", seen[-1].line, "POST /some/prefix/v1/messages HTTP/1.1")
        results.equal("a port of its own", seen[-1].field("host"), ["localhost:%d" % service.port])
    with Service(behaviour, port=0, plain=True, address="::1") as service, \
            Upstream(flags=3, host=b"::1", port=service.port) as upstream:
        upstream.exchange()
        results.equal("an IPv6 address", seen[-1].field("host"), ["[::1]:%d" % service.port])


upstream_test(test)

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

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""anet-upstream: each way in which a service may frame an answer, and which of its
header fields an agent gets."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import records
from tls_stub import Service
from upstream import Upstream, upstream_test

EVENT = b"event: ping\ndata: {}\n\n"
BIG = bytes(range(256)) * 4096

# name, what the service says, whether it then ends the connection, status, body
FRAMINGS = [
    ("content-length", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", False, 200, b"hello"),
    ("content-length 0", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", False, 200, b""),
    ("no reason phrase", b"HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello", False, 200, b"hello"),
    ("chunked", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n", False, 200,
     b"hello"),
    ("chunked, empty", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\n\r\n", False, 200, b""),
    ("until the end", b"HTTP/1.1 200 OK\r\n\r\nhello", True, 200, b"hello"),
    ("HTTP/1.0", b"HTTP/1.0 200 OK\r\n\r\nhello", True, 200, b"hello"),
    ("204", b"HTTP/1.1 204 No Content\r\nRequest-Id: r\r\n\r\n", False, 204, b""),
    ("interim answers first", b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n"
     b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", False, 200, b"hello"),
    ("1 MiB, content-length", b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(BIG), BIG), False, 200, BIG),
    ("1 MiB, one chunk", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(BIG), BIG),
     False, 200, BIG),
    ("1 MiB, chunks of 7", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"".join(
        b"%x\r\n%s\r\n" % (len(BIG[i:i + 7]), BIG[i:i + 7]) for i in range(0, len(BIG), 7)) + b"0\r\n\r\n", False, 200, BIG),
    ("an error of the service", b"HTTP/1.1 529 Overloaded\r\nContent-Length: 9\r\n\r\n{\"x\":529}", False, 529,
     b'{"x":529}'),
    ("a redirect is not followed", b"HTTP/1.1 307 Temporary Redirect\r\nLocation: https://elsewhere.example/\r\n"
     b"Content-Length: 2\r\n\r\nno", False, 307, b"no"),
]

# name, what the service says before it ends the connection
MALFORMED = [
    ("no HTTP", b"SSH-2.0-OpenSSH_9.2\r\n"),
    ("HTTP/2", b"HTTP/2 200 OK\r\nContent-Length: 0\r\n\r\n"),
    ("bare LF", b"HTTP/1.1 200 OK\nContent-Length: 0\n\n"),
    ("a folded line", b"HTTP/1.1 200 OK\r\nRequest-Id: a\r\n b\r\nContent-Length: 0\r\n\r\n"),
    ("two Content-Length", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n"),
    ("both framings", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    ("another coding", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
    ("gzip", b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n"),
    ("another protocol", b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"),
    ("a NUL in a field", b"HTTP/1.1 200 OK\r\nRequest-Id: a\0b\r\nContent-Length: 0\r\n\r\n"),
    ("a head without end", b"HTTP/1.1 200 OK\r\nRequest-Id: " + b"x" * 70000),
    ("interim answers without end", b"HTTP/1.1 102 Processing\r\n\r\n" * 100),
    ("half a head", b"HTTP/1.1 200 OK\r\nRequest-"),
    ("nothing", b""),
]

FIELDS = (b"HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nRequest-Id: req_1\r\nRetry-After: 7\r\n"
          b"x-should-retry: true\r\nAnthropic-Ratelimit-Requests-Remaining: 3\r\nSet-Cookie: session=secret\r\n"
          b"Anthropic-Organization-Id: org_secret\r\nServer: secret\r\nCF-Ray: secret\r\nVia: secret\r\n"
          b"Connection: keep-alive\r\nKeep-Alive: timeout=9\r\nX-Other: secret\r\nContent-Length: 2\r\n\r\n{}")
PEER_FIELDS = [("content-type", "application/json"), ("request-id", "req_1"), ("retry-after", "7"),
               ("x-should-retry", "true"), ("content-length", "2")]
OWN_FIELDS = PEER_FIELDS[:4] + [("anthropic-ratelimit-requests-remaining", "3")] + PEER_FIELDS[4:]


class Script:
    """Says `answer` to every request."""

    def __call__(self, peer):
        while True:
            peer.request()
            peer.send(self.answer)
            if self.ends:
                return


def framings(results, upstream, script):
    for name, script.answer, script.ends, status, body in FRAMINGS:
        answer, done = upstream.exchange()
        results.ok(name, answer and answer.whole and (answer.status, answer.body) == (status, body), answer)
        results.equal(name + ": done", (done["code"], done["http_status"], done["response_bytes"], done["flags"]),
                      ("ok", status, len(body), records.HEAD_SENT), done)


def malformed(results, upstream, script):
    script.ends = True
    for name, script.answer in MALFORMED:
        answer, done = upstream.exchange()
        results.equal(name, (answer, done["code"], done["flags"]), (None, "upstream_protocol", 0), done)
        results.ok(name + ": a sentence", len(done["detail"]) > 10, done)


def broken_bodies(results, script):
    script.ends = True
    for name, script.answer in (
            ("too short for its length", b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"),
            ("without last chunk", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
            ("a chunk size that is none", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n+5\r\n")):
        with Upstream() as upstream:
            answer, done = upstream.exchange()
            results.ok(name + ": the agent sees that", not (answer and answer.whole), answer)
            results.equal(name, done["code"], "upstream_protocol", done)
            wanted = records.HEAD_SENT | records.CLOSE if answer else 0
            results.equal(name + ": flags", done["flags"], wanted, done)


def last(results, script):
    script.answer, script.ends = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", False
    with Upstream() as upstream:
        answer, done = upstream.exchange(flags=records.LAST)
        results.equal("the last answer says so", answer.field("connection"), "close")
        results.equal("and so does its record", done["flags"], records.HEAD_SENT | records.CLOSE)


def fields(results, script):
    script.answer, script.ends = FIELDS, False
    for name, profile, wanted in (("peer", records.PROFILE_PEER, PEER_FIELDS), ("own", records.PROFILE_OWN, OWN_FIELDS)):
        with Upstream(profile=profile) as upstream:
            answer, _ = upstream.exchange()
            results.equal("header fields, profile " + name, answer.fields, wanted)
            results.lacks("nothing else, profile " + name, upstream.agent.raw, b"secret")


def test(results):
    script = Script()
    with Service(script):
        with Upstream(profile=records.PROFILE_OWN) as upstream:
            framings(results, upstream, script)
            malformed(results, upstream, script)
            results.equal("end", upstream.finish(), (0, "ok"))
            results.equal("an event each", [event["code"] for event in upstream.events],
                          ["upstream_protocol"] * len(MALFORMED))
        broken_bodies(results, script)
        last(results, script)
        fields(results, script)


upstream_test(test)

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""anet-upstream: each way in which a service may frame an answer, and which of its
header fields an agent gets."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import records
from ledger import Ledger
from tls_stub import Service
from upstream import KEY, Upstream, upstream_test

ENDPOINT = {records.WIRE_ANTHROPIC: records.MESSAGES, records.WIRE_OPENAI: records.RESPONSES}
BIG = bytes(range(256)) * 4096

# name, what the service says, whether it then ends the connection, status, body
FRAMINGS = [
    ("content-length", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", False, 200, b"hello"),
    ("content-length 0", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", False, 200, b""),
    ("no reason phrase", b"HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello", False, 200, b"hello"),
    ("chunked", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n", False, 200,
     b"hello"),
    ("trailers are thrown away", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: x-sum\r\n\r\n5\r\nhello\r\n0\r\n"
     b"x-sum: 1\r\nContent-Length: 9\r\n\r\n", False, 200, b"hello"),
    ("a head of nearly 64 KiB", b"HTTP/1.1 200 OK\r\nX-Other: " + b"x" * 65000 + b"\r\nContent-Length: 5\r\n\r\nhello", False,
     200, b"hello"),
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
    ("an error that OpenAI's SDKs know", b"HTTP/1.1 424 Failed Dependency\r\nContent-Length: 2\r\n\r\n{}", False, 424,
     b"{}"),
]

# status, other fields, what is told of it
REDIRECTS = [
    (301, b"Location: https://elsewhere.example/v1\r\n", b"status 301 to 'https://elsewhere.example/v1'"),
    (302, b"", b"status 302"),
    (303, b"Location: https://\xc3\xa4.example/\r\n", b"status 303"),
    (307, b"x-location: /x\r\nlocation: /y\r\n", b"status 307 to '/y'"),
    (308, b"Location: \r\n", b"status 308 to ''"),
    (304, b"", b"status 304"),
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
          b"X-Request-Id: req_2\r\nRetry-After-Ms: 7000\r\nX-RateLimit-Remaining-Tokens: 4\r\nOpenAI-Organization: secret\r\n"
          b"OpenAI-Processing-Ms: 12\r\nOpenAI-Version: 2020-10-01\r\nX-Codex-Turn-State: secret\r\n"
          b"Connection: keep-alive\r\nKeep-Alive: timeout=9\r\nX-Other: secret\r\nContent-Length: 2\r\n\r\n{}")
COMMON = [("content-type", "application/json"), ("retry-after", "7"), ("x-should-retry", "true"), ("content-length", "2")]
# wire, profile, the fields besides
FIELD_ROWS = [
    (records.WIRE_ANTHROPIC, records.PROFILE_PEER, [("request-id", "req_1")]),
    (records.WIRE_ANTHROPIC, records.PROFILE_OWN,
     [("request-id", "req_1"), ("anthropic-ratelimit-requests-remaining", "3")]),
    (records.WIRE_OPENAI, records.PROFILE_PEER, [("x-request-id", "req_2"), ("retry-after-ms", "7000")]),
    (records.WIRE_OPENAI, records.PROFILE_OWN,
     [("x-request-id", "req_2"), ("retry-after-ms", "7000"), ("x-ratelimit-remaining-tokens", "4")]),
]


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


def redirects(results, script):
    """The agent could not reach it, and the operator has to know: a sentence."""
    script.ends = False
    with Upstream(profile=records.PROFILE_OWN) as upstream:
        for status, fields, detail in REDIRECTS:
            script.answer = b"HTTP/1.1 %d Moved\r\n%sContent-Length: 0\r\n\r\n" % (status, fields)
            answer, done = upstream.exchange()
            results.equal("redirect %d" % status, (answer, done["code"], done["http_status"], done["flags"], done["detail"]),
                          (None, "upstream_redirect", status, 0, detail), done)
        results.equal("redirects: end", upstream.finish(), (0, "ok"))
        results.equal("redirects: told", [event["code"] for event in upstream.events],
                      ["upstream_redirect"] * len(REDIRECTS))
    script.answer = b"HTTP/1.1 301 Moved\r\nLocation: https://inside.example/\r\nContent-Length: 0\r\n\r\n"
    with Upstream(profile=records.PROFILE_PEER) as upstream:
        results.equal("a peer is not told where to", upstream.exchange()[1]["detail"], b"status 301")
    script.answer = b"HTTP/1.1 301 Moved\r\nLocation: https://a.example/?%s\r\nContent-Length: 0\r\n\r\n" % KEY
    with Upstream(profile=records.PROFILE_OWN) as upstream:
        done = upstream.exchange()[1]
        results.equal("a redirect with the key", (done["code"], KEY in done["detail"]), ("upstream_key_echo", False), done)


def broken_bodies(results, script):
    script.ends = True
    for name, script.answer in (
            ("too short for its length", b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"),
            ("without last chunk", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
            ("trailers without end", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n" +
             b"x: y\r\n" * 2000),
            ("half a chunk", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"),
            ("a chunk that is too long", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello, world\r\n0\r\n\r\n"),
            ("a chunk size that overflows", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
             b"10000000000000000\r\n"),
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
    for wire, profile, wanted in FIELD_ROWS:
        name = "wire %d, profile %d" % (wire, profile)
        with Upstream(wire=wire, profile=profile) as upstream:
            answer, _ = upstream.exchange(endpoint=ENDPOINT[wire])
            results.equal("header fields, " + name, sorted(answer.fields), sorted(COMMON + wanted))
            results.lacks("nothing else, " + name, upstream.agent.raw, b"secret")
    with Upstream(profile=records.PROFILE_PEER, requests=60, request_bytes=1000, ledger=Ledger(requests=57)) as upstream:
        for left in (2, 1, 0):
            answer, _ = upstream.exchange(b"{" + b" " * 98 + b"}")
            results.equal("left: %d" % left, [answer.field("anet-" + name) for name in ("requests-left", "request-bytes-left")],
                          [str(left), str(700 + 100 * left)])
        answer, _ = upstream.exchange(endpoint=records.COUNT_TOKENS)
        results.equal("a token count is none of them", answer.field("anet-requests-left"), "0")
    with Upstream(profile=records.PROFILE_OWN, requests=5) as upstream:
        answer, _ = upstream.exchange()
        results.equal("only what is limited is told", [value for value in answer.fields if value[0].startswith("anet-")],
                      [("anet-requests-left", "4")])


def test(results):
    script = Script()
    with Service(script):
        with Upstream(profile=records.PROFILE_OWN) as upstream:
            framings(results, upstream, script)
            malformed(results, upstream, script)
            results.equal("end", upstream.finish(), (0, "ok"))
            results.equal("an event each", [event["code"] for event in upstream.events],
                          ["upstream_protocol"] * len(MALFORMED))
        redirects(results, script)
        broken_bodies(results, script)
        last(results, script)
        fields(results, script)


upstream_test(test)

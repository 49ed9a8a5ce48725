#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where a request ends is never in doubt: what two programs could read differently
is refused, the connection ends, and a request hidden behind it is not served."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from gateway import MESSAGE, Gateway
from tap import run_test

HIDDEN = b"GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"
START = b"POST /v1/messages HTTP/1.1\r\nHost: a\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"


def fields(*lines):
    return START + b"".join(line + b"\r\n" for line in lines) + b"\r\n"


ROWS = [
    ("length and coding", fields(b"Content-Length: 5", b"Transfer-Encoding: chunked") + b"0\r\n\r\n"),
    ("coding and length", fields(b"Transfer-Encoding: chunked", b"Content-Length: 5") + b"0\r\n\r\n"),
    ("coding and length 0", fields(b"Transfer-Encoding: chunked", b"Content-Length: 0")),
    ("two lengths", fields(b"Content-Length: 0", b"Content-Length: 44")),
    ("two equal lengths", fields(b"Content-Length: 0", b"Content-Length: 0")),
    ("length in a list", fields(b"Content-Length: 0, 0")),
    ("length +0", fields(b"Content-Length: +0")),
    ("length -1", fields(b"Content-Length: -1")),
    ("length 0x0", fields(b"Content-Length: 0x0")),
    ("two spaces before the length", fields(b"Content-Length:  0")),
    ("tab behind the length", fields(b"Content-Length: 0\t")),
    ("empty length", fields(b"Content-Length:")),
    ("length of 2^64", fields(b"Content-Length: 18446744073709551616")),
    ("xchunked", fields(b"Transfer-Encoding: xchunked")),
    ("chunked and a tab", fields(b"Transfer-Encoding: chunked\t")),
    ("chunked,", fields(b"Transfer-Encoding: chunked,")),
    ("gzip, chunked", fields(b"Transfer-Encoding: gzip, chunked")),
    ("chunked, identity", fields(b"Transfer-Encoding: chunked, identity")),
    ("chunked twice", fields(b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked")),
    ("identity", fields(b"Transfer-Encoding: identity")),
    ("coding on a folded line", fields(b"Transfer-Encoding:", b" chunked")),
    ("length on a folded line", fields(b"X: a", b" Content-Length: 0")),
    ("space before the colon", fields(b"Content-Length : 0")),
    ("space before the colon of the coding", fields(b"Transfer-Encoding : chunked")),
    ("NUL in the coding", fields(b"Transfer-Encoding: chunked\0")),
    ("coding behind a bare LF", fields(b"X: a\nTransfer-Encoding: chunked")),
    ("coding behind a bare CR", fields(b"X: a\rTransfer-Encoding: chunked")),
    ("lines that end with LF", START.replace(b"\r\n", b"\n") + b"\n"),
    ("field before the host with white space", b"GET / HTTP/1.1\r\n X: a\r\nHost: a\r\n\r\n"),
    ("no host", b"GET / HTTP/1.1\r\n\r\n"),
    ("two hosts", fields(b"Host: b")),
    ("absolute-form", b"GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("CONNECT", b"CONNECT b:443 HTTP/1.1\r\nHost: b:443\r\n\r\n"),
    ("asterisk-form", b"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("HTTP/1.0", b"GET / HTTP/1.0\r\nHost: a\r\n\r\n"),
    ("HTTP/0.9", b"GET /\r\n"),
    ("HTTP/2 preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    ("TLS", b"\x16\x03\x01\x02\x00\x01\x00"),
    ("size of 2^64", START + CHUNKED + b"\r\n10000000000000000\r\n\r\n"),
    ("size +5", START + CHUNKED + b"\r\n+5\r\nhello\r\n0\r\n\r\n"),
    ("size 0x5", START + CHUNKED + b"\r\n0x5\r\nhello\r\n0\r\n\r\n"),
    ("size and a space", START + CHUNKED + b"\r\n5 \r\nhello\r\n0\r\n\r\n"),
    ("chunk line that ends with LF", START + CHUNKED + b"\r\n5\nhello\r\n0\r\n\r\n"),
    ("LF in an extension", START + CHUNKED + b"\r\n0;a\n\r\n\r\n"),
    ("chunk longer than its size", START + CHUNKED + b"\r\n5\r\nhello!\r\n0\r\n\r\n"),
    ("trailer", START + CHUNKED + b"\r\n0\r\nX: y\r\n\r\n"),
    ("last chunk that ends with LF", START + CHUNKED + b"\r\n0\n\n"),
]
STATUS = {"HTTP/1.0": 505, "HTTP/2 preface": 505}


def refused(results, name, request):
    with results.under(name + ": "), Gateway() as gateway:
        gateway.agent.send(request + HIDDEN)
        answer = gateway.agent.answer()
        results.equal("status", answer.status, STATUS.get(name, 400))
        results.ok("it says that it closes", answer.field("connection") == "close", answer)
        results.ok("the hidden request has no answer", gateway.agent.ended())
        gateway.agent.close()
        gateway.reports()
        results.equal("one request, one event, nothing forwarded",
                      (gateway.outcome["requests"], len(gateway.events), gateway.upstream.requests), (1, 1, []))
        results.equal("the event has the reason of the answer", gateway.events[0]["code"], answer.reason)


def head_limits(results):
    for name, line, status in (
            ("longest request line", b"GET /" + b"a" * (8000 - 14) + b" HTTP/1.1", 404),
            ("longer request line", b"GET /" + b"a" * (8001 - 14) + b" HTTP/1.1", 431),
            ("100 fields", b"GET / HTTP/1.1" + b"\r\nX: y" * 99, 200),
            ("101 fields", b"GET / HTTP/1.1" + b"\r\nX: y" * 100, 431),
            ("30 KiB in a field", b"GET / HTTP/1.1\r\nX: " + b"a" * 30 * 1024, 200),
            ("33 KiB in a field", b"GET / HTTP/1.1\r\nX: " + b"a" * 33 * 1024, 431)):
        with Gateway() as gateway:
            gateway.agent.send(line + b"\r\nHost: a\r\n\r\n")
            results.equal(name, gateway.agent.answer().status, status)


def control(results):
    """The same without the ambiguity is served, and so is what follows."""
    with Gateway() as gateway:
        gateway.agent.send(START + b"Content-Length: %d\r\n\r\n" % len(MESSAGE) + MESSAGE + HIDDEN)
        results.equal("an unambiguous request", gateway.agent.answer().status, 200)
        results.equal("and what follows it", gateway.agent.answer().status, 404)


def test(results):
    control(results)
    for name, request in ROWS:
        refused(results, name, request)
    head_limits(results)


run_test(test)

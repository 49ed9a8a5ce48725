#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: alone
"""A client that never finishes is given up: within a head, within a body, between two
requests, and when it takes no answer.  The gateway's clock runs faster (fastclock.py)."""
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import records
from fastclock import fast_clock
from gateway import ENDPOINTS, Gateway, post
from tap import run_test

FASTER = 100
HEAD = b"POST %s HTTP/1.1\r\nHost: a\r\n"


def given_up(results, name, gateway, begin, seconds, detail=""):
    """It answers 408 and closes, after so many seconds of its clock."""
    answer = gateway.agent.answer()
    elapsed = (time.monotonic() - begin) * FASTER
    results.equal(name + ": answered", (answer.status, answer.reason), (408, "http_timeout"))
    results.contains(name + ": says why", answer.body.decode(), detail)
    results.ok(name + ": when", seconds * 0.98 <= elapsed < seconds + 3 * FASTER, "%.0f s" % elapsed)
    results.ok(name + ": and closed", answer.field("connection") == "close" and gateway.agent.ended())
    gateway.agent.close()
    gateway.reports()
    results.equal(name + ": one event", [event["code"] for event in gateway.events], ["http_timeout"])
    results.equal(name + ": nothing was forwarded", gateway.upstream.requests, [])


def dribble(gateway, data, pause, rest):
    """Sends `data`, then `rest` byte by byte, until the gateway answers."""
    gateway.agent.send(data)
    for byte in rest:
        if not gateway.agent.is_quiet(pause / FASTER):
            return
        gateway.agent.send(bytes([byte]))


def each(results, environment, wire, path, body):
    def start():
        return Gateway(policy=records.policy(wire=wire), environment=environment)

    head = HEAD % path.encode()
    length = head + b"Content-Length: %d\r\n\r\n" % len(body)
    chunked = head + b"Transfer-Encoding: chunked\r\n\r\n"
    for name, data, pause, rest, seconds, detail in (
            ("a head that stops", head, 0, b"", 30, "the head stopped"),
            ("a head that dribbles", head, 5, b"X: " + b"y" * 40, 30, "the head stopped"),
            ("a body that does not come", length, 0, b"", 60, "the body stopped"),
            ("a body that stops", length + body[:-1], 0, b"", 60, "the body stopped"),
            ("a chunk that stops", chunked + b"9\r\n{", 0, b"", 60, "the body stopped"),
            ("chunks without the last", chunked + b"2\r\n{}\r\n", 0, b"", 60, "the body stopped"),
            ("a body that dribbles", chunked + b"100\r\n", 40, b"{" + b" " * 40, 600, "the body stopped")):
        with start() as gateway:
            begin = time.monotonic()
            dribble(gateway, data, pause, rest)
            given_up(results, name, gateway, begin, seconds, detail)
    with start() as gateway:
        dribble(gateway, b"", 0.05, post(body, path))
        results.equal("one byte at a time, but in time", gateway.agent.answer().status, 200)
        begin = time.monotonic()
        gateway.reports()
        elapsed = (time.monotonic() - begin) * FASTER
        results.equal("silence between two requests is no fault", (gateway.outcome["code"], gateway.events), ("ok", []))
        results.ok("and ends the connection after ten minutes", 600 * 0.98 <= elapsed < 600 + 3 * FASTER, "%.0f s" % elapsed)


def test(results):
    with tempfile.TemporaryDirectory() as directory:
        environment = fast_clock(directory, FASTER)
        for wire, path, _, body in ENDPOINTS[::2]:  # one of each API
            with results.under(path + ": "):
                each(results, environment, wire, path, body)


run_test(test)

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: alone
"""anet-upstream: how long a service or an agent may be silent.  The deadlines are ten
minutes, so the helper's clock runs faster here (fastclock.py)."""
import os
import socket
import sys
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import private
import records
from fastclock import fast_clock
from tls_stub import Service
from upstream import Upstream, upstream_test

FASTER = 300
STREAM_HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def timed(results, name, behaviour, seconds, wanted, environment, before=None):
    """`seconds` of the helper's clock until it gives up."""
    with Service(behaviour), Upstream(environment=environment) as upstream:
        if before:
            before(upstream)
        begin = time.monotonic()
        upstream.request()
        done = upstream.done()
        elapsed = (time.monotonic() - begin) * FASTER
        results.equal(name, done["code"], wanted, done)
        results.ok(name + ": when", seconds * 0.98 <= elapsed < seconds + 5 * FASTER, "%.0f s" % elapsed)
        upstream.done_record = done
        return upstream.agent.answer() if done["flags"] & records.HEAD_SENT else None


def silent(peer):
    peer.request()
    peer.wait_gone()


def dribbling_head(peer):
    peer.request()
    peer.send(b"HTTP/1.1 200 OK\r\nRequest-Id: ")
    while not peer.wait_gone(0.2):
        peer.send(b"x")


def silent_within(peer):
    peer.request()
    peer.send(STREAM_HEAD)
    for _ in range(4):  # each begins the time anew
        peer.chunk(b"data: 1\n\n")
        time.sleep(400 / FASTER)
    peer.wait_gone()


def endless(peer):
    peer.request()
    peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (1 << 30))
    while True:
        peer.send(b"x" * 65536)


def silent_handshake(results, environment):
    with socket.create_server(("127.0.0.1", 443)), Upstream(environment=environment) as upstream:
        begin = time.monotonic()
        upstream.request()
        done = upstream.done()
        elapsed = (time.monotonic() - begin) * FASTER
        results.equal("a service that does not speak TLS", done["code"], "upstream_timeout", done)
        results.ok("a service that does not speak TLS: when", elapsed < 15 + 5 * FASTER, elapsed)


def test(results):
    environment = fast_clock(private.directory, FASTER)
    timed(results, "no answer", silent, 600, "upstream_timeout", environment)
    timed(results, "a head that does not end", dribbling_head, 600, "upstream_timeout", environment)
    answer = timed(results, "silence within the answer", silent_within, 1600 + 200, "upstream_timeout", environment)
    results.equal("silence within the answer: what came", (len(answer.body), answer.whole), (4 * 9, False))
    timed(results, "an agent that does not read", endless, 600, "client_gone", environment)
    silent_handshake(results, environment)


upstream_test(test)

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: alone
"""anet-upstream: each event of a stream reaches the agent at once, however it was
split, and an agent that does not read makes the service wait."""
import os
import statistics
import sys
import threading
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import records
from tls_stub import Service
from upstream import Upstream, upstream_test

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
EVENT = b"data: {\"n\": %08d}\n\n"
EVENTS = 30


def each_at_once(results):
    sent = []

    def behaviour(peer):
        peer.request()
        peer.send(HEAD)
        for number in range(EVENTS):
            time.sleep(0.03)
            sent.append(time.monotonic())
            peer.chunk(EVENT % number)
        peer.send(b"0\r\n\r\n")

    with Service(behaviour), Upstream() as upstream:
        answer, done = upstream.exchange(flags=records.STREAM)
        results.equal("events stay whole and apart", [data for _, data in answer.pieces],
                      [EVENT % number for number in range(EVENTS)], done)
        delays = [got - put for (got, _), put in zip(answer.pieces, sent)]
        results.note("delay: median %.2f ms, longest %.2f ms" % (statistics.median(delays) * 1000, max(delays) * 1000))
        # Threads of this test among them; an event that waited for the next
        # one would take at least 30 ms.
        results.ok("an event is there within 20 ms", statistics.median(delays) < 0.02, delays)


def head_at_once(results):
    got = threading.Event()

    def behaviour(peer):
        peer.request()
        peer.send(HEAD)
        got.wait(20)
        peer.send(b"0\r\n\r\n")

    with Service(behaviour), Upstream() as upstream:
        upstream.request(flags=records.STREAM)
        results.ok("the head does not wait for the first event", not upstream.agent.got_nothing(10))
        got.set()
        results.ok("and the end comes", upstream.agent.answer().whole)
        results.equal("done", upstream.done()["code"], "ok")


def bytewise(results):
    body = b"".join(EVENT % number for number in range(10))
    text = HEAD + b"%x\r\n" % len(body) + body + b"\r\n0\r\n\r\n"

    def behaviour(peer):
        peer.request()
        for byte in text:
            peer.send(bytes([byte]))

    with Service(behaviour), Upstream() as upstream:
        answer, done = upstream.exchange(flags=records.STREAM)
        results.equal("one byte at a time", (answer.body, answer.whole, done["code"]), (body, True, "ok"))


# name, endpoint, what the service sends of a stream that it does not end, whether that is all
LEAVING = [
    ("Responses, completed", records.RESPONSES, b"event: response.created\ndata: {}\n\nevent: response.completed\n"
     b"data: {\"type\":\"response.completed\"}\n\n", True),
    ("Chat, [DONE]", records.CHAT, b"data: {\"choices\":[]}\n\ndata: [DONE]\n\n", True),
    ("Messages, message_stop", records.MESSAGES, b"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n", True),
    ("Responses, in the middle", records.RESPONSES, b"event: response.created\ndata: {}\n\n", False),
    ("Responses, within the last event", records.RESPONSES, b"event: response.completed\ndata: {\"type\":\"resp", False),
]


def leaves(results):
    """Codex closes when it has read the last event: that is no abort."""
    for name, endpoint, text, all_said in LEAVING:
        for reset in (False, True):
            gone = []

            def behaviour(peer):
                peer.request()
                peer.send(HEAD)
                peer.chunk(text)
                gone.append(peer.wait_gone())

            wire = records.WIRE_ANTHROPIC if endpoint == records.MESSAGES else records.WIRE_OPENAI
            with results.under(name + (", by a reset: " if reset else ": ")), Service(behaviour), \
                    Upstream(wire=wire) as upstream:
                upstream.request(flags=records.STREAM, endpoint=endpoint)
                upstream.agent.read_until(text)
                if reset:
                    upstream.agent.reset()
                else:
                    upstream.agent.close()
                done = upstream.done()
                results.equal("what became of it", (done["code"], done["flags"]),
                              ("ok" if all_said else "client_gone", records.HEAD_SENT | records.CLOSE), done)
                results.equal("end", upstream.finish(), (0, "ok"))
                results.equal("nothing to tell", upstream.events, [])
            results.ok("the service is left, too: " + name, gone and gone[0] is not None, gone)


def slow_agent(results):
    total = 32 * 1024 * 1024
    piece = b"x" * 65536
    progress = [0]

    def behaviour(peer):
        peer.request()
        peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % total)
        for _ in range(total // len(piece)):
            peer.send(piece)
            progress[0] += len(piece)

    with Service(behaviour), Upstream() as upstream:
        upstream.request()
        before = -1
        while progress[0] != before or before == 0:
            before = progress[0]
            time.sleep(0.5)
        results.note("the service could send %d KiB before it had to wait" % (before // 1024))
        results.ok("it has to wait", before < total * 3 // 4, before)
        with open("/proc/%d/status" % upstream.pid) as file:
            resident = next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
        results.ok("nothing piles up in between", resident < 12 * 1024, "%d KiB" % resident)
        answer = upstream.agent.answer()
        results.equal("and goes on to the end", (sum(len(data) for _, data in answer.pieces), answer.whole), (total, True))
        results.equal("done", upstream.done()["response_bytes"], total)
        results.equal("end", upstream.finish(), (0, "ok"))
        results.equal("bytes in the ledger", upstream.ledger.used()["response_bytes"], total)


def test(results):
    # Service and agent are threads here: let neither wait 5 ms for the other.
    sys.setswitchinterval(0.0002)
    each_at_once(results)
    head_at_once(results)
    bytewise(results)
    leaves(results)
    slow_agent(results)


upstream_test(test)

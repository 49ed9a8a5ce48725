#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whoever ends, and when: the gateway ends with its supervisor, and tells an agent what it can."""
import os
import sys
import json
import os
import signal
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import records
from gateway import MESSAGE, Gateway, post
from tap import run_test

HALF_HEAD = b"POST /v1/messages HTTP/1.1\r\nHo"
HALF_BODY = post(MESSAGE)[:-5]
HALF_CHUNK = post(b"", fields=["Transfer-Encoding: chunked"], length=False) + b"ff\r\nabc"


def supervisor_ends(results):
    def prepared(gateway):
        gateway.prepare()

    def connected(gateway):
        gateway.prepare()
        gateway.connect()

    def sent(data):
        def stage(gateway):
            connected(gateway)
            gateway.agent.send(data)
        return stage

    def forwarded(gateway):
        connected(gateway)
        gateway.upstream.behaviour = lambda *_: time.sleep(30)
        gateway.agent.send(post(MESSAGE))
        while not gateway.upstream.requests:
            time.sleep(0.01)

    def lingering(gateway):
        connected(gateway)
        gateway.agent.send(b"\0")
        gateway.agent.answer()

    stages = [("before anything", lambda gateway: None), ("before the connection", prepared), ("idle", connected),
              ("in the head", sent(HALF_HEAD)), ("in the body", sent(HALF_BODY)), ("in a chunk", sent(HALF_CHUNK)),
              ("while the upstream answers", forwarded), ("while it closes", lingering)]
    for name, stage in stages:
        with Gateway(connected=False) as gateway:
            stage(gateway)
            time.sleep(0.05)
            begin = time.monotonic()
            gateway.supervisor.close()
            status = gateway.status()
            results.equal(name, (status, time.monotonic() - begin < 1), (0, True))


def agent_ends(results):
    for name, data, code in (("without a byte", b"", "ok"), ("in the head", HALF_HEAD, "client_gone"),
                             ("in the body", HALF_BODY, "client_gone"), ("in a chunk", HALF_CHUNK, "client_gone"),
                             ("behind a request", post(b"x"), "ok")):
        for way in ("close", "reset"):
            with Gateway() as gateway:
                gateway.agent.send(data)
                if code == "ok" and data:
                    gateway.agent.answer()
                time.sleep(0.05)
                getattr(gateway.agent, way)()
                # Nothing is open there any more but what the gateway and the
                # double of the upstream hold.
                gateway.reports()
                want = (code, "client_gone") if way == "reset" else (code,)
                results.ok("%s, %s" % (name, way), gateway.outcome and gateway.outcome["code"] in want,
                           gateway.outcome)
                results.equal("exit status", gateway.status(), 0)
                results.equal("nothing forwarded", gateway.upstream.requests, [])


def upstream_ends(results):
    with Gateway(connected=False) as gateway:
        gateway.prepare()
        gateway.pair.close()
        gateway.reports()
        results.equal("before the connection", gateway.outcome["code"], "helper_died")

    with Gateway() as gateway:
        gateway.agent.send(post(b"x"))
        gateway.agent.answer()
        gateway.upstream.end()
        gateway.reports()
        results.equal("between two requests", gateway.outcome["code"], "helper_died")
        results.ok("the agent sees an end", gateway.agent.ended())

    def die(upstream, *_):
        upstream.pair.close()

    def die_answering(upstream, *_):
        upstream.conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
        upstream.conn.close()
        upstream.pair.close()

    with Gateway() as gateway:
        gateway.upstream.behaviour = die
        gateway.agent.send(post(MESSAGE))
        answer = gateway.agent.answer()
        results.equal("before it sent anything", (answer.status, answer.reason), (502, "upstream_unreachable"))
        results.ok("a sentence, and no retry forbidden", answer.field("x-should-retry") == "" and
                   json.loads(answer.body)["error"]["message"].startswith("anet: "), answer)

    with Gateway() as gateway:
        gateway.agent.send(post(MESSAGE))
        gateway.agent.answer()
        gateway.upstream.behaviour = die
        gateway.agent.send(post(MESSAGE))
        results.equal("the same on a connection that had an answer", gateway.agent.answer().status, 502)

    with Gateway() as gateway:
        gateway.upstream.behaviour = die_answering
        gateway.agent.send(post(MESSAGE))
        gateway.reports()
        results.equal("in an answer", gateway.outcome["code"], "helper_died")
        try:
            results.fail("nothing is added to it", gateway.agent.answer())
        except (EOFError, ConnectionResetError):
            results.ok("nothing is added to it", b"502" not in gateway.agent.received)


def upstream_lies(results):
    """A record that is not one: as if it had ended."""
    good = records.upstream_done()
    rows = [("magic", b"\0" + good[1:]), ("version", records.upstream_done(version=2)),
            ("size", records.upstream_done(size=1)), ("reason", good[:8] + b"\xff" * 4 + good[12:]),
            ("flags", records.upstream_done(flags=0x80)), ("detail without end", good[:24] + b"x" * 256),
            ("short", good[:-1]), ("long", good + b"\0"), ("empty", b"")]
    for name, data in rows:
        with Gateway() as gateway:
            gateway.upstream.behaviour = lambda upstream, *_: records.send(upstream.pair, data)
            gateway.agent.send(post(MESSAGE))
            results.equal(name, gateway.agent.answer().status, 502)
    with Gateway() as gateway:
        gateway.upstream.behaviour = lambda upstream, *_: records.send(upstream.pair, good, [0])
        gateway.agent.send(post(MESSAGE))
        results.equal("with a descriptor", gateway.agent.answer().status, 502)


def killed(results):
    with Gateway() as gateway:
        gateway.agent.send(HALF_BODY)
        os.kill(gateway.pid, signal.SIGKILL)
        gateway.reports()
        results.equal("without an outcome: the supervisor sees that it died", gateway.outcome, None)


def test(results):
    for part in (supervisor_ends, agent_ends, upstream_ends, upstream_lies, killed):
        with results.under(part.__name__.replace("_", " ") + ": "):
            part(results)


run_test(test)

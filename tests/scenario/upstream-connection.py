#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""anet-upstream: connections that are kept, closed, reset, refused or left, on both
sides."""
import os
import signal
import socket
import sys
import threading
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import records
from tls_stub import Service
from upstream import Upstream, upstream_test

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
STREAM_HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def reuse(results):
    """A kept connection that the service has closed is replaced without a word."""
    ways = {"closes politely": lambda peer: peer.close(), "closes": lambda peer: peer.close_without_notice(),
            "resets": lambda peer: peer.reset(), "goes on talking": lambda peer: peer.send(ANSWER)}
    for name, way in ways.items():
        closed = threading.Event()

        def behaviour(peer):
            peer.request()
            peer.send(ANSWER)
            way(peer)
            closed.set()
            time.sleep(0.1)

        with Service(behaviour) as service, Upstream() as upstream:
            for _ in range(3):
                closed.clear()
                answer, done = upstream.exchange()
                results.equal("the service %s between requests" % name, (answer.body, done["code"]), (b"ok", "ok"))
                closed.wait(5)
                time.sleep(0.02)
            results.equal("the service %s: connections" % name, service.connections, 3)


def reuse_said_no(results):
    """It says that it will close; nothing is sent into that."""

    def behaviour(peer):
        peer.request()
        peer.send(ANSWER.replace(b"\r\n\r\n", b"\r\nConnection: Close\r\n\r\n"))
        gone.append(peer.wait_gone(5))

    gone = []
    with Service(behaviour) as service, Upstream() as upstream:
        for _ in range(2):
            upstream.exchange()
        results.equal("Connection: close is believed", service.connections, 2)
        time.sleep(0.1)
        results.ok("and answered in kind", gone and gone[0] is not None, gone)


def closes_on_request(results):
    """The service closes the kept connection just when the next request comes."""
    requests = []

    def behaviour(peer):
        if peer.number == 1:
            peer.request()
            peer.send(ANSWER)
        requests.append(peer.request().body)
        if peer.number > 1:
            peer.send(ANSWER)

    with Service(behaviour) as service, Upstream() as upstream:
        upstream.exchange(b"1")
        answer, done = upstream.exchange(b"2")
        results.equal("a request that meets a closing connection goes over another", (answer.body, done["code"]), (b"ok", "ok"))
        results.equal("once", (requests, service.connections), ([b"2", b"2"], 2))
        results.equal("and counts once", upstream.ledger.used()["requests"], 2)

    def never(peer):
        peer.request()
        if peer.number == 1:
            peer.send(ANSWER)
            peer.request()

    with Service(never) as service, Upstream() as upstream:
        upstream.exchange()
        answer, done = upstream.exchange()
        results.equal("not again and again", (done["code"], service.connections), ("upstream_protocol", 2))


def early_answer(results):
    body = os.urandom(records.LIMIT_BODY_BYTES)
    text = b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 4\r\n\r\nmuch"
    for name, end in (("waits", lambda peer: peer.wait_gone(10)), ("closes", lambda peer: None),
                      ("closes without reading", lambda peer: peer.close_without_notice())):

        def behaviour(peer):
            peer.head()
            peer.send(text)
            end(peer)

        with Service(behaviour) as service, Upstream() as upstream:
            answer, done = upstream.exchange(body)
            results.equal("an answer before the body is read, service %s" % name,
                          (answer and answer.status, answer and answer.body, done["code"]), (413, b"much", "ok"), done)
            upstream.exchange(b"{}")
            results.equal("then another connection, service %s" % name, service.connections, 2)


def broken(results):
    """The service ends within its answer."""
    for name, end in (("cut", lambda peer: peer.close()), ("cut without notice", lambda peer: peer.close_without_notice()),
                      ("reset", lambda peer: peer.reset())):

        def behaviour(peer):
            peer.request()
            peer.send(STREAM_HEAD)
            peer.chunk(b"data: 1\n\n")
            time.sleep(0.05)
            end(peer)

        with Service(behaviour), Upstream() as upstream:
            answer, done = upstream.exchange()
            results.equal("a stream that is %s" % name, (answer.body, answer.whole, done["code"], done["flags"]),
                          (b"data: 1\n\n", False, "upstream_protocol", records.HEAD_SENT | records.CLOSE), done)

    def until_the_end(peer):
        peer.request()
        peer.send(b"HTTP/1.1 200 OK\r\n\r\nhalf of it")
        time.sleep(0.05)
        peer.close_without_notice()

    with Service(until_the_end), Upstream() as upstream:
        answer, done = upstream.exchange()
        results.equal("an end that anybody could have made", (answer.whole, done["code"]), (False, "upstream_protocol"), done)


def unreachable(results):
    with Upstream() as upstream:
        answer, done = upstream.exchange()
        results.equal("nobody listens", (answer, done["code"], done["flags"]), (None, "upstream_unreachable", records.CLOSE))
        results.contains("which address", done["detail"].decode(), "127.0.0.1 port 443")
    with Upstream(host=b"no-such-host.invalid") as upstream:
        answer, done = upstream.exchange()
        results.equal("no such name", (answer, done["code"], done["flags"]), (None, "upstream_unreachable", records.CLOSE))
        results.contains("which name", done["detail"].decode(), "'no-such-host.invalid'")

    def behaviour(peer):
        peer.request()
        peer.send(ANSWER)

    # localhost is ::1 first here; the service has only an IPv4 address.
    with Service(behaviour, plain=True, port=0) as service, Upstream(flags=3, host=b"localhost", port=service.port) as upstream:
        results.equal("the next address is tried", upstream.exchange()[1]["code"], "ok")


def leaving(results):
    """Whoever leaves, the service's connection is closed within a second."""
    gone = []
    reached = threading.Event()

    def silent(peer):
        peer.request()
        reached.set()
        gone.append(peer.wait_gone())

    def streaming(peer):
        peer.request()
        peer.send(STREAM_HEAD)
        peer.chunk(b"data: 1\n\n")
        reached.set()
        gone.append(peer.wait_gone())

    def deaf(peer):
        peer.head()
        reached.set()
        time.sleep(1)
        gone.append(peer.wait_gone())

    def agent_closes(upstream):
        upstream.agent.close()

    def agent_ends(upstream):
        upstream.agent.sock.shutdown(socket.SHUT_WR)

    def agent_resets(upstream):
        upstream.agent.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        upstream.agent.close()

    def gateway_ends(upstream):
        upstream.pair.close()

    def supervisor_ends(upstream):
        upstream.supervisor.close()

    def killed(upstream):
        os.kill(upstream.pid, signal.SIGKILL)

    for how in (silent, streaming, deaf):
        for who in (agent_closes, agent_ends, agent_resets, gateway_ends, supervisor_ends, killed):
            name = "%s while the service is %s" % (who.__name__.replace("_", " "), how.__name__)
            gone.clear()
            reached.clear()
            with Service(how), Upstream() as upstream:
                upstream.request(os.urandom(records.LIMIT_BODY_BYTES) if how is deaf else b"{}")
                reached.wait(10)
                begin = time.monotonic()
                who(upstream)
                while not gone and time.monotonic() - begin < 10:
                    time.sleep(0.01)
                # What the deaf one has not read it has to read first.
                limit = 3 if how is deaf else 1
                results.ok(name, gone and gone[0] is not None and time.monotonic() - begin < limit,
                           "%r after %.2f s" % (gone, time.monotonic() - begin))
                if who.__name__.startswith("agent"):
                    done = upstream.done()
                    results.equal(name + ": done", done["code"], "client_gone")
                    results.equal(name + ": no event", (upstream.finish(), upstream.events), ((0, "ok"), []))
                elif who is not killed:
                    results.equal(name + ": its end", upstream.status(), 0)


def test(results):
    reuse(results)
    reuse_said_no(results)
    closes_on_request(results)
    early_answer(results)
    broken(results)
    unreachable(results)
    leaving(results)


upstream_test(test)

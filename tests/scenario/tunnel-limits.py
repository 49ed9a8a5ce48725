#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=240
"""The bytes of a session's tunnels stop at their limits, not one later, also when several tunnels share them."""
import contextlib
import os
import sys
import threading
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from ledger import Ledger
from tls_stub import PATIENCE
from tunnel import Tunnel, hello, tunnel_test
from world import wait_for

HOST = "host.example.com"
HELLO = len(hello(HOST))


class Host:
    """Counts what each connection brings, and sends on each without end if it is to."""

    def __init__(self, world):
        self.listener = world.listen(world.address())
        world.name(HOST, self.listener.getsockname()[0])
        self.got, self.sends = {}, False
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        while True:
            conn, peer = self.listener.accept()
            self.got[peer] = 0
            threading.Thread(target=self._count, args=(conn, peer), daemon=True).start()
            if self.sends:
                threading.Thread(target=self._send, args=(conn,), daemon=True).start()

    def _count(self, conn, peer):
        with contextlib.suppress(OSError):
            while True:
                data = conn.recv(1 << 16)
                if not data:
                    break
                self.got[peer] += len(data)
        conn.close()

    @staticmethod
    def _send(conn):
        with contextlib.suppress(OSError):
            while True:
                conn.sendall(b"x" * 10007)

    def total(self):
        return sum(self.got.values())


def push(sock, into):
    """Sends as long as somebody takes it."""
    with contextlib.suppress(OSError):
        while True:
            into[0] += sock.send(b"y" * 10007)


def drain(sock, into):
    with contextlib.suppress(OSError):
        while True:
            data = sock.recv(1 << 16)
            if not data:
                return
            into[0] += len(data)


def run(host, ledger, count, act, **limits):
    """`count` tunnels of one session at once, each ended by its limit: (tunnels, bytes that passed through act())."""
    host.got.clear()
    moved = [[0] for _ in range(count)]
    with contextlib.ExitStack() as stack:
        tunnels = [stack.enter_context(Tunnel(HOST, ledger=ledger, **limits)) for _ in range(count)]
        # All are open before the first moves a byte: a used-up limit refuses new ones.
        assert [tunnel.connect(HOST).status for tunnel in tunnels] == [200] * count
        threads = [threading.Thread(target=lambda t=t, m=m: act(t.greet(HOST), m)) for t, m in zip(tunnels, moved)]
        for thread in threads:
            thread.start()
        for tunnel in tunnels:
            tunnel.reports()
        for thread in threads:
            thread.join(PATIENCE)
        return tunnels, sum(each[0] for each in moved)


def told(results, tunnels, code):
    for tunnel in tunnels:
        results.equal("each is told once, with the host", [(event["code"], event["detail"]) for event in tunnel.events],
                      [(code, "'%s'" % HOST)])
        results.equal("and has an outcome", (tunnel.outcome["code"], tunnel.outcome["detail"]), ("ok", HOST))


def test(results, world):
    host = Host(world)
    for count in (1, 4):
        for limit in (HELLO * count, 1000003, 5000011):
            with results.under("%d sending, %d bytes: " % (count, limit)):
                host.sends, ledger = False, Ledger()
                tunnels, _ = run(host, ledger, count, push, tunnel_sent_bytes=limit)
                wait_for(lambda: host.total() >= limit)
                results.equal("as many have reached the host", host.total(), limit)
                results.equal("and stand in the ledger", ledger.value("sent"), limit)
                results.equal("and in the outcomes", sum(tunnel.outcome["bytes_in"] for tunnel in tunnels), limit)
                told(results, tunnels, "limit_tunnel_sent")
        for limit in (1, 1000003, 5000011):
            with results.under("%d receiving, %d bytes: " % (count, limit)):
                host.sends, ledger = True, Ledger()
                tunnels, got = run(host, ledger, count, drain, tunnel_received_bytes=limit)
                results.equal("as many have reached the agent", got, limit)
                results.equal("and stand in the ledger", ledger.value("received"), limit)
                told(results, tunnels, "limit_tunnel_received")
    for field, code in (("sent", "limit_tunnel_sent"), ("received", "limit_tunnel_received")):
        with results.under("all %s already: " % field):
            limit = {"tunnel_%s_bytes" % field: 1000}
            with Tunnel(HOST, ledger=Ledger(**{field: 1000}), **limit) as tunnel:
                answer = tunnel.connect(HOST)
                results.equal("refused at once", (answer.status, answer.reason), (403, code), answer)
            with Tunnel(HOST, ledger=Ledger(**{field: 999}), **limit) as tunnel:
                results.equal("one byte before: served", tunnel.connect(HOST).status, 200)
    with results.under("a hello that is larger than what is left: "), \
            Tunnel(HOST, ledger=Ledger(sent=100), tunnel_sent_bytes=100 + HELLO - 1) as tunnel:
        host.got.clear()
        tunnel.open(HOST)
        tunnel.reports()
        wait_for(lambda: host.total() >= HELLO - 1)
        results.equal("its end does not pass", host.total(), HELLO - 1)
    with results.under("no limit: "), Tunnel(HOST, ledger=Ledger(sent=1 << 62)) as tunnel:
        host.sends = False
        sock = tunnel.open(HOST)
        sock.sendall(b"z" * 1000)
        sock.close()
        tunnel.reports()
        results.equal("all pass", (tunnel.outcome["bytes_in"], tunnel.events), (HELLO + 1000, []))


tunnel_test(test)

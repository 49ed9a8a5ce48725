#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=240
"""Behind the hello a tunnel is a TCP connection: halves that close, resets, hosts that speak first, sides that do not
read."""
import contextlib
import os
import select
import socket
import sys
import threading
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import process
from tls_stub import PATIENCE
from tunnel import Tunnel, hello, to_end, tunnel_test, until
from world import wait_for

HOST = "host.example.com"


class Host:
    """The host's end of one tunnel, in the test's hands."""

    def __init__(self, world, name=HOST):
        self.listener = world.listen(world.address())
        world.name(name, self.listener.getsockname()[0])

    def take(self, tunnel):
        """(the agent's end, the host's end), past the hello."""
        agent = tunnel.open(HOST)
        conn, _ = self.listener.accept()
        conn.settimeout(PATIENCE)
        got = b""
        while len(got) < len(tunnel.hello):
            got += conn.recv(len(tunnel.hello) - len(got))
        if got != tunnel.hello:
            raise AssertionError("the hello has changed: %r" % got)
        return agent, conn


def reset(sock):
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    sock.close()


def end_of(sock):
    """What comes before the end, and which it is."""
    data = bytearray()
    while True:
        try:
            more = sock.recv(1 << 20)
        except ConnectionResetError:
            return bytes(data), "reset"
        if not more:
            return bytes(data), "end"
        data += more


def halves(results, host):
    for name, first, second in (("agent", 0, 1), ("host", 1, 0)):
        with results.under("the %s closes first: " % name), Tunnel(HOST) as tunnel:
            ends = host.take(tunnel)
            ends[first].sendall(b"last words")
            ends[first].shutdown(socket.SHUT_WR)
            results.equal("its words and its end", end_of(ends[second]), (b"last words", "end"))
            results.ok("the tunnel is still there", tunnel.is_quiet())
            ends[second].sendall(b"x" * 3000000)
            ends[second].close()
            got = end_of(ends[first])
            results.equal("the other half goes on to its own end", (len(got[0]), got[1]), (3000000, "end"))
            tunnel.reports()
            results.equal("outcome", (tunnel.outcome["code"], tunnel.outcome["detail"], tunnel.status()), ("ok", HOST, 0))
            ends[1].close()


def resets(results, host):
    for name, first, second in (("agent", 0, 1), ("host", 1, 0)):
        with results.under("a reset by the %s: " % name), Tunnel(HOST) as tunnel:
            ends = host.take(tunnel)
            ends[first].sendall(b"last words")
            time.sleep(0.2)
            reset(ends[first])
            data, end = end_of(ends[second])
            results.equal("the other one has what came before, and a reset", (data, end), (b"last words", "reset"))
            tunnel.reports()
            results.equal("outcome", (tunnel.outcome["code"], tunnel.status()), ("ok", 0))
        with results.under("a reset by the %s after its end: " % name), Tunnel(HOST) as tunnel:
            ends = host.take(tunnel)
            ends[first].shutdown(socket.SHUT_WR)
            results.equal("the end", end_of(ends[second]), (b"", "end"))
            reset(ends[first])
            results.equal("a reset is passed on, without that anything is sent", end_of_writing(ends[second]), "reset")
            tunnel.reports()
            results.equal("outcome", (tunnel.outcome["code"], tunnel.status()), ("ok", 0))
            ends[second].close()


def end_of_writing(sock):
    """Waits until the connection is reset, although its other half has ended."""
    poll = select.poll()
    poll.register(sock, 0)
    events = poll.poll(PATIENCE * 1000)
    return "reset" if events and events[0][1] & select.POLLERR else events


def cpu(pid):
    return sum(int(field) for field in process.read(pid, "stat").rpartition(b")")[2].split()[11:13]) / os.sysconf("SC_CLK_TCK")


def first_speech(results, host):
    with Tunnel(HOST) as tunnel:
        tunnel.connect(HOST)
        conn, _ = host.listener.accept()
        conn.sendall(b"220 I speak first\r\n")
        time.sleep(0.2)
        tunnel.agent.setblocking(False)
        try:
            early = tunnel.agent.recv(100)
        except BlockingIOError:
            early = None
        results.equal("nothing of the host comes before the hello", early, None)
        tunnel.agent.settimeout(PATIENCE)
        tunnel.agent.sendall(hello(HOST))
        results.equal("but behind it", until(tunnel.agent, b"\r\n")[0], b"220 I speak first")
        conn.close()
        tunnel.agent.close()


def pressure(results, host):
    """Each side in turn reads nothing while the other one sends as much as it can."""
    for name, sender, reader in (("agent", 0, 1), ("host", 1, 0)):
        with results.under("the %s sends, nobody reads: " % name), Tunnel(HOST) as tunnel:
            ends = host.take(tunnel)
            ends[sender].settimeout(1)
            sent = 0
            with contextlib.suppress(TimeoutError):
                while sent < 200000000:
                    sent += ends[sender].send(b"x" * 65536)
            results.ok("it is stopped", sent < 200000000, sent)
            memory = resident(tunnel.pid)
            results.ok("memory of the helper is flat", memory < 8 * 1024, "%d KiB" % memory)
            before = cpu(tunnel.pid)
            time.sleep(1)
            results.ok("it waits without computing", cpu(tunnel.pid) - before < 0.2, cpu(tunnel.pid) - before)
            thread = threading.Thread(target=lambda: (ends[sender].settimeout(PATIENCE), ends[sender].close()))
            thread.start()
            results.equal("all of it comes once somebody reads", len(end_of(ends[reader])[0]), sent)
            thread.join()
            ends[reader].close()
            tunnel.reports()
            results.equal("and is counted", tunnel.outcome["bytes_in" if sender == 0 else "bytes_out"],
                          sent + (len(tunnel.hello) if sender == 0 else 0))


def resident(pid):
    return sum(int(process.status_field(each, "VmRSS").split()[0] or 0) for each in [pid] + process.children(pid))


def both_at_once(results, host):
    with Tunnel(HOST) as tunnel:
        ends = host.take(tunnel)
        blocks = [os.urandom(1 << 16) * 320 for _ in range(2)]

        def send(end, data):
            end.sendall(data)
            end.shutdown(socket.SHUT_WR)

        threads = [threading.Thread(target=send, args=pair) for pair in zip(ends, blocks)]
        got = [None, None]

        def read(i):
            got[i] = to_end(ends[i])

        threads += [threading.Thread(target=read, args=(i,)) for i in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        results.ok("20 MiB each way at once arrive as they were", got[0] == blocks[1] and got[1] == blocks[0])
        ends[1].close()
        tunnel.reports()
        results.equal("and are counted", (tunnel.ledger.value("sent"), tunnel.ledger.value("received")),
                      (len(blocks[0]) + len(tunnel.hello), len(blocks[1])))


def supervisor(results, host):
    with Tunnel(HOST) as tunnel:
        ends = host.take(tunnel)
        children = process.descendants(tunnel.pid)
        tunnel.supervisor.close()
        results.ok("ends with its supervisor", wait_for(lambda: process.state(tunnel.pid) in ("", "Z"), 5))
        results.equal("and the host sees it", end_of(ends[1])[0], b"")
        results.equal("no dialer is left", [pid for pid in children if process.state(pid) not in ("", "Z")], [])


def test(results, world):
    host = Host(world)
    for part in (halves, resets, first_speech, pressure, both_at_once, supervisor):
        with results.under(part.__name__.replace("_", " ") + ": "):
            part(results, host)


tunnel_test(test)

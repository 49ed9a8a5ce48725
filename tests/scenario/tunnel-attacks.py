#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=300
"""What somebody who wants more than a tunnel tries with one: its two processes, its look-ups, its limits, its end."""
import contextlib
import os
import signal
import socket
import struct
import sys
import threading
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import private
import process
import records
from hellos import message, names, records as in_records
from tunnel import Tunnel, hello, to_end, tunnel_test
from world import wait_for

HOST = "a.example.com"
CONNECT = b"CONNECT a.example.com:443 HTTP/1.1\r\n\r\n"
BLACK_HOLE = "45.20.0.1"  # public, and nobody answers for it
RESET = struct.pack("ii", 1, 0)


def pair(tunnel):
    """The pids of the process that reads and of the one that dials, once both wait."""
    wait_for(lambda: process.children(tunnel.pid))
    dialer, = process.children(tunnel.pid)
    wait_for(lambda: process.status_field(dialer, "Seccomp") == "2" and process.state(dialer) == "S")
    wait_for(lambda: process.status_field(tunnel.pid, "Seccomp") == "2")
    return tunnel.pid, dialer


def descriptors(pid):
    """Number -> what it is, without inode numbers."""
    found = {}
    for number in os.listdir("/proc/%d/fd" % pid):
        with contextlib.suppress(OSError):
            found[int(number)] = os.readlink("/proc/%d/fd/%s" % (pid, number)).split(":")[0]
    return found


def processes(results, _):
    with Tunnel(HOST) as tunnel:
        reader, dialer = pair(tunnel)
        for name, pid in (("the one that reads", reader), ("the one that dials", dialer)):
            with results.under(name + ": "):
                results.equal("has no new privileges", process.status_field(pid, "NoNewPrivs"), "1")
                results.equal("cannot be traced", os.stat("/proc/%d" % pid).st_uid, 0)
        kept = {number: what for number, what in descriptors(reader).items() if number > 2}
        results.equal("the one that reads has sockets and pipes only", set(kept.values()), {"socket", "pipe"})
        kept = {number: what for number, what in descriptors(dialer).items() if number > 2}
        results.equal("the one that dials has its socket only", kept, {3: "socket"})


def one_of_them_ends(results, world):
    world.name(HOST, world.address())
    with Tunnel(HOST) as tunnel:
        _, dialer = pair(tunnel)
        os.kill(dialer, signal.SIGKILL)
        answer = tunnel.connect(HOST)
        results.equal("without the one that dials: an answer", (answer.status, answer.reason), (502, "tunnel_lookup"))
    with Tunnel(HOST) as tunnel:
        reader, dialer = pair(tunnel)
        os.kill(reader, signal.SIGKILL)
        tunnel.status()
        results.ok("the one that dials ends with the one that reads", wait_for(lambda: not alive(dialer)))


def alive(pid):
    return process.state(pid) not in ("", "Z")


def supervisor_ends(results, world):
    """Whatever the tunnel waits for then."""
    world.serve(HOST, lambda peer: peer.wait_gone(), plain=True)
    world.answer("silent.example.com", lambda kind: None)
    world.name("hole.example.com", BLACK_HOLE)
    waits = (("a request", HOST, b""), ("a name server", "silent.example.com", b""),
             ("a host that does not answer", "hole.example.com", b""), ("a hello", HOST, b""), ("bytes", HOST, hello(HOST)))
    for number, (name, host, first) in enumerate(waits):
        with results.under("while it waits for %s: " % name), Tunnel(HOST, "silent.example.com", "hole.example.com") as tunnel:
            reader, dialer = pair(tunnel)
            if number > 0:
                tunnel.agent.sendall(b"CONNECT %s:443 HTTP/1.1\r\n\r\n" % host.encode())
            if host == HOST and number > 0:
                tunnel.answer()
                tunnel.agent.sendall(first)
            time.sleep(0.3)
            results.ok("it is there", alive(reader))
            tunnel.supervisor.close()
            begin = time.monotonic()
            tunnel.status()
            results.ok("both processes end", not alive(reader) and wait_for(lambda: not alive(dialer)))
            results.ok("at once", time.monotonic() - begin < 2, time.monotonic() - begin)
            results.equal("with the agent's connection", to_end_or_reset(tunnel.agent), b"")


def to_end_or_reset(sock):
    with contextlib.suppress(ConnectionResetError):
        return to_end(sock)
    return b""


def agent_leaves(results, world):
    """A reset while it waits for others: its place is free at once."""
    world.answer("silent.example.com", lambda kind: None)
    for name, host in (("a name server", "silent.example.com"), ("a host that does not answer", "hole.example.com")):
        with results.under("while it waits for %s: " % name), Tunnel("silent.example.com", "hole.example.com") as tunnel:
            tunnel.agent.sendall(b"CONNECT %s:443 HTTP/1.1\r\n\r\n" % host.encode())
            time.sleep(0.3)
            begin = time.monotonic()
            tunnel.reset()
            tunnel.reports()
            results.equal("the outcome", tunnel.outcome["code"], "client_gone")
            results.ok("at once", time.monotonic() - begin < 2, time.monotonic() - begin)


def searched(results, world):
    """A name is a whole one, whatever resolv.conf(5) would add to it."""
    with open(os.path.join(private.directory, "resolv.conf"), "a") as file:
        file.write("search inside.example.com\noptions ndots:5\n")
    for name in ("intranet", "a.b"):
        world.name(name + ".inside.example.com", world.address())
        asked = len(world.names.asked)
        with results.under(name + ": "), Tunnel(egress=records.EGRESS_PUBLIC) as tunnel:
            answer = tunnel.connect(name)
            results.equal("not found", (answer.status, answer.reason), (502, "tunnel_lookup"), answer)
            results.equal("asked for as it is", set(question for question, _ in world.names.asked[asked:]) - {name}, set())


class Sink:
    """A host that counts what it gets."""

    def __init__(self):
        self.got, self.ended = 0, threading.Semaphore(0)

    def __call__(self, peer):
        with contextlib.suppress(OSError):
            while data := peer.sock.recv(65536):
                self.got += len(data)
        self.ended.release()


def limited(results, world):
    """What comes with the hello counts like all else, and no byte more gets through."""
    first = hello(HOST)
    for name, limit, at_once in (("in the middle of the hello", len(first) - 1, True), ("at its end", len(first), True),
                                 ("behind it", len(first) + 1000, True), ("later", len(first) + 100000, False)):
        sink = Sink()
        service = world.serve(HOST, sink, address=world.address(), plain=True)
        world.name(HOST, service.listener.getsockname()[0])
        with results.under("a limit %s: " % name), Tunnel(HOST, tunnel_sent_bytes=limit) as tunnel:
            if at_once:
                tunnel.agent.sendall(CONNECT + first + b"x" * 5000)
            else:
                tunnel.ask(CONNECT)
                tunnel.agent.sendall(first)
                with contextlib.suppress(OSError):
                    for _ in range(100):
                        tunnel.agent.sendall(b"x" * 5000)
            results.ok("the host sees the end", sink.ended.acquire(timeout=20))
            results.equal("and has got what is allowed", sink.got, limit)
            results.equal("which is in the ledger", tunnel.ledger.value("sent"), limit)
            tunnel.agent.close()
            tunnel.reports()
            results.equal("told once", [event["code"] for event in tunnel.events], ["limit_tunnel_sent"])


def cpu(pid):
    fields = process.read(pid, "stat").rpartition(b")")[2].split()
    return sum(int(field) for field in fields[11:13]) / os.sysconf("SC_CLK_TCK")


def fill(sock):
    """Until it takes nothing more."""
    sock.settimeout(0.5)
    with contextlib.suppress(TimeoutError):
        while True:
            sock.sendall(b"x" * 65536)


def end_by_reset(sock):
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    sock.close()


def still(results, world):
    """A tunnel of which one side is half gone waits for the other one, without computing."""
    states = [
        ("the agent has closed its half", lambda agent, host: agent.shutdown(socket.SHUT_WR)),
        ("the host has closed its half", lambda agent, host: host.shutdown(socket.SHUT_WR)),
        ("the host reads nothing, and the agent resets", lambda agent, host: (fill(agent), end_by_reset(agent))),
        ("the agent reads nothing, and the host resets", lambda agent, host: (fill(host), end_by_reset(host))),
        ("nobody reads", lambda agent, host: (fill(agent), fill(host))),
        ("nobody reads, and the agent has closed its half",
         lambda agent, host: (fill(host), fill(agent), agent.shutdown(socket.SHUT_WR))),
        ("nobody reads, and both have closed their halves",
         lambda agent, host: (fill(host), fill(agent), agent.shutdown(socket.SHUT_WR), host.shutdown(socket.SHUT_WR))),
        ("bytes out of band", lambda agent, host: (agent.send(b"!", socket.MSG_OOB), host.send(b"!", socket.MSG_OOB))),
    ]
    listener = world.listen(world.address())
    world.name(HOST, listener.getsockname()[0])
    for name, act in states:
        with results.under(name + ": "), Tunnel(HOST) as tunnel:
            agent = tunnel.open(HOST)
            host, _ = listener.accept()
            act(agent, host)
            time.sleep(0.2)
            before = cpu(tunnel.pid)
            time.sleep(1)
            results.ok("no computing", process.state(tunnel.pid) in "SZ" and cpu(tunnel.pid) - before <= 0.05,
                       "%s, %.2f s" % (process.state(tunnel.pid), cpu(tunnel.pid) - before))
            agent.close()
            host.close()
            tunnel.reports()
            results.equal("its end", (tunnel.outcome["code"], tunnel.status()), ("ok", 0))


def out_of_band(results, world):
    """An urgent byte in the hello, which one reader may see and another not: the host gets what was judged."""
    got = []
    service = world.serve(HOST, lambda peer: got.append(peer.sock.recv(65536)), address=world.address(), plain=True)
    world.name(HOST, service.listener.getsockname()[0])
    first = in_records(message(names(HOST.encode())))
    with Tunnel(HOST) as tunnel:
        tunnel.ask(CONNECT)
        tunnel.agent.sendall(first[:60])
        tunnel.agent.send(b"!", socket.MSG_OOB)
        tunnel.agent.sendall(first[60:])
        to_end_or_reset(tunnel.agent)
        results.ok("the host has the hello without it, or nothing", got in ([first], [b""], []), got)


def test(results, world):
    for part in (processes, one_of_them_ends, supervisor_ends, agent_leaves, limited, still, out_of_band, searched):
        with results.under(part.__name__.replace("_", " ") + ": "):
            part(results, world)


tunnel_test(test)

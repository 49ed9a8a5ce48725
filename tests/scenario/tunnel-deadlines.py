#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A head that does not come, a hello that does not come, and a tunnel in which nobody says
anything any more: each has its time, of a clock that runs faster here."""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import private  # noqa: E402
from fastclock import fast_clock  # noqa: E402
from tunnel import Tunnel, hello, to_end, tunnel_test  # noqa: E402

HOST = "host.example.com"
ALERT = bytes([21, 3, 1, 0, 2, 2, 49])
FASTER, FASTEST = 20, 60


class Host:
    def __init__(self, world):
        self.listener = world.listen(world.address())
        world.name(HOST, self.listener.getsockname()[0])

    def take(self, length):
        """Its end of a tunnel, past the hello."""
        conn, _ = self.listener.accept()
        while length > 0:
            length -= len(conn.recv(length))
        return conn


def head(results, _, environment):
    """Ten seconds from the first byte on."""
    for name, begin in (("nothing", b""), ("half a head", b"CONNECT host.exam")):
        with results.under(name + ": "), Tunnel(HOST, environment=environment(FASTER)) as tunnel:
            tunnel.agent.sendall(begin)
            answer = tunnel.answer()
            results.equal("answered at the deadline", (answer.status, answer.reason), (408, "http_timeout"))
            tunnel.agent.close()
            tunnel.reports()
            results.equal("and told", [event["code"] for event in tunnel.events], ["http_timeout"])


def greeting(results, host, environment):
    """Ten seconds for all of it."""
    for name, data in (("nothing", b""), ("all but the last byte", hello(HOST)[:-1])):
        with results.under(name + ": "), Tunnel(HOST, environment=environment(FASTER)) as tunnel:
            results.equal("opened", tunnel.connect(HOST).status, 200)
            tunnel.agent.sendall(data)
            results.equal("an alert, then the end", to_end(tunnel.agent), ALERT)
            tunnel.agent.close()
            tunnel.reports()
            results.equal("told", [event["code"] for event in tunnel.events], ["tunnel_hello_timeout"])
            results.equal("the host has got nothing", to_end(host.take(0)), b"")


def silence(results, host, environment):
    with Tunnel(HOST, environment=environment(FASTEST)) as tunnel:
        agent = tunnel.open(HOST)
        conn = host.take(len(tunnel.hello))
        begin = time.monotonic()
        time.sleep(3)
        conn.sendall(b"still here")
        results.equal("three minutes of silence change nothing", agent.recv(100), b"still here")
        tunnel.reports()
        seconds = (time.monotonic() - begin) * FASTEST
        results.equal("outcome", (tunnel.outcome["code"], tunnel.outcome["detail"], tunnel.events),
                      ("tunnel_idle", HOST, []))
        results.ok("five more minutes end it, and no less", seconds > 440, seconds)
        results.equal("both ends see an end", (to_end(agent), to_end(conn)), (b"", b""))


def test(results, world):
    host = Host(world)
    for part in (head, greeting, silence):
        with results.under(part.__name__ + ": "):
            part(results, host, lambda times: fast_clock(private.directory, times))


tunnel_test(test)

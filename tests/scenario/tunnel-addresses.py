#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=240
"""Which addresses of an allowed host are connected to: only public ones that are not this machine's, whatever else is
in the answer; the first that answers, of both families; each name looked up once and as it is."""
import contextlib
import os
import socket
import subprocess
import sys
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import records
from internet import A, AAAA, MACHINE, MACHINE6, NXDOMAIN, SERVFAIL
from tunnel import Tunnel, tunnel_test

HOST = "host.example.com"


def reached(listeners, seconds=0.3):
    """The addresses of those listeners that somebody has connected to."""
    found = []
    for listener in listeners:
        listener.settimeout(seconds)
        with contextlib.suppress(TimeoutError, BlockingIOError):
            listener.accept()[0].close()
            found.append(listener.getsockname()[0])
    return found


PRIVATE = [  # one of each network that nobody may be led to; all of them have a listener
    "10.0.0.1", "172.16.0.1", "172.31.255.254", "192.168.0.1", "100.64.0.1", "169.254.169.254", "192.0.2.1",
    "198.18.0.1", "198.51.100.1", "203.0.113.1", "240.0.0.1", "64:ff9b::a00:1", "2001::1", "2001:db8::1",
    "2002:a00:1::1", "fd00::1", "fec0::1",
]
HERE = ["127.0.0.1", "127.8.8.8", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1", MACHINE, MACHINE6]
NOBODY = ["224.0.0.1", "255.255.255.255", "ff02::1", "fe80::1", "::ffff:10.0.0.1", "::10.0.0.1", "64:ff9b:1::1"]


def refused_addresses(results, world):
    listeners = [world.listen(address) for address in PRIVATE]
    here = [socket.create_server((address, 443), family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                                 dualstack_ipv6=False) for address in ("0.0.0.0", "::")]
    public = world.listen(world.address())
    good = public.getsockname()[0]
    for address in PRIVATE + HERE + NOBODY:
        # Whichever is first: with IPv6 it is the better one of the two.
        for name, addresses in (("alone", (address,)), ("before a public one", (address, good)),
                                ("behind a public one", (good, address))):
            world.name(HOST, *addresses)
            with results.under("%s %s: " % (address, name)), Tunnel(HOST) as tunnel:
                answer = tunnel.connect(HOST)
                results.equal("refused", (answer.status, answer.reason), (403, "tunnel_address"), answer)
                results.ok("the agent does not learn it", address not in answer.phrase.replace(HOST, ""), answer)
                tunnel.agent.close()
                tunnel.reports()
                results.equal("told once", [event["code"] for event in tunnel.events], ["tunnel_address"])
                results.contains("with the host", tunnel.events[0]["detail"], "'%s' is " % HOST)
    results.equal("nobody was connected to", reached(listeners + here + [public], 0), [])
    world.name(HOST, good)
    with Tunnel(HOST) as tunnel:
        results.equal("control: a public one alone is", tunnel.connect(HOST).status, 200)
        results.equal("connected to", reached([public]), [good])
    for listener in (listeners[0], listeners[-1]):
        with socket.create_connection(listener.getsockname()[:2], 5):
            results.equal("control: the machine could reach the other ones", reached([listener]),
                          [listener.getsockname()[0]])


def own_by_route(results, world):
    """An address that no interface has, and that the kernel takes for its own all the same."""
    subprocess.run(["ip", "route", "add", "local", "45.10.77.0/24", "dev", "lo"], check=True)
    with socket.create_server(("45.10.77.7", 443)) as server:
        world.name(HOST, "45.10.77.7")
        with Tunnel(HOST) as tunnel:
            answer = tunnel.connect(HOST)
            results.equal("refused", (answer.status, answer.reason), (403, "tunnel_address"), answer)
        results.equal("not connected to", reached([server]), [])
        with socket.create_connection(("45.10.77.7", 443), 5):
            results.equal("control: it could be", reached([server]), ["45.10.77.7"])
    subprocess.run(["ip", "route", "del", "local", "45.10.77.0/24", "dev", "lo"], check=True)


def many(results, world):
    """More addresses than are tried: the last one counts, too."""
    public = ["45.10.200.%d" % number for number in range(1, 25)]
    world.name(HOST, *public, "10.0.0.1")
    with Tunnel(HOST) as tunnel:
        answer = tunnel.connect(HOST)
        results.equal("a private one at the end of many", (answer.status, answer.reason), (403, "tunnel_address"), answer)


def race(results, world):
    """Nobody answers at the addresses of 45.11.0.0/16: they are routed into nothing."""
    with world.inside():
        subprocess.run(["ip", "-batch", "-"], check=True, text=True,
                       input="route add blackhole 45.11.0.0/16\nroute add blackhole 2a0f:11::/32\n")
    live, live6 = world.listen(world.address()), world.listen(world.address(ipv6=True))
    good, good6 = live.getsockname()[0], live6.getsockname()[0]
    for name, addresses, want in (("IPv6 is silent", ("2a0f:11::1", good), good), ("IPv4 is silent", ("45.11.0.1", good6), good6),
                                  ("the first two are silent", ("45.11.0.1", "2a0f:11::1", good), good)):
        world.name(HOST, *addresses)
        with results.under(name + ": "), Tunnel(HOST) as tunnel:
            begin = time.monotonic()
            answer = tunnel.connect(HOST)
            seconds = time.monotonic() - begin
            results.equal("served by the other one", (answer.status, reached([live, live6])), (200, [want]), answer)
            results.ok("within a moment", seconds < 3, seconds)
    refusing = world.address()
    world.name(HOST, refusing, good)
    with Tunnel(HOST) as tunnel:
        results.equal("one that refuses is passed over", (tunnel.connect(HOST).status, reached([live])), (200, [good]))
    for name, address, code, status in (("one that refuses alone", refusing, "tunnel_unreachable", 502),
                                        ("one that is silent alone", "45.11.0.1", "tunnel_timeout", 504)):
        world.name(HOST, address)
        with results.under(name + ": "), Tunnel(HOST) as tunnel:
            answer = tunnel.connect(HOST)
            results.equal("refused", (answer.status, answer.reason), (status, code), answer)
            tunnel.agent.close()
            tunnel.reports()
            results.contains("the operator learns which one", tunnel.events[0]["detail"], address)


def names(results, world):
    for name, function, word in (("one that does not exist", lambda kind: NXDOMAIN, "Name or service not known"),
                                 ("one whose server fails", lambda kind: SERVFAIL, "Temporary failure in name resolution"),
                                 ("one without address", lambda kind: (), "No address associated with hostname")):
        world.answer(HOST, function)
        with results.under(name + ": "), Tunnel(HOST) as tunnel:
            answer = tunnel.connect(HOST)
            results.equal("refused", (answer.status, answer.reason), (502, "tunnel_lookup"), answer)
            results.contains("the answer names it", answer.phrase, "[%s]" % HOST)
            tunnel.agent.close()
            tunnel.reports()
            results.contains("and so does the event", tunnel.events[0]["detail"], "'%s': %s" % (HOST, word))
    live = world.listen(world.address())
    world.name(HOST, live.getsockname()[0])
    del world.names.asked[:]
    with Tunnel(HOST) as tunnel:
        results.equal("one that does", tunnel.connect(HOST).status, 200)
    results.equal("is asked for once in each family", sorted(world.names.asked), [(HOST, A), (HOST, AAAA)])
    world.hosts("%s in-hosts.example.com\n" % live.getsockname()[0])
    with Tunnel("in-hosts.example.com") as tunnel:
        results.equal("one of /etc/hosts", tunnel.connect("in-hosts.example.com").status, 200)
    world.hosts("10.0.0.1 private-in-hosts.example.com\n")
    with Tunnel("private-in-hosts.example.com") as tunnel:
        results.equal("its addresses are judged as well", tunnel.connect("private-in-hosts.example.com").reason, "tunnel_address")


def search(results, world):
    live = world.listen(world.address())
    world.name("host.corp.example.com", live.getsockname()[0])
    world.name("short.corp.example.com", live.getsockname()[0])
    world.answer("host", lambda kind: NXDOMAIN)
    with open("/etc/resolv.conf", "a") as file:
        file.write("search corp.example.com example.com\noptions ndots:5\n")
    control = subprocess.run(["getent", "ahosts", "short"], capture_output=True)
    results.equal("control: the machine would search", control.returncode, 0)
    for host in ("short", "host.corp"):
        with Tunnel(host) as tunnel:
            answer = tunnel.connect(host)
            results.equal("%s is not completed" % host, (answer.status, answer.reason), (502, "tunnel_lookup"), answer)


def public(results, world):
    live = world.listen(world.address())
    world.name("anything.example.net", live.getsockname()[0])
    world.name("api.anthropic.com", live.getsockname()[0])
    for host, status, code in (("anything.example.net", 200, None), ("host.local", 400, "tunnel_name"),
                               ("api.anthropic.com", 403, "tunnel_host")):
        with Tunnel(egress=records.EGRESS_PUBLIC) as tunnel:
            answer = tunnel.connect(host)
            results.equal(host, (answer.status, answer.reason), (status, code), answer)
    world.name("anything.example.net", "192.168.0.1")
    with Tunnel(egress=records.EGRESS_PUBLIC) as tunnel:
        results.equal("at a private address", tunnel.connect("anything.example.net").reason, "tunnel_address")


def test(results, world):
    for part in (refused_addresses, own_by_route, many, race, names, public, search):
        with results.under(part.__name__.replace("_", " ") + ": "):
            part(results, world)


tunnel_test(test)

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=900
"""A name server that answers otherwise each time, with a time to live of 0: one look-up decides, so
a tunnel goes to the public address that was checked or is refused.  1 000 tries, none gets through."""
import contextlib
import itertools
import os
import random
import socket
import sys
import threading
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import internet
from hellos import message, names, records
from tunnel import Tunnel, to_end, tunnel_test

HOST = "a.example.com"
TRIES = 1000
AT_ONCE = 4
# Each is a local address out there, where something listens.
INSIDE = ["10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "169.254.169.254", "198.18.0.1", "192.0.2.1",
          "fd00::1", "fec0::1", "64:ff9b::a00:1", "2002:a00:1::1", "2001:db8::1"]
OWN = [internet.MACHINE, internet.MACHINE6]


class Listeners:
    """One for each address; who connected to which."""

    def __init__(self):
        self.reached = []

    def add(self, server, address, greeting):
        threading.Thread(target=self._run, args=(server, address, greeting), daemon=True).start()

    def _run(self, server, address, greeting):
        while True:
            sock, _ = server.accept()
            self.reached.append(address)
            threading.Thread(target=self._serve, args=(sock, greeting), daemon=True).start()

    def _serve(self, sock, greeting):
        with sock, contextlib.suppress(OSError):
            sock.sendall(greeting)
            sock.shutdown(socket.SHUT_WR)
            to_end(sock)


class Alternating:
    """Public at every second question of a kind, and something else between: each question of a look-up
    (A and AAAA come together) has its own turn, so that both mixed and whole answers occur."""

    def __init__(self, public, seed):
        self.public, self.random, self.lock = public, random.Random(seed), threading.Lock()
        self.inside, self.count = itertools.cycle(INSIDE + OWN), 0

    def __call__(self, kind):
        with self.lock:
            self.count += 1
            other = next(self.inside)
            way = self.random.randrange(4)
        public = [address for address in self.public if (":" in address) == (kind == internet.AAAA)]
        if way == 0:
            return public
        if way == 1:
            return [other]
        if way == 2:
            return public + [other]
        return [] if kind == internet.AAAA else public


def one_try(host, counts, lock):
    with Tunnel(host) as tunnel:
        answer = tunnel.connect(host)
        if answer.status == 200:
            tunnel.agent.sendall(records(message(names(host.encode()))))
            code = to_end(tunnel.agent).decode()
        else:
            code = answer.reason
    with lock:
        counts[code] = counts.get(code, 0) + 1


def many(world, answers):
    """Of what the host said, and of the codes of refusals: how often.  Each thread has a name of
    its own, since a name server asks once for what two want to know at the same time."""
    counts, lock, numbers, errors = {}, threading.Lock(), iter(range(TRIES)), []

    def run(host):
        try:
            while next(numbers, None) is not None:
                one_try(host, counts, lock)
        except Exception as error:
            errors.append(error)

    hosts = ["%d.%s" % (number, HOST) for number in range(AT_ONCE)]
    for host in hosts:
        world.answer(host, answers)
    threads = [threading.Thread(target=run, args=(host,)) for host in hosts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return counts


def controls(results, world, listeners):
    """What must not be reached could be: by the machine itself, without a tunnel."""
    for address in INSIDE + OWN:
        with socket.create_connection((address, 443), timeout=20) as sock:
            results.equal("%s is there" % address, sock.recv(100), b"inside")
    results.equal("and was seen", sorted(listeners.reached), sorted(INSIDE + OWN))
    listeners.reached.clear()


def each_alone(results, world, listeners):
    """One such address is enough, in whatever company and place."""
    public, public6 = world.address(), world.address(ipv6=True)
    for address in INSIDE + OWN:
        for name, answer in (("alone", [address]), ("behind a public one", [public, public6, address]),
                             ("in front of one", [address, public, public6])):
            world.name(HOST, *answer)
            with Tunnel(HOST) as tunnel:
                got = tunnel.connect(HOST)
                results.equal("%s %s" % (address, name), (got.status, got.reason), (403, "tunnel_address"), got)
                results.lacks("the agent is not told which", got.phrase + got.body.decode(), address)
                tunnel.agent.close()
                tunnel.reports()
                results.contains("the operator is", tunnel.events[0]["detail"], address)
    results.equal("nobody was reached", listeners.reached, [])


def alternating(results, world, listeners):
    public = [world.address(), world.address(ipv6=True)]
    for address in public:
        listeners.add(world.listen(address), address, b"public")
    asked = len(world.names.asked)
    counts = many(world, Alternating(public, 6))
    asked = len(world.names.asked) - asked
    results.note("%r; %d questions" % (counts, asked))
    results.equal("each try ended in one of these ways", set(counts), {"public", "tunnel_address", "tunnel_lookup"})
    results.ok("both of the first occur often", min(counts.get("public", 0), counts.get("tunnel_address", 0)) > TRIES / 10,
               counts)
    results.equal("all tries", sum(counts.values()), TRIES)
    results.equal("only public addresses were reached", set(listeners.reached) - set(public), set())
    # A question is sent again when the machine is too busy to answer in two seconds.
    results.ok("one look-up for each, of both families", 2 * TRIES <= asked < 2.1 * TRIES, asked)


def test(results, world):
    listeners = Listeners()
    for address in INSIDE:
        listeners.add(world.listen(address), address, b"inside")
    for address in OWN:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        listeners.add(socket.create_server((address, 443), family=family), address, b"inside")
    for part in (controls, each_alone, alternating):
        with results.under(part.__name__.replace("_", " ") + ": "):
            part(results, world, listeners)


tunnel_test(test)

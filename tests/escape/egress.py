#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=400
"""A run that may reach some hosts reaches them by TLS on port 443, and nothing else:
no other way to the same host, no other host behind their names, nothing of this
machine's or its network's (SPEC S8.2 to S8.4).  What each attempt wants can be had
outside (controls)."""
import contextlib
import os
import socket
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import internet  # noqa: E402
from harness import product_test, worlds  # noqa: E402

GOOD, OTHER, PLAIN = "good.example.com", "other.example.com", "plain.example.com"
PRIZE = b"the prize"

# What an attempt does: a way to (host, port), then what TLS says, if any; it prints what
# it got.  Arguments: way, host, port, name of the TLS hello ("" none: plain bytes).
CLIENT = r"""
import socket, ssl, sys
way, host, port, name = sys.argv[1:5]
try:
    if way == "connect":
        s = socket.create_connection(("127.0.0.1", 8119), timeout=10)
        s.sendall(("CONNECT %s:%s HTTP/1.1\r\nHost: %s:%s\r\n\r\n" % (host, port, host, port)).encode())
        head = b""
        while b"\r\n\r\n" not in head:
            more = s.recv(1)
            if not more:
                break
            head += more
        print(head.decode("latin-1").split("\r\n")[0])
        if b" 200 " not in head.split(b"\r\n")[0]:
            sys.exit(1)
    else:
        s = socket.create_connection((host, int(port)), timeout=10)
    if name != "plain":
        c = ssl._create_unverified_context()
        s = c.wrap_socket(s, server_hostname=name or None)
    s.sendall(b"GET / HTTP/1.0\r\n\r\n")
    data = b""
    while len(data) < 1000:
        more = s.recv(1000)
        if not more:
            break
        data += more
    print(data.decode("latin-1"))
    sys.exit(0 if b"the prize" in data else 1)
except OSError as error:
    print(type(error).__name__, error)
    sys.exit(1)
"""

UDP = r"""
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(3)
try:
    s.sendto(b"\0\1\1\0\0\1\0\0\0\0\0\0\4good\7example\3com\0\0\1\0\1", (sys.argv[1], 53))
    print("the prize", len(s.recv(512)))
except OSError as error:
    print(type(error).__name__, error)
    sys.exit(1)
"""

# A second request in the bytes behind the first: for the host, not for anet.
BEHIND = r"""
import socket, ssl, sys
s = socket.create_connection(("127.0.0.1", 8119), timeout=10)
s.sendall(b"".join(b"CONNECT %s:443 HTTP/1.1\r\n\r\n" % host.encode() for host in sys.argv[1:3]))
data = b""
try:
    while True:
        more = s.recv(1000)
        if not more:
            break
        data += more
except OSError as error:
    print(type(error).__name__, error)
print(data.count(b" 200 "), "tunnels")
"""


class Prizes:
    """Servers that give the prize to whoever comes and asks, and who that was."""

    def __init__(self, world):
        self.world, self.taken = world, []

    def tls(self, host, address=None, port=443):
        """With a certificate for GOOD as well, as where many customers share one."""
        address = address or self.world.address()
        self.world.name(host, address)
        self._serve(host, address, port, certificate=self.world.certificate(host, GOOD))
        return address

    def plain(self, address, port=443):
        self._serve("plain.example.com", address, port, plain=True)

    def _serve(self, host, address, port, **service):
        def behaviour(peer):
            peer.head()
            self.taken.append(address)
            peer.send(PRIZE)

        self.world.serve(host, behaviour, address=address, port=port, **service)

    def here(self, address, port=443):
        """Without TLS, on this machine itself."""
        listener = socket.create_server((address, port), family=socket.AF_INET6 if ":" in address else socket.AF_INET)

        def serve():
            while True:
                connection, _ = listener.accept()
                with connection, contextlib.suppress(OSError):
                    connection.recv(1000)
                    self.taken.append(address)
                    connection.sendall(PRIZE)

        threading.Thread(target=serve, daemon=True).start()


def attempt(results, world, prizes, name, inside, outside, egress=GOOD):
    """`inside`, `outside`: arguments of CLIENT; outside they must get the prize."""
    control = world.run(["/usr/bin/python3", "-c", CLIENT, *outside], timeout=30)
    if not results.ok(name + " (control)", PRIZE.decode() in control.text, control):
        return
    del prizes.taken[:]
    result = world.python(CLIENT, *inside, options=["--egress", egress], timeout=60)
    results.ok(name, result.status == 1 and PRIZE.decode() not in result.text and result.text.strip() and
               result.seconds < 25, result)
    results.equal(name + ": nobody came", prizes.taken, [])


def works(results, world, prizes):
    """What all the rest is worth nothing without."""
    result = world.python(CLIENT, "connect", GOOD, "443", GOOD, options=["--egress", GOOD], timeout=60)
    results.contains("the allowed host is reached", result.text, PRIZE.decode())


def other_ways(results, world, prizes, address):
    attempt(results, world, prizes, "the host's address without the endpoint", ("direct", address, "443", GOOD),
            ("direct", address, "443", GOOD))
    attempt(results, world, prizes, "its name without the endpoint", ("direct", GOOD, "443", GOOD),
            ("direct", GOOD, "443", GOOD))
    attempt(results, world, prizes, "its address instead of its name", ("connect", address, "443", GOOD),
            ("direct", address, "443", GOOD))
    attempt(results, world, prizes, "another port of it", ("connect", GOOD, "8443", GOOD),
            ("direct", GOOD, "8443", GOOD))
    attempt(results, world, prizes, "a service that is not TLS", ("connect", PLAIN, "443", "plain"),
            ("direct", PLAIN, "443", "plain"), egress=PLAIN)
    attempt(results, world, prizes, "another host", ("connect", OTHER, "443", OTHER), ("direct", OTHER, "443", OTHER))
    attempt(results, world, prizes, "another name in the TLS hello", ("connect", GOOD, "443", OTHER),
            ("direct", GOOD, "443", OTHER))
    attempt(results, world, prizes, "no name in the TLS hello", ("connect", GOOD, "443", ""),
            ("direct", GOOD, "443", ""))
    attempt(results, world, prizes, "without egress", ("connect", GOOD, "443", GOOD), ("direct", GOOD, "443", GOOD),
            egress="none")
    control = world.run(["/usr/bin/python3", "-c", UDP, internet.NAME_SERVER])
    results.contains("the machine's name server answers (control)", control.text, PRIZE.decode())
    result = world.python(UDP, internet.NAME_SERVER, options=["--egress", GOOD])
    results.ok("a name server is not reached", result.status == 1 and result.seconds < 10, result)
    result = world.python(BEHIND, GOOD, OTHER, options=["--egress", GOOD], timeout=60)
    results.contains("a second request behind the first is no second tunnel", result.text, "1 tunnels")
    del prizes.taken[:]


# Names that are allowed and lead to what nobody outside this machine reaches.  Address,
# and whether the server is this machine itself.
INSIDE = [
    ("the machine's loopback", "127.0.0.1", True),
    ("loopback, not its first address", "127.0.0.53", True),
    ("loopback by IPv6", "::1", True),
    ("the machine's own public address", internet.MACHINE, True),
    ("the same by IPv6", internet.MACHINE6, True),
    ("the metadata of clouds", "169.254.169.254", False),
    ("the local network, 10/8", "10.1.2.3", False),
    ("the local network, 172.16/12", "172.16.0.9", False),
    ("the local network, 192.168/16", "192.168.1.1", False),
    ("a provider's network, 100.64/10", "100.100.100.200", False),
    ("a unique local address", "fd00::5", False),
    ("an address translated to a private one", "64:ff9b::a01:203", False),
    ("a 6to4 address", "2002:a01:203::1", False),
]


def names_that_lead_inside(results, world, prizes, net):
    for number, (name, address, here) in enumerate(INSIDE):
        host = "n%d.example.com" % number
        net.name(host, address)
        (prizes.here if here else prizes.plain)(address)
        for egress in (host, "public"):
            attempt(results, world, prizes, "%s, egress %s" % (name, "named" if egress == host else egress),
                    ("connect", host, "443", host), ("direct", address, "443", "plain"), egress=egress)


def rebinding(results, world, prizes, net, address):
    """A name server that says one thing, then another."""
    inside, turn = "10.9.9.9", []
    prizes.plain(inside)
    control = world.run(["/usr/bin/python3", "-c", CLIENT, "direct", inside, "443", "plain"], timeout=30)
    results.contains("the private address can be reached (control)", control.text, PRIZE.decode())

    def alternate(kind):
        if kind != internet.A:
            return ()
        turn.append(1)
        return (address,) if len(turn) % 2 else (inside,)

    table = [("answers that change", alternate), ("a private address among public ones", lambda _: (address, inside)),
             ("a public one by IPv4, a private one by IPv6",
              lambda kind: (address,) if kind == internet.A else ("fd00::5",))]
    for number, (name, answer) in enumerate(table):
        host = "r%d.example.com" % number
        net.answer(host, answer)
        del prizes.taken[:]
        result = world.sh('for n in $(seq 20); do /usr/bin/python3 -c "$1" connect "$2" 443 "$2"; done; true',
                          CLIENT, host, options=["--egress", host], timeout=200)
        refused = result.text.count(" anet: the name of the host leads to an address that is not public")
        reached = result.text.count(PRIZE.decode())
        results.ok(name + ": who sees the private one is refused", refused + reached == 20 and refused >= 1 and
                   (reached >= 1) == (number == 0), result)
        results.ok(name + ": nobody reaches it", set(prizes.taken) <= {address}, prizes.taken)


def test(results):
    net = internet.Internet()
    prizes = Prizes(net)
    address = prizes.tls(GOOD)
    prizes.tls(GOOD, address, 8443)
    prizes.tls(OTHER)
    plain = net.address()
    net.name(PLAIN, plain)
    prizes.plain(plain)
    world = worlds()[-1]
    works(results, world, prizes)
    other_ways(results, world, prizes, address)
    names_that_lead_inside(results, world, prizes, net)
    rebinding(results, world, prizes, net, address)
    for each in worlds()[:-1]:
        with results.under("as %s: " % each.user):
            works(results, each, prizes)
            attempt(results, each, prizes, "another host", ("connect", OTHER, "443", OTHER),
                    ("direct", OTHER, "443", OTHER))


product_test(test)

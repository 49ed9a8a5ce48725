# SPDX-License-Identifier: LGPL-2.1-or-later
"""An internet of the test's own, behind the machine of private.py.

    private.enter()                      # or product_test(); root only
    world = internet.Internet()
    world.serve("pypi.example.com", behaviour)           # TLS, port 443: tls_stub.Service
    world.name("both.example.com", "45.10.0.9", "10.0.0.9")  # a name alone
    with world.inside():                 # sockets and programs made here are out there
        server = http.server.ThreadingHTTPServer((world.address(), 443), Handler)

The machine has the addresses MACHINE and MACHINE6 on an interface `wan` whose other end
is a second network namespace, the internet.  There every address of NETWORKS is a local
one, so that a server may bind any of them; PUBLIC and PUBLIC6 are public ones, the
others are those that nobody may reach through a tunnel, and that could be reached all
the same (the controls).  A socket belongs to the namespace in which it was made: a
server made inside() may be accepted from and served by any thread of the test.

Names are asked for as on any machine: /etc/resolv.conf names dnsmasq, which runs out
there, keeps nothing, and asks the test (name(), answer()).  Names that the test has not
given do not exist.  TLS certificates are those of the CA of private.py, which is also
CA_DIR/ca-certificates.crt, where curl, git and pip look for all of them.
"""
import contextlib
import ctypes
import ipaddress
import os
import shutil
import socket
import struct
import subprocess
import threading
import time

import private
import tls_stub
from tap import Skip

MACHINE, MACHINE6 = "45.99.0.2", "2a0f:99::2"
GATEWAY, GATEWAY6 = "45.99.0.1", "2a0f:99::1"
PUBLIC, PUBLIC6 = "45.10.0.0/16", "2a0f:10::/32"
NAME_SERVER = "45.10.0.53"
SCRIPTED = ("127.0.0.1", 5353)  # the test's answers, for dnsmasq only
NETWORKS = (PUBLIC, PUBLIC6, "10.0.0.0/8", "100.64.0.0/10", "169.254.0.0/16", "172.16.0.0/12", "192.0.2.0/24",
            "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/5", "64:ff9b::/96",
            "2001::/32", "2001:db8::/32", "2002::/16", "fc00::/7", "fec0::/10")
A, AAAA = 1, 28
NO_ERROR, SERVFAIL, NXDOMAIN = 0, 2, 3


def _ip(*lines):
    result = subprocess.run(["ip", "-batch", "-"], input="\n".join(lines) + "\n", capture_output=True, text=True)
    if result.returncode:
        raise Skip("ip(8) cannot make a network: %s" % result.stderr.strip())


class Names:
    """Answers of a name server, as the test has them."""

    def __init__(self, sock):
        self.sock = sock
        self.table = {}
        self.asked = []  # (name, A or AAAA)
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        with contextlib.suppress(OSError):
            while True:
                query, peer = self.sock.recvfrom(4096)
                threading.Thread(target=self._answer, args=(query, peer), daemon=True).start()

    def _answer(self, query, peer):
        labels, at = [], 12
        while query[at]:
            labels.append(query[at + 1:at + 1 + query[at]].decode("latin-1"))
            at += 1 + query[at]
        name, (kind,) = ".".join(labels).lower(), struct.unpack(">H", query[at + 1:at + 3])
        self.asked.append((name, kind))
        function = self.table.get(name)
        addresses = function(kind) if function else NXDOMAIN
        if addresses is None:  # silence
            return
        code = addresses if isinstance(addresses, int) else NO_ERROR
        found = [] if code else [ipaddress.ip_address(address).packed for address in addresses]
        found = [address for address in found if (len(address) == 4) == (kind == A)] if kind in (A, AAAA) else []
        answer = query[:2] + struct.pack(">HHHHH", 0x8580 | code, 1, len(found), 0, 0) + query[12:at + 5]
        for address in found:
            answer += struct.pack(">HHHIH", 0xc00c, kind, 1, 0, len(address)) + address
        with contextlib.suppress(OSError):
            self.sock.sendto(answer, peer)


class Internet:
    def __init__(self):
        if not private.is_root:
            raise Skip("only root can make an internet of his own")
        for program, package in (("ip", "iproute2"), ("dnsmasq", "dnsmasq-base")):
            if not shutil.which(program):
                raise Skip("%s is not installed (%s)" % (program, package))
        self.home = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        self.used = 0
        self._make_namespace()
        with self.inside():
            sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            sock.bind(SCRIPTED)
            self.names = Names(sock)
            self._start_dnsmasq()
        self._resolver_files()
        shutil.copy(os.path.join(private.directory, "tls", "ca.pem"),
                    os.path.join(private.CA_DIR, "ca-certificates.crt"))

    def _make_namespace(self):
        private._check(private.libc.unshare(private.CLONE_NEWNET), "unshare")
        self.away = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        # Else a program may bind only IPv6 addresses that an interface has.
        private._write("/proc/sys/net/ipv6/ip_nonlocal_bind", "1")
        _ip("link set lo up", *("route add local %s dev lo" % network for network in NETWORKS),
            "addr add %s/32 dev lo" % NAME_SERVER)
        self._enter(self.home)
        _ip("link add wan type veth peer name machine netns /proc/%d/fd/%d" % (os.getpid(), self.away))
        self._raise("wan", MACHINE, MACHINE6, "route add default via " + GATEWAY, "route add default via " + GATEWAY6)
        with self.inside():
            self._raise("machine", GATEWAY, GATEWAY6)

    def _raise(self, link, address, address6, *routes):
        _ip("link set %s up" % link, "addr add %s/24 dev %s" % (address, link),
            "addr add %s/64 dev %s nodad" % (address6, link), *routes)

    def _enter(self, descriptor):
        """The calling thread only."""
        private._check(private.libc.setns(descriptor, ctypes.c_int(private.CLONE_NEWNET)), "setns")

    @contextlib.contextmanager
    def inside(self):
        """What the calling thread makes in this block is out there."""
        self._enter(self.away)
        try:
            yield self
        finally:
            self._enter(self.home)

    def _start_dnsmasq(self):
        self.dnsmasq = subprocess.Popen(
            ["dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--pid-file=", "--user=root", "--group=root",
             "--no-hosts", "--no-resolv", "--cache-size=0", "--bind-interfaces", "--listen-address=" + NAME_SERVER,
             "--server=%s#%d" % SCRIPTED], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        self.name("ready.example.com", "45.10.0.53")
        end = time.monotonic() + 10
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.settimeout(0.1)
            while time.monotonic() < end:
                with contextlib.suppress(OSError):
                    sock.sendto(b"\0\1\1\0\0\1\0\0\0\0\0\0\5ready\7example\3com\0\0\1\0\1", (NAME_SERVER, 53))
                    sock.recv(512)
                    return
                time.sleep(0.02)
        raise Skip("dnsmasq does not answer: exit status %r" % self.dnsmasq.poll())

    def _resolver_files(self):
        for path, text in (("/etc/resolv.conf", "nameserver %s\noptions timeout:2 attempts:2\n" % NAME_SERVER),
                           ("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n")):
            ours = os.path.join(private.directory, os.path.basename(path))
            private._write(ours, text)
            target = os.path.realpath(path)
            if not os.path.exists(target):  # a link into /run
                os.makedirs(os.path.dirname(target), exist_ok=True)
                private._write(target, "")
            private.mount(ours, target, flags=private.MS_BIND)

    # -- names and addresses

    def address(self, ipv6=False):
        """A public address that no other server of this test has."""
        self.used += 1
        return "2a0f:10::%x" % self.used if ipv6 else "45.10.1.%d" % self.used

    def name(self, host, *addresses):
        """`host` has these addresses of both families."""
        self.names.table[host] = lambda kind: addresses

    def answer(self, host, function):
        """function(A or AAAA) gives its addresses, a code such as NXDOMAIN, or None: no
        answer at all.  Each time the name is asked for; nobody keeps the answer."""
        self.names.table[host] = function

    def hosts(self, text):
        """Lines for /etc/hosts, beside private.py's."""
        with open("/etc/hosts", "a") as file:
            file.write(text)

    # -- servers

    def listen(self, address, port=443, backlog=64):
        """A listening TCP socket out there."""
        with self.inside():
            return socket.create_server((address, port), backlog=backlog,
                                        family=socket.AF_INET6 if ":" in address else socket.AF_INET)

    def certificate(self, *hosts):
        """(certificate file, key file) for these names."""
        return tls_stub.make_certificate(hosts[0], hosts)

    def serve(self, host, behaviour, address=None, **service):
        """A tls_stub.Service named `host` at a public address (or `address`); with
        plain=True without TLS."""
        address = address or self.address()
        if host not in self.names.table:
            self.name(host, address)
        if not service.get("plain"):
            service.setdefault("certificate", self.certificate(host))
        with self.inside():
            return tls_stub.Service(behaviour, address=address, **service)

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Starts the built anet-tunnel by itself, as a supervisor would, with the test as the
agent; hosts are internet.py's.

    def test(results, world):
        world.serve("a.example.com", behaviour)
        with Tunnel("a.example.com") as tunnel:
            results.equal("status", tunnel.connect("a.example.com").status, 200)
            sock = tunnel.tls("a.example.com")

    tunnel_test(test)
"""
import contextlib
import os
import socket
import ssl

import internet
import private
import records
from gateway import PATIENCE, helper_path
from helper import Helper
from ledger import Ledger
from tap import run_test


def tunnel_test(function):
    """Runs function(results, internet) on a machine of its own."""

    def inside(results):
        program = helper_path("anet-tunnel")
        private.enter((os.path.dirname(os.path.realpath(program)),))
        function(results, internet.Internet())

    run_test(inside)


class Answer:
    """What a proxy says; `line` is the whole first line."""

    def __init__(self, head, body=b""):
        self.line, *rest = head.decode("latin-1").split("\r\n")
        self.version, status, self.phrase = self.line.split(" ", 2)
        self.status, self.body = int(status), body
        self.fields = dict((key.lower(), value.strip()) for key, _, value in (line.partition(":") for line in rest))

    @property
    def reason(self):
        return self.fields.get("anet-reason")

    def __repr__(self):
        return "%s %r %r" % (self.line, self.fields, self.body)


def hello(name, alpn=None):
    """The first flight of a TLS client, for an SNI of `name` (None: without)."""
    context = ssl.create_default_context()
    context.check_hostname = False
    if alpn:
        context.set_alpn_protocols(alpn)
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    with contextlib.suppress(ssl.SSLWantReadError):
        context.wrap_bio(incoming, outgoing, server_hostname=name).do_handshake()
    return outgoing.read()


def context():
    """Trusts the CA of the test, and nobody else."""
    return ssl.create_default_context(cafile=os.path.join(private.directory, "tls", "ca.pem"))


def until(sock, mark, received=b""):
    """Reads until these bytes: (what is before them, what is behind them)."""
    while mark not in received:
        data = sock.recv(65536)
        if not data:
            raise EOFError("the connection ended after %r" % received[-300:])
        received += data
    before, _, after = received.partition(mark)
    return before, after


def to_end(sock):
    """All that comes."""
    data = bytearray()
    while True:
        more = sock.recv(1 << 20)
        if not more:
            return bytes(data)
        data += more


class Tunnel(Helper):
    """Of a session that may reach these hosts, or of egress=records.EGRESS_PUBLIC."""

    def __init__(self, *hosts, ledger=None, connected=True, environment=(), policy_fd=None, **policy):
        super().__init__("anet-tunnel", environment)
        self.ledger, self.agent = ledger or Ledger(), None
        fields = dict(records.egress(*hosts) if hosts else {}, **policy)
        if connected:
            self.prepare(records.policy(**fields), policy_fd)
            self.take()

    # -- as the supervisor

    def prepare(self, policy, policy_fd=None, ledger_fd=None, more=(), **values):
        fds = [records.sealed(policy) if policy_fd is None else policy_fd,
               os.dup(self.ledger.fd) if ledger_fd is None else ledger_fd, *more]
        self.hand_over(records.TUNNEL, records.PREPARE, fds, **values)
        for fd in fds:
            os.close(fd)

    def take(self, number=7):
        """Hands a new connection of the agent over."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.agent = socket.create_connection(server.getsockname())
            conn, _ = server.accept()
        self.agent.settimeout(PATIENCE)
        with conn, contextlib.suppress(BrokenPipeError):  # its outcome says why
            self.hand_over(records.TUNNEL, records.CONNECTION, [conn.fileno()], connection=number)

    # -- as the agent

    def ask(self, request):
        """Sends bytes and reads the answer to them."""
        self.agent.sendall(request)
        return self.answer()

    def answer(self):
        head, body = until(self.agent, b"\r\n\r\n")
        answer = Answer(head)
        length = int(answer.fields.get("content-length", 0))
        while len(body) < length:
            data = self.agent.recv(65536)
            if not data:
                break
            body += data
        answer.body = body
        return answer

    def connect(self, host, port=443, version="1.1"):
        """As most clients say it."""
        return self.ask(b"CONNECT %s:%d HTTP/%s\r\nHost: %s:%d\r\n\r\n"
                        % (host.encode(), port, version.encode(), host.encode(), port))

    def tls(self, host, name=None):
        """The connection as a TLS one, when connect() was answered with 200."""
        return context().wrap_socket(self.agent, server_hostname=name or host)

    def open(self, host):
        """A tunnel to a host whose server is plain: past the hello."""
        answer = self.connect(host)
        if answer.status != 200:
            raise AssertionError("no tunnel: %r" % answer)
        return self.greet(host)

    def greet(self, host):
        """The hello, when connect() was answered with 200."""
        self.hello = hello(host)
        self.agent.sendall(self.hello)
        return self.agent

    def reset(self):
        """The agent closes with a RST."""
        self.agent.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.agent.close()

    def close(self):
        if self.agent:
            self.agent.close()

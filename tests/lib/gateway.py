# SPDX-License-Identifier: LGPL-2.1-or-later
"""Starts the built anet-gateway by itself, as a supervisor would, with a double
of anet-upstream on the pair and the test as the agent."""
import contextlib
import fcntl
import os
import select
import signal
import socket
import threading
import time

import records
from ledger import Ledger
from tap import Skip

PATIENCE = 20.0
SANITIZER_STATUS = 99  # of tests/sanitized/no-sandbox.c
F_GET_SEALS = 1034
COUNT = b'{"model":"claude-x","messages":[{"role":"user","content":"hi"}]}'
MESSAGE = b'{"model":"claude-x","max_tokens":100,"messages":[{"role":"user","content":"hi"}]}'
RESPONSE = b'{"model":"gpt-x","input":"hi"}'
CHAT = b'{"model":"gpt-x","messages":[{"role":"user","content":"hi"}]}'
# wire, path, endpoint, a request that goes through
ENDPOINTS = [
    (records.WIRE_ANTHROPIC, "/v1/messages", records.MESSAGES, MESSAGE),
    (records.WIRE_ANTHROPIC, "/v1/messages/count_tokens", records.COUNT_TOKENS, COUNT),
    (records.WIRE_OPENAI, "/v1/responses", records.RESPONSES, RESPONSE),
    (records.WIRE_OPENAI, "/v1/chat/completions", records.CHAT, CHAT),
]


def helper_path(name):
    base = os.environ.get("ANET_HELPER_DIR") or os.path.join(
        os.environ.get("ANET_PREFIX", "/usr/local"), "libexec", "anet")
    path = os.path.join(base, name)
    if not os.access(path, os.X_OK):
        raise Skip("%s is not there: set ANET_HELPER_DIR or ANET_PREFIX" % path)
    return path


def start_helper(name, supervisor, environment):
    """Its pid; it has nothing of the test's but that socket, as a socket unit would give it."""
    program = helper_path(name)
    pid = os.fork()
    if pid:
        return pid
    try:
        os.dup2(supervisor.fileno(), records.HANDOVER_FD)
        os.closerange(records.HANDOVER_FD + 1, 1024)
        os.set_inheritable(records.HANDOVER_FD, True)
        os.execve(program, [program], dict(environment, LISTEN_FDS="1", LISTEN_PID=str(os.getpid())))
    finally:
        os._exit(127)


class Answer:
    def __init__(self, status, fields, body):
        self.status, self.fields, self.body = status, fields, body

    def field(self, name):
        return ", ".join(value for key, value in self.fields if key == name)

    @property
    def reason(self):
        return self.field("anet-reason")

    def __repr__(self):
        return "%d %r %r" % (self.status, self.fields, self.body[:400])


class Agent:
    """One connection, spoken by hand."""

    def __init__(self, sock):
        self.sock, self.received = sock, b""
        sock.settimeout(PATIENCE)

    def send(self, data):
        self.sock.sendall(data)

    def send_singly(self, data):
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in data:
            self.sock.sendall(bytes([byte]))

    def _more(self):
        data = self.sock.recv(65536)
        if not data:
            raise EOFError("the connection ended after %r" % self.received[-300:])
        self.received += data

    def answer(self, head_only=False):
        while b"\r\n\r\n" not in self.received:
            self._more()
        head, _, self.received = self.received.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        fields = [(key.lower(), value.strip()) for key, _, value in (line.partition(":") for line in lines[1:])]
        length = 0 if head_only else int(dict(fields).get("content-length", 0))
        while len(self.received) < length:
            self._more()
        body, self.received = self.received[:length], self.received[length:]
        return Answer(int(lines[0].split(" ")[1]), fields, body)

    def ended(self):
        """Whether nothing more comes and the connection ends cleanly."""
        return not self.received and self.sock.recv(65536) == b""

    def is_quiet(self, seconds=0.2):
        return not select.select([self.sock], [], [], seconds)[0]

    def close(self):
        self.sock.close()

    def reset(self):
        """Closes with a RST."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.sock.close()


class Upstream:
    """Answers each request with its own body, in a thread."""

    def __init__(self, pair, conn):
        self.pair, self.conn = pair, conn
        self.requests = []  # (record, body)
        self.seals = []  # of the bodies
        # Called with (upstream, record, body) instead of echo(); may set it.
        self.behaviour = None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def done(self, code="ok", **values):
        records.send(self.pair, records.upstream_done(code, **values))

    def echo(self, record, body):
        close = "Connection: close\r\n" if record["flags"] & records.LAST else ""
        answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n%s\r\n%s" % (len(body), close.encode(), body)
        self.conn.sendall(answer)
        self.done(flags=records.HEAD_SENT | (records.CLOSE if close else 0), http_status=200,
                  response_bytes=len(answer))

    def _run(self):
        with contextlib.suppress(OSError):
            while True:
                data, fds = records.receive(self.pair, records.UPSTREAM_REQUEST.layout.size)
                if not data:
                    break
                record = records.UPSTREAM_REQUEST.unpack(data)
                body = os.pread(fds[0], record["body_bytes"] + 1, 0)
                self.seals.append(fcntl.fcntl(fds[0], F_GET_SEALS))
                os.close(fds[0])
                self.requests.append((record, body))
                if self.behaviour:
                    self.behaviour(self, record, body)
                else:
                    self.echo(record, body)

    def end(self):
        with contextlib.suppress(OSError):
            self.conn.shutdown(socket.SHUT_WR)
        self.conn.close()
        # A thread may be reading it, and would keep it open.
        with contextlib.suppress(OSError):
            self.pair.shutdown(socket.SHUT_RDWR)
        self.pair.close()


class Gateway:
    """`with Gateway() as gateway: gateway.agent.send(…)`."""

    def __init__(self, connected=True, policy=None, ledger=None, environment=()):
        self.ledger = ledger or Ledger()
        self.supervisor, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.supervisor.settimeout(PATIENCE)
        self.pair, self.their_pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.exit_status = None
        self.events, self.outcome = [], None
        self.agent = self.upstream = None
        self.pid = start_helper("anet-gateway", theirs, environment)
        theirs.close()
        if connected:
            self.prepare(policy)
            self.connect()

    # -- as the supervisor

    def prepare(self, policy=None, ledger_fd=None, n_fds=3, policy_fd=None, **values):
        if policy_fd is None:
            policy_fd = records.sealed(records.policy() if policy is None else policy)
        mine = [policy_fd, self.ledger.read_only() if ledger_fd is None else ledger_fd]
        fds = (mine + [self.their_pair.fileno()] * 8)[:n_fds]
        records.send(self.supervisor, records.handover(records.GATEWAY, records.PREPARE, n_fds, **values), fds)
        for fd in mine:
            os.close(fd)
        self.their_pair.close()

    def connect(self, number=7):
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.agent = Agent(socket.create_connection(server.getsockname()))
            conn, _ = server.accept()
        records.send(self.supervisor, records.handover(records.GATEWAY, records.CONNECTION, 1, connection=number),
                     [conn.fileno()])
        self.upstream = Upstream(self.pair, conn)

    def reports(self):
        """Reads what the gateway reports, to its end."""
        while self.outcome is None:
            try:
                data, _ = records.receive(self.supervisor, records.REPORT.layout.size)
            except ConnectionResetError:  # it died, and had not read all
                break
            if not data:
                break
            report = records.REPORT.unpack(data)
            report["code"] = records.REASONS[report["reason"]]
            if report["type"] == records.OUTCOME:
                self.outcome = report
            else:
                self.events.append(report)
        return self

    def status(self):
        """The exit status; a negative number is a signal, None: it still runs."""
        end = time.monotonic() + PATIENCE
        while self.pid and time.monotonic() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.pid, self.exit_status = None, os.waitstatus_to_exitcode(status)
                return self.exit_status
            time.sleep(0.005)
        return None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.agent:
            self.agent.close()
        self.supervisor.close()
        if self.upstream:
            self.upstream.end()
        status = self.status() if self.pid else self.exit_status
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            raise AssertionError("anet-gateway did not end with its supervisor")
        if status == SANITIZER_STATUS:
            raise AssertionError("a sanitizer has found something in anet-gateway")


def post(body, path="/v1/messages", fields=(), length=True):
    """A request as agents write it."""
    lines = ["POST %s HTTP/1.1" % path, "Host: 127.0.0.1:8118"] + list(fields)
    if length:
        lines.append("Content-Length: %d" % len(body))
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def chunked(*chunks, last=b"0\r\n\r\n"):
    return b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + last


def message(size):
    """MESSAGE with so long a text that the body has `size` bytes."""
    return MESSAGE.replace(b'"hi"', b'"' + b"a" * (size - len(MESSAGE) + 2) + b'"')

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Starts the built anet-upstream by itself, as a supervisor would, with the test as
gateway and as agent; the service is tls_stub.py's."""
import os
import select
import signal
import socket
import time

import private
import records
from gateway import helper_path, start_helper
from ledger import Ledger, memfd
from tap import run_test

PATIENCE = 20.0
SANITIZER_STATUS = 99  # of tests/sanitized/no-sandbox.c
KEY = b"sk-ant-test-7Qx2vKeyThatMustNeverShowUpInside9Zw4"
CREDENTIAL_FD, PLAIN_HTTP = 1, 2


def upstream_test(function):
    """Runs function(results) on a machine of its own."""

    def inside(results):
        program = helper_path("anet-upstream")
        private.enter((os.path.dirname(os.path.realpath(program)),))
        function(results)

    run_test(inside)


class Answer:
    """An answer as the agent got it; pieces: [(seconds of the monotonic clock, bytes)]."""

    def __init__(self, head):
        lines = head.decode("latin-1").split("\r\n")
        self.line, self.status = lines[0], int(lines[0].split(" ")[1])
        self.fields = [tuple(part.strip() for part in line.split(":", 1)) for line in lines[1:] if line]
        self.pieces, self.whole = [], False

    def field(self, name):
        return ", ".join(value for key, value in self.fields if key == name)

    @property
    def body(self):
        return b"".join(data for _, data in self.pieces)

    def __repr__(self):
        return "%s %r %r whole=%s" % (self.line, self.fields, self.body[:300], self.whole)


class Agent:
    """The agent's end of the connection: reads answers, in their framing."""

    def __init__(self, sock):
        self.sock, self.buffer, self.raw = sock, bytearray(), bytearray()
        sock.settimeout(PATIENCE)

    def _more(self):
        data = self.sock.recv(65536)
        if not data:
            raise EOFError
        self.buffer += data
        self.raw += data

    def _take(self, length):
        taken = bytes(self.buffer[:length])
        del self.buffer[:length]
        return taken

    def _until(self, mark):
        while mark not in self.buffer:
            self._more()
        return self._take(self.buffer.index(mark) + len(mark))[:-len(mark)]

    def _exactly(self, length):
        while len(self.buffer) < length:
            self._more()
        return self._take(length)

    def read_until(self, mark):
        """Reads until it has got these bytes, in whatever answer they are."""
        while mark not in self.raw:
            self._more()

    def answer(self):
        """The next answer; whole is false when the connection ended within it.
        None when it ended before."""
        answer = None
        try:
            answer = Answer(self._until(b"\r\n\r\n"))
            if answer.field("transfer-encoding") == "chunked":
                while True:
                    size = int(self._until(b"\r\n"), 16)
                    if size == 0:
                        break
                    answer.pieces.append((time.monotonic(), self._exactly(size)))
                    self._exactly(2)
                self._exactly(2)
            else:
                length = int(answer.field("content-length") or 0)
                while length:
                    if not self.buffer:
                        self._more()
                    data = self._take(length)
                    answer.pieces.append((time.monotonic(), data))
                    length -= len(data)
            answer.whole = True
        except EOFError:
            pass
        return answer

    def got_nothing(self, seconds=0.2):
        return not self.buffer and not select.select([self.sock], [], [], seconds)[0]

    def close(self):
        self.sock.close()

    def reset(self):
        """Closes with a RST."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.sock.close()


class Upstream:
    """`with Upstream() as upstream: upstream.request(b"{}"); upstream.agent.answer(); upstream.done()`."""

    def __init__(self, key=KEY, ledger=None, connected=True, environment=(), **policy):
        self.key, self.ledger = key, ledger or Ledger()
        self.policy = records.policy(**dict({"flags": CREDENTIAL_FD if key is not None else 0,
                                            "profile": records.PROFILE_PEER}, **policy))
        self.supervisor, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.supervisor.settimeout(PATIENCE)
        self.pair, self.their_pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.pair.settimeout(PATIENCE)
        self.exit_status = None
        self.events, self.outcome, self.agent = [], None, None
        self.pid = start_helper("anet-upstream", theirs, environment)
        theirs.close()
        if connected:
            self.prepare()
            self.connect()

    # -- as the supervisor

    def prepare(self, key_fd=None, policy_fd=None, **values):
        fds = [records.sealed(self.policy) if policy_fd is None else policy_fd, os.dup(self.ledger.fd), os.dup(self.their_pair.fileno())]
        if key_fd is not None:
            fds.append(key_fd)
        elif self.key is not None:
            fds.append(memfd(self.key))
        values.setdefault("n_fds", len(fds))
        try:
            records.send(self.supervisor, records.handover(records.UPSTREAM, records.PREPARE, **values), fds)
        finally:
            for fd in fds:
                os.close(fd)
        self.their_pair.close()

    def connect(self, number=7):
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.agent = Agent(socket.create_connection(server.getsockname()))
            conn, _ = server.accept()
        try:
            self.send_connection(conn, number)
        except BrokenPipeError:
            pass  # it has refused what it was prepared with, and its outcome says so
        conn.close()

    def send_connection(self, conn, number=7):
        records.send(self.supervisor, records.handover(records.UPSTREAM, records.CONNECTION, 1, connection=number),
                     [conn.fileno()])

    def reports(self):
        """Reads what it reports, to its end."""
        while self.outcome is None:
            data, _ = records.receive(self.supervisor, records.REPORT.layout.size)
            if not data:
                break
            report = records.REPORT.unpack(data)
            report["code"] = records.REASONS[report["reason"]]
            if report["type"] == records.OUTCOME:
                self.outcome = report
            else:
                self.events.append(report)
        return self

    def reports_at_once(self):
        """Whether it ends before it serves anything; else it is ready."""
        while not self.outcome:
            ready = select.select([self.supervisor], [], [], 0)[0]
            if ready:
                return bool(self.reports().outcome)
            if self.is_sandboxed():
                return False
            time.sleep(0.005)
        return True

    def is_sandboxed(self):
        with open("/proc/%d/status" % self.pid) as file:
            return "Seccomp:\t2" in file.read()

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

    # -- as the gateway

    def request(self, body=b"{}", endpoint=records.MESSAGES, body_fd=None, n_fds=1, **values):
        fd = memfd(body) if body_fd is None else body_fd
        fields = dict(magic=records.UPSTREAM_MAGIC, version=records.UPSTREAM_VERSION,
                      size=records.UPSTREAM_REQUEST.layout.size, endpoint=endpoint, body_bytes=len(body))
        records.send(self.pair, records.UPSTREAM_REQUEST.pack(**dict(fields, **values)), [fd] * n_fds)
        os.close(fd)

    def done(self):
        """What became of the request; None when the upstream has ended."""
        data, _ = records.receive(self.pair, records.UPSTREAM_DONE.layout.size)
        if not data:
            return None
        done = records.UPSTREAM_DONE.unpack(data)
        done["code"] = records.REASONS[done["reason"]]
        return done

    def exchange(self, body=b"{}", **values):
        """One request to its end: (answer or None, done)."""
        self.request(body, **values)
        answer = None
        # The answer comes before the record; if none comes only the record does.
        ready = select.select([self.agent.sock, self.pair], [], [], PATIENCE)[0]
        if self.agent.sock in ready:
            answer = self.agent.answer()
        return answer, self.done()

    def finish(self):
        """Ends the connection as a gateway does: (exit status, outcome's code)."""
        self.pair.close()
        self.reports()
        return self.status(), self.outcome and self.outcome["code"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.agent:
            self.agent.close()
        self.supervisor.close()
        self.pair.close()
        status = self.status() if self.pid else self.exit_status
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            raise AssertionError("anet-upstream did not end with its supervisor")
        if status == SANITIZER_STATUS:
            raise AssertionError("a sanitizer has found something in anet-upstream")

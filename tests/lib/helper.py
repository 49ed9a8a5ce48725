# SPDX-License-Identifier: LGPL-2.1-or-later
"""One of the programs that a supervisor starts for a connection, started by a test."""
import os
import select
import signal
import socket
import time

import records
from gateway import PATIENCE, SANITIZER_STATUS, start_helper


class Helper:
    """`program` with the supervisor's socket on descriptor 3; `with` ends it."""

    def __init__(self, program, environment=()):
        self.program = program
        self.supervisor, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.supervisor.settimeout(PATIENCE)
        self.exit_status = None
        self.events, self.outcome = [], None
        self.pid = start_helper(self.program, theirs, environment)
        theirs.close()

    def hand_over(self, kind, step, fds, **values):
        """Sends the message; the descriptors stay the caller's."""
        records.send(self.supervisor, records.handover(kind, step, **dict({"n_fds": len(fds)}, **values)), fds)

    def reports(self):
        """Reads what it reports, to its end."""
        while self.outcome is None:
            data, _ = records.receive(self.supervisor, records.REPORT.layout.size)
            if not data:
                break
            self._take(data)
        return self

    def event(self):
        """The next event; None if it ended first."""
        before = len(self.events)
        while self.outcome is None and len(self.events) == before:
            data, _ = records.receive(self.supervisor, records.REPORT.layout.size)
            if not data:
                return None
            self._take(data)
        return self.events[before] if len(self.events) > before else None

    def _take(self, data):
        report = records.REPORT.unpack(data)
        report["code"] = records.REASONS[report["reason"]]
        report["detail"] = report["detail"].decode()
        if report["type"] == records.OUTCOME:
            self.outcome = report
        else:
            self.events.append(report)

    def is_quiet(self, seconds=0.2):
        """Whether it reports nothing in this time."""
        return not select.select([self.supervisor], [], [], seconds)[0]

    def status(self):
        """The exit status; a negative number is a signal, None: it still runs."""
        end = time.monotonic() + PATIENCE
        while self.pid and time.monotonic() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.pid, self.exit_status = None, os.waitstatus_to_exitcode(status)
                return self.exit_status
            time.sleep(0.005)
        return self.exit_status

    def close(self):
        """What a helper has besides the socket to its supervisor."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
        self.supervisor.close()
        status = self.status()
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            raise AssertionError("%s did not end with its supervisor" % self.program)
        if status == SANITIZER_STATUS:
            raise AssertionError("a sanitizer has found something in %s" % self.program)

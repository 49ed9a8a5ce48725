# SPDX-License-Identifier: LGPL-2.1-or-later
"""Starts the built anet-files by itself, as a supervisor would, as the owner of
the directories that it measures."""
import contextlib
import os
import signal
import socket
import tempfile
import time

import records
from gateway import helper_path

PATIENCE = 20.0
# Root gives its directories to this account, as it gives them to a run.
OWNER = 64999 if os.geteuid() == 0 else os.geteuid()


def directory():
    """A new directory of the owner, on a disk."""
    path = tempfile.mkdtemp(dir=os.environ.get("ANET_TEST_DIR") or "/var/tmp")
    os.chown(path, OWNER, -1)
    return path


class Files:
    """`with Files([path], growth_bytes=…) as files: files.measure()`."""

    def __init__(self, paths, prepare=True, **limits):
        self.supervisor, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.supervisor.settimeout(PATIENCE)
        self.measures, self.outcome, self._usage = [], None, None
        self.pid = self._start(theirs)
        theirs.close()
        if prepare:
            self.prepare(paths, **limits)

    def _start(self, theirs):
        program = helper_path("anet-files")
        pid = os.fork()
        if pid:
            return pid
        try:
            os.dup2(theirs.fileno(), records.HANDOVER_FD)
            os.closerange(records.HANDOVER_FD + 1, 256)
            os.set_inheritable(records.HANDOVER_FD, True)
            # As a supervisor does: the other account may not come to it by name.
            opened = os.open(program, os.O_RDONLY | os.O_CLOEXEC)
            if os.geteuid() == 0:
                os.setgroups([])
                os.setresgid(OWNER, OWNER, OWNER)
                os.setresuid(OWNER, OWNER, OWNER)
            os.execve(opened, [program], {"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid())})
        finally:
            os._exit(127)

    def prepare(self, paths, policy=None, n_fds=None, kind=records.FILES, **limits):
        fds = [records.sealed(records.policy(**limits) if policy is None else policy)]
        fds += [os.open(path, os.O_PATH | os.O_DIRECTORY) for path in paths]
        records.send(self.supervisor,
                     records.handover(kind, records.PREPARE, len(fds) if n_fds is None else n_fds), fds)
        for fd in fds:
            os.close(fd)

    def measure(self):
        """The next measure, None if the outcome came instead."""
        try:
            data, _ = records.receive(self.supervisor, records.REPORT.layout.size)
        except ConnectionResetError:  # it ended without having read all; once
            data, _ = records.receive(self.supervisor, records.REPORT.layout.size)
        report = records.REPORT.unpack(data) if data else None
        if report is None:
            return None
        report["code"] = records.REASONS[report["reason"]]
        if report["type"] == records.OUTCOME:
            self.outcome = report
            return None
        self.measures.append(report)
        return report

    def measure_until(self, condition, seconds=PATIENCE):
        """The first measure of which it is true, None if none was."""
        end = time.monotonic() + seconds
        with contextlib.suppress(socket.timeout):
            while time.monotonic() < end:
                report = self.measure()
                if report is None or condition(report):
                    return report
        return None

    def memory(self):
        """Resident KiB that are the program's own share (PSS); None: only root may
        see that of a program that is not dumpable."""
        try:
            with open("/proc/%d/smaps_rollup" % self.pid, encoding="ascii") as file:
                return next(int(line.split()[1]) for line in file if line.startswith("Pss:"))
        except PermissionError:
            return None

    def cpu_seconds(self):
        with open("/proc/%d/stat" % self.pid, encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        """Ends it as the supervisor does; the exit status, negative: a signal."""
        with contextlib.suppress(OSError):
            self.supervisor.shutdown(socket.SHUT_WR)
            while self.outcome is None and self.measure():
                pass
        return self.status()

    def status(self):
        end = time.monotonic() + PATIENCE
        while self.pid and time.monotonic() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.pid = None
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.005)
        return None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.supervisor.close()
        if self.pid and self.status() is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            raise AssertionError("anet-files did not end with its supervisor")


class AsOwner:
    """What the run does: the block is run as the directories' owner."""

    def __enter__(self):
        if os.geteuid() == 0:
            os.setegid(OWNER)
            os.seteuid(OWNER)

    def __exit__(self, *_):
        if os.getuid() == 0:
            os.seteuid(0)
            os.setegid(0)

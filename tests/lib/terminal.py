# SPDX-License-Identifier: LGPL-2.1-or-later
"""A person at a terminal: runs a program on a pty, types, reads, resizes."""
import errno
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time


class Terminal:
    """The program is a session leader with the pty as its controlling terminal,
    behind a parent like a shell if `shell` is true: then the terminal outlives it."""

    def __init__(self, argv, rows=24, columns=80, **popen):
        self.master, self.slave = pty.openpty()
        self.resize(rows, columns, tell=False)
        self.first = self.attributes()
        self.output = b""
        slave = self.slave

        def become_leader():
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(argv, stdin=slave, stdout=slave, stderr=slave,
                                        preexec_fn=become_leader, **popen)

    def attributes(self):
        """The settings of the terminal, comparable."""
        return termios.tcgetattr(self.slave)

    def is_raw(self):
        local = self.attributes()[3]
        return not local & termios.ICANON and not local & termios.ECHO

    def resize(self, rows, columns, tell=True):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text):
        os.write(self.master, text if isinstance(text, bytes) else text.encode())

    def read(self, seconds=0.1):
        """Takes in what is there; returns all so far as text."""
        end = time.monotonic() + seconds
        while True:
            ready, _, _ = select.select([self.master], [], [], max(0, end - time.monotonic()))
            if not ready:
                break
            try:
                data = os.read(self.master, 65536)
            except OSError as error:
                if error.errno != errno.EIO:
                    raise
                break
            if not data:
                break
            self.output += data
        return self.output.decode("utf-8", "replace")

    def expect(self, text, seconds=10.0):
        """Waits until `text` has been shown; returns whether it was."""
        end = time.monotonic() + seconds
        while text not in self.read(0.05):
            if time.monotonic() > end:
                return False
        return True

    def forget(self):
        self.output = b""

    def wait(self, seconds=10.0):
        """The exit status, reading meanwhile; None if it does not end."""
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            self.read(0.02)
            if time.monotonic() > end:
                return None
        self.read(0.05)
        return self.process.returncode

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        os.close(self.slave)
        os.close(self.master)

# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a session has used up, as its supervisor and its upstreams write it."""
import fcntl
import os
import struct

SEAL_SEAL, SEAL_SHRINK, SEAL_GROW, SEAL_WRITE = 1, 2, 4, 8
LEDGER_MAGIC, LEDGER_PAGE = 0x4c4e4131, 4096


def memfd(data, seals=SEAL_SHRINK | SEAL_GROW | SEAL_WRITE, size=None):
    fd = os.memfd_create("test", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.write(fd, data)
    if size is not None:
        os.ftruncate(fd, size)
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals)
    return fd


class Ledger:
    """The supervisor's and the upstreams' page (core/ledger.h)."""

    NAMES = "requests", "count_tokens", "request_bytes", "response_bytes"

    def __init__(self, seals=SEAL_SHRINK | SEAL_GROW | SEAL_SEAL, magic=LEDGER_MAGIC, version=1, size=3 * LEDGER_PAGE,
                 **used):
        page = struct.pack("=II", magic, version).ljust(LEDGER_PAGE, b"\0")
        page += struct.pack("=4Q", *(used.get(name, 0) for name in self.NAMES))
        self.fd = memfd(page, seals, size)

    def read_only(self):
        """A descriptor that cannot be mapped for writing."""
        return os.open("/proc/self/fd/%d" % self.fd, os.O_RDONLY | os.O_CLOEXEC)

    def add(self, name, amount):
        """As an upstream of the session."""
        place = LEDGER_PAGE + 8 * self.NAMES.index(name)
        os.pwrite(self.fd, struct.pack("=Q", self.used()[name] + amount), place)

    def used(self):
        return dict(zip(self.NAMES, struct.unpack("=4Q", os.pread(self.fd, 32, LEDGER_PAGE))))

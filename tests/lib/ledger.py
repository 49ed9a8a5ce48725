# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a session has used up, as its supervisor, its upstreams and its tunnels write it."""
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
    """The supervisor's, the upstreams' and the tunnels' page (core/ledger.h)."""

    NAMES = "requests", "count_tokens", "request_bytes", "response_bytes"
    PLACES = {**{name: LEDGER_PAGE + 8 * i for i, name in enumerate(NAMES)},
              "sent": 2 * LEDGER_PAGE, "received": 2 * LEDGER_PAGE + 8}

    def __init__(self, seals=SEAL_SHRINK | SEAL_GROW | SEAL_SEAL, magic=LEDGER_MAGIC, version=2, size=3 * LEDGER_PAGE,
                 **used):
        pages = bytearray(struct.pack("=II", magic, version).ljust(3 * LEDGER_PAGE, b"\0"))
        for name, amount in used.items():
            struct.pack_into("=Q", pages, self.PLACES[name], amount)
        self.fd = memfd(bytes(pages[:size]), seals, size)

    def read_only(self):
        """A descriptor that cannot be mapped for writing."""
        return os.open("/proc/self/fd/%d" % self.fd, os.O_RDONLY | os.O_CLOEXEC)

    def add(self, name, amount):
        """As a helper of the session."""
        os.pwrite(self.fd, struct.pack("=Q", self.value(name) + amount), self.PLACES[name])

    def value(self, name):
        return struct.unpack("=Q", os.pread(self.fd, 8, self.PLACES[name]))[0]

    def used(self):
        """What the upstreams have."""
        return {name: self.value(name) for name in self.NAMES}

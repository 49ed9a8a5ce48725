# SPDX-License-Identifier: LGPL-2.1-or-later
"""Hellos of TLS clients, byte by byte, wrong ones too (RFC 8446 4.1.2, 5.1)."""

SERVER_NAME, PADDING, ECH = 0, 21, 0xfe0d
HANDSHAKE = 22


def _vector(data, size):
    return len(data).to_bytes(size, "big") + data


def extension(kind, data):
    return kind.to_bytes(2, "big") + _vector(data, 2)


def names(*entries):
    """The extension server_name; an entry is a name, or (type, name)."""
    listed = b""
    for entry in entries:
        kind, name = entry if isinstance(entry, tuple) else (0, entry)
        listed += bytes([kind]) + _vector(name, 2)
    return extension(SERVER_NAME, _vector(listed, 2))


def message(extensions, session=b"\1" * 32, version=b"\3\3"):
    """The message; extensions None: without any, as SSL 3 has it."""
    body = (version + bytes(32) + _vector(session, 1) + _vector(b"\x13\1\x13\2\xc0\x2f", 2) + _vector(b"\0", 1)
            + (b"" if extensions is None else _vector(extensions, 2)))
    return b"\1" + _vector(body, 3)


def records(data, size=16384, kind=HANDSHAKE):
    """The bytes in records that hold at most so many of them."""
    return b"".join(bytes([kind, 3, 1]) + _vector(data[at:at + size], 2) for at in range(0, len(data), size))

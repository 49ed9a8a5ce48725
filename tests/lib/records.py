# SPDX-License-Identifier: LGPL-2.1-or-later
"""The records between a supervisor and its helpers, as src/core/policy.h,
handover.h and upstream-record.h have them.  tests/unit/test-records.c does not
compile when the sizes and places here are no longer those of the structs."""
import array
import fcntl
import os
import re
import socket
import struct

CORE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "core")

HANDOVER_FD = 3
GATEWAY, UPSTREAM, FILES, WATCH, TUNNEL = 1, 2, 3, 4, 5
PREPARE, CONNECTION = 1, 2
EVENT, MEASURE, OUTCOME = 1, 2, 3
MESSAGES, COUNT_TOKENS, RESPONSES, CHAT = 1, 2, 3, 4
STREAM, LAST, QUERY_BETA = 1, 2, 4
HEAD_SENT, CLOSE = 1, 2
WIRE_ANTHROPIC, WIRE_OPENAI = 1, 2
PROFILE_OWN, PROFILE_PEER = 1, 2
EGRESS_NONE, EGRESS_LIST, EGRESS_PUBLIC = 0, 1, 2
STRATEGY_HOST, STRATEGY_SRT, STRATEGY_MICROSANDBOX = 1, 2, 3
LIMIT_BODY_BYTES = 8 * 1024 * 1024


SEALS = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE


def removed(data):
    """A record of root's whose session has ended: a file on a tmpfs, without a name."""
    path = "/dev/shm/anet-test-%d" % os.getpid()
    with open(path, "wb") as file:
        file.write(data)
    os.chmod(path, 0o444)
    fd = os.open(path, os.O_RDONLY)
    os.unlink(path)
    return fd


def sealed(data, seals=SEALS):
    """A memfd that nobody changes any more, as a supervisor hands it over."""
    fd = os.memfd_create("test", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.write(fd, data)
    if seals:
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals)
    return fd


class Record:
    """A struct: fields by name, the formats those of the module struct."""

    def __init__(self, size, *fields):
        self.names = [name for name, _ in fields]
        self.layout = struct.Struct("@" + "".join(form for _, form in fields) + "0Q")
        assert self.layout.size == size, "%d, not %d" % (self.layout.size, size)
        self.defaults = {name: b"" if form.endswith("s") else 0 for name, form in fields}

    def pack(self, **values):
        fields = dict(self.defaults, **values)
        assert len(fields) == len(self.names), set(fields) - set(self.names)
        return self.layout.pack(*(fields[name] for name in self.names))

    def unpack(self, data):
        fields = dict(zip(self.names, self.layout.unpack(data)))
        return {name: value.split(b"\0")[0] if isinstance(value, bytes) else value
                for name, value in fields.items()}


LIMITS = ("memory_bytes", "tasks", "wall_clock_seconds", "growth_bytes", "growth_entries",
          "requests", "count_tokens", "request_bytes", "connections", "tunnels", "tunnel_sent_bytes",
          "tunnel_received_bytes")

POLICY = Record(
    17248, ("magic", "I"), ("version", "H"), ("size", "H"), ("flags", "I"), ("wire", "H"), ("profile", "H"),
    ("supervisor_uid", "I"), ("run_uid", "I"), ("server_tools", "I"), ("model_abilities", "I"),
    ("port", "H"), ("strategy", "H"), ("egress", "H"), ("n_egress_hosts", "H"),
    *((name, "Q") for name in LIMITS), ("connections_at_once", "I"), ("tunnels_at_once", "I"),
    ("output_tokens", "I"), ("reserved", "I"),
    ("session", "98s"), ("agent", "33s"), ("runtime", "33s"), ("credential", "33s"),
    ("host", "254s"), ("base_path", "256s"), ("model", "128s"), ("egress_hosts", "%ds" % (64 * 254)))

HANDOVER = Record(
    24, ("magic", "I"), ("version", "H"), ("size", "H"), ("kind", "H"), ("step", "H"), ("n_fds", "H"),
    ("reserved", "H"), ("connection", "Q"))

REPORT = Record(
    312, ("magic", "I"), ("version", "H"), ("size", "H"), ("kind", "H"), ("type", "H"), ("reason", "I"),
    ("connection", "Q"), ("requests", "Q"), ("bytes_in", "Q"), ("bytes_out", "Q"), ("usec", "Q"),
    ("detail", "256s"))

SESSION_STATE = Record(
    400, ("magic", "I"), ("version", "H"), ("size", "H"), ("stage", "I"), ("flags", "I"), ("reason", "I"),
    ("agent_status", "i"), *((name, "Q") for name in (
        "started_usec", "updated_usec", "connections", "connections_open", "requests", "count_tokens", "request_bytes",
        "response_bytes", "tunnels", "tunnels_open", "tunnel_sent_bytes", "tunnel_received_bytes", "refused", "growth_bytes", "growth_entries")), ("detail", "256s"))

UPSTREAM_REQUEST = Record(
    24, ("magic", "I"), ("version", "H"), ("size", "H"), ("endpoint", "H"), ("reserved", "H"), ("flags", "I"),
    ("body_bytes", "I"), ("beta", "I"))

UPSTREAM_DONE = Record(
    280, ("magic", "I"), ("version", "H"), ("size", "H"), ("reason", "I"), ("http_status", "H"), ("flags", "H"),
    ("response_bytes", "Q"), ("detail", "256s"))

STARTING, RUNNING, ENDING, ENDED = 1, 2, 3, 4  # enum session_stage
LIMITS_FULL, AGENT_EXITED = 1, 2

POLICY_MAGIC, HANDOVER_MAGIC, UPSTREAM_MAGIC = 0x504e4131, 0x484e4131, 0x554e4131
SESSION_STATE_MAGIC = 0x534e4131
STRATEGY_HOST, STRATEGY_SRT = 1, 2
POLICY_VERSION = 4
HANDOVER_VERSION = UPSTREAM_VERSION = 1


def _reasons():
    with open(os.path.join(CORE, "reason.def"), encoding="utf-8") as file:
        return re.findall(r'^R\(\w+, "(\w+)"', file.read(), re.MULTILINE)


REASONS = _reasons()


def reason(code):
    return REASONS.index(code)


def policy(**values):
    fields = dict(
        magic=POLICY_MAGIC, version=POLICY_VERSION, size=POLICY.layout.size, wire=WIRE_ANTHROPIC,
        profile=PROFILE_OWN, strategy=STRATEGY_SRT, supervisor_uid=os.geteuid(), run_uid=os.geteuid(), port=443,
        connections_at_once=32, tunnels_at_once=16, output_tokens=8192, session=b"test-main", agent=b"test", runtime=b"command",
        credential=b"key", host=b"api.anthropic.com", model=b"claude-test-1")
    fields.update(values)
    return POLICY.pack(**fields)


def egress(*hosts):
    """Fields of a policy that allows these hosts."""
    return dict(egress=EGRESS_LIST, n_egress_hosts=len(hosts),
                egress_hosts=b"".join(host.encode().ljust(254, b"\0") for host in hosts))


def handover(kind, step, n_fds, **values):
    fields = dict(magic=HANDOVER_MAGIC, version=HANDOVER_VERSION, size=HANDOVER.layout.size, kind=kind,
                  step=step, n_fds=n_fds)
    fields.update(values)
    return HANDOVER.pack(**fields)


def session_state(**values):
    fields = dict(magic=SESSION_STATE_MAGIC, version=2, size=SESSION_STATE.layout.size, stage=RUNNING)
    fields.update(values)
    return SESSION_STATE.pack(**fields)


def upstream_done(code="ok", **values):
    fields = dict(magic=UPSTREAM_MAGIC, version=UPSTREAM_VERSION, size=UPSTREAM_DONE.layout.size,
                  reason=reason(code))
    fields.update(values)
    return UPSTREAM_DONE.pack(**fields)


def send(sock, data, fds=()):
    control = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
    sock.sendmsg([data], control, socket.MSG_NOSIGNAL)


def receive(sock, size):
    """(record, descriptors); (b"", []) at the end."""
    try:
        data, control, _, _ = sock.recvmsg(size + 1, socket.CMSG_SPACE(64), socket.MSG_CMSG_CLOEXEC)
    except ConnectionResetError:  # once, when it ended without reading everything
        return receive(sock, size)
    fds = array.array("i")
    for level, kind, rights in control:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            fds.frombytes(rights[:len(rights) - len(rights) % fds.itemsize])
    return data, list(fds)

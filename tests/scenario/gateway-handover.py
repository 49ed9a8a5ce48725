#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The gateway takes work only from its supervisor, and only as the protocol has it."""
import fcntl
import os
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import records
from gateway import MESSAGE, Gateway, helper_path, post
from ledger import LEDGER_PAGE, SEAL_GROW, Ledger
from tap import run_test
from world import wait_for

def refused(results, name, code, act):
    with Gateway(connected=False) as gateway:
        act(gateway)
        gateway.reports()
        results.equal(name, gateway.outcome and gateway.outcome["code"], code)
        results.ok(name + ": exit status", gateway.status() not in (0, None) and gateway.outcome)


def prepared(**values):
    return lambda gateway: gateway.prepare(**values)


def connection(**values):
    """A second step that is wrong."""
    n_fds = values.pop("n_fds", 1)

    def act(gateway):
        gateway.prepare()
        fds = [gateway.pair.fileno()] * values.pop("sent", n_fds)
        records.send(gateway.supervisor,
                     records.handover(values.pop("kind", records.GATEWAY), values.pop("step", records.CONNECTION),
                                      n_fds, **values), fds)
    return act


def sends(data, fds=0):
    return lambda gateway: records.send(gateway.supervisor, data, [gateway.pair.fileno()] * fds)


def protocol(results):
    message = records.handover(records.GATEWAY, records.PREPARE, 3)
    rows = [
        ("magic", prepared(magic=1)), ("version", prepared(version=2)), ("size", prepared(size=1)),
        ("kind", sends(records.handover(records.UPSTREAM, records.PREPARE, 3), 3)),
        ("step", sends(records.handover(records.GATEWAY, records.CONNECTION, 3), 3)),
        ("no descriptor", prepared(n_fds=0)), ("two descriptors", prepared(n_fds=2)),
        ("four descriptors", prepared(n_fds=4)), ("eight descriptors", prepared(n_fds=8)),
        ("fewer than it says", sends(message, 2)), ("more than it says", sends(message, 4)),
        ("far more", sends(message, 30)),
        ("too short", sends(message[:-1], 3)), ("too long", sends(message + b"\0", 3)),
        ("connection: magic", connection(magic=1)), ("connection: kind", connection(kind=records.UPSTREAM)),
        ("connection: prepared again", connection(step=records.PREPARE)),
        ("connection: none", connection(n_fds=0)), ("connection: two", connection(n_fds=2)),
        ("connection: twelve", connection(n_fds=1, sent=12)),
    ]
    for name, act in rows:
        refused(results, name, "handover_invalid", act)
    refused(results, "ledger that can be written", "handover_invalid", prepared(ledger_fd=Ledger().fd))
    for name, ledger in (("can shrink", Ledger(seals=SEAL_GROW)), ("has no magic", Ledger(magic=0)),
                         ("is of another version", Ledger(version=1)), ("is too small", Ledger(size=LEDGER_PAGE))):
        refused(results, "ledger that " + name, "handover_invalid", prepared(ledger_fd=ledger.read_only()))
    free = records.policy(strategy=records.STRATEGY_HOST)
    refused(results, "no boundary, and no key for the endpoint", "handover_invalid", prepared(policy=free))
    refused(results, "no boundary, and a key that is none", "handover_invalid", prepared(policy=free, n_fds=4))


def policies(results):
    good = records.policy()
    rows = [("magic", b"\0" + good[1:]), ("version", records.policy(version=records.POLICY_VERSION + 1)), ("size", records.policy(size=1)),
            ("short", good[:-1]), ("empty", b""), ("another API", records.policy(wire=0)),
            ("an unknown API", records.policy(wire=9)), ("no strategy", records.policy(strategy=0)),
            ("an unknown strategy", records.policy(strategy=9)),
            ("model without end", records.policy(model=b"x" * 128)),
            ("session without end", records.policy(session=b"x" * 98))]
    for name, policy in rows:
        refused(results, name, "policy_invalid", prepared(policy=policy))
    refused(results, "another uid", "peer_refused", prepared(policy=records.policy(supervisor_uid=os.geteuid() + 1)))


def makers(results):
    """A policy says who may use a key: only root's, or this very uid's, is one."""
    policy = records.policy()
    refused(results, "a memfd that can be changed", "peer_refused", prepared(policy_fd=records.sealed(policy, 0)))
    refused(results, "a memfd that can be written", "peer_refused",
            prepared(policy_fd=records.sealed(policy, records.SEALS & ~fcntl.F_SEAL_WRITE)))
    with tempfile.TemporaryDirectory(dir="/dev/shm") as directory:
        path = os.path.join(directory, "policy")

        def file(mode, owner=0, links=1):
            for name in (path, path + "2"):
                if os.path.exists(name):
                    os.unlink(name)
            with open(path, "wb") as record:
                record.write(policy)
            os.chmod(path, mode)
            if owner:
                os.chown(path, owner, owner)
            if links == 2:
                os.link(path, path + "2")
            return os.open(path, os.O_RDONLY)

        if os.geteuid() != 0:
            refused(results, "a file of a user's", "peer_refused", prepared(policy_fd=file(0o444)))
            return
        gateway = Gateway(connected=False)
        gateway.prepare(policy_fd=file(0o444))
        gateway.connect()
        results.ok("a file of root's: served", gateway.agent is not None)
        gateway.supervisor.close()
        with Gateway(connected=False) as gateway:
            gateway.prepare(policy_fd=records.removed(policy))
            gateway.reports()
            results.equal("a file of root's that has been removed", gateway.outcome and gateway.outcome["code"],
                          "supervisor_gone")
        for name, fd in (("a file that its owner may write", lambda: file(0o644)),
                         ("a file of another uid", lambda: file(0o444, 12345)),
                         ("a file with two names", lambda: file(0o444, 0, 2))):
            refused(results, name, "peer_refused", prepared(policy_fd=fd()))
        os.seteuid(12345)
        try:
            foreign = records.sealed(policy)
        finally:
            os.seteuid(0)
        refused(results, "a memfd of another uid", "peer_refused", prepared(policy_fd=foreign))
    with open("/var/tmp/anet-test-policy", "wb") as record:
        record.write(policy)
    os.chmod(record.name, 0o444)
    disk = os.open(record.name, os.O_RDONLY)
    os.unlink(record.name)
    refused(results, "a file that is on no tmpfs", "peer_refused", prepared(policy_fd=disk))


def by_hand(results):
    program = helper_path("anet-gateway")
    run = subprocess.run([program], env={}, capture_output=True, timeout=10)
    results.ok("started by hand", run.returncode == 76 and b"anet" in run.stderr, run)

    def start(fd, environment):
        def become():
            os.dup2(fd, 3)
            os.set_inheritable(3, True)
            if environment.get("LISTEN_PID") == "own":
                environment["LISTEN_PID"] = str(os.getpid())
        pid = os.fork()
        if pid == 0:
            try:
                become()
                null = os.open(os.devnull, os.O_RDWR)
                os.dup2(null, 2)
                os.execve(program, [program], environment)
            finally:
                os._exit(99)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    seqpacket, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    stream, another = socket.socketpair()
    inet = socket.create_server(("127.0.0.1", 0))
    own = {"LISTEN_FDS": "1", "LISTEN_PID": "own"}
    rows = [("for another process", seqpacket.fileno(), {"LISTEN_FDS": "1", "LISTEN_PID": "1"}),
            ("two descriptors", seqpacket.fileno(), {"LISTEN_FDS": "2", "LISTEN_PID": "own"}),
            ("a stream socket", stream.fileno(), own), ("an internet socket", inet.fileno(), own),
            ("a file", os.open(program, os.O_RDONLY), own)]
    for name, fd, environment in rows:
        results.equal(name, start(fd, dict(environment)), 76)
    del other, another


def confined(results):
    """What /proc shows of a gateway that serves."""
    with Gateway() as gateway:
        gateway.agent.send(post(MESSAGE))
        gateway.agent.answer()
        with open("/proc/%d/status" % gateway.pid) as file:
            status = dict(line.split(":", 1) for line in file.read().splitlines() if ":" in line)
        results.equal("filter, no new privileges", (status["Seccomp"].strip(), status["NoNewPrivs"].strip()),
                      ("2", "1"))
        results.equal("no capability", {status[name].strip() for name in ("CapEff", "CapPrm", "CapInh", "CapAmb")},
                      {"0" * 16})
        with open("/proc/%d/limits" % gateway.pid) as file:
            limits = {line[:26].strip(): line[26:].split()[0] for line in file}
        results.equal("limits", (limits["Max processes"], limits["Max file size"]),
                      ("0", str(records.LIMIT_BODY_BYTES)))
        if os.geteuid() == 0:
            # 0 to 2, supervisor, pair, connection; a body that has gone out may still be open for a moment.
            def descriptors():
                return os.listdir("/proc/%d/fd" % gateway.pid)

            wait_for(lambda: len(descriptors()) == 6)
            results.equal("descriptors", len(descriptors()), 6)


def test(results):
    for part in (protocol, policies, makers, by_hand, confined):
        with results.under(part.__name__.replace("_", " ") + ": "):
            part(results)


run_test(test)

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""anet-upstream: a supervisor or gateway that breaks the protocol ends it, with a
reason, before a byte is sent."""
import os
import socket
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import private
import records
from gateway import helper_path
from ledger import SEAL_GROW, SEAL_SEAL, SEAL_SHRINK, SEAL_WRITE, Ledger, memfd
from tls_stub import Service
from upstream import Upstream, upstream_test

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
EX_NOINPUT, EX_PROTOCOL, EX_NOPERM, EX_SOFTWARE = 66, 76, 77, 70
ALL_SEALS = SEAL_SHRINK | SEAL_GROW | SEAL_WRITE


def prepared(results):
    """What PREPARE may hold."""
    other = os.geteuid() + 1
    for name, wanted, values in (
            ("another uid than the policy's", "peer_refused", {"supervisor_uid": other}),
            ("a policy of another version", "policy_invalid", {"version": records.POLICY_VERSION + 1}),
            ("a policy without a strategy", "policy_invalid", {"strategy": 0}),
            ("a policy of another magic", "policy_invalid", {"magic": 1}),
            ("a policy of another size", "policy_invalid", {"size": 100}),
            ("a host without end", "policy_invalid", {"host": b"a" * 254}),
            ("a host that ends a line", "policy_invalid", {"host": b"api.anthropic.com\r\nx: y"}),
            ("a path with a space", "policy_invalid", {"base_path": b"/a b"}),
            ("no host", "policy_invalid", {"host": b""}),
            ("no port", "policy_invalid", {"port": 0}),
            ("no profile", "policy_invalid", {"profile": 0}),
            ("no wire", "policy_invalid", {"wire": 0}),
            ("a ledger that can shrink", "handover_invalid", {"ledger": Ledger(seals=SEAL_GROW | SEAL_SEAL)}),
            ("a ledger that can grow", "handover_invalid", {"ledger": Ledger(seals=SEAL_SHRINK | SEAL_SEAL)}),
            ("a ledger of another size", "handover_invalid", {"ledger": Ledger(size=4096)}),
            ("a ledger of another magic", "handover_invalid", {"ledger": Ledger(magic=1)}),
            ("a ledger of another version", "handover_invalid", {"ledger": Ledger(version=1)}),
            ("a key that the policy does not have", "handover_invalid", {"flags": 0})):
        with Upstream(connected=False, **values) as upstream:
            upstream.prepare()
            upstream.reports()
            results.equal(name, upstream.outcome["code"], wanted, upstream.outcome)
            results.ok(name + ": says what", len(upstream.outcome["detail"]) > 10, upstream.outcome)
            results.ok(name + ": its exit status", upstream.status() not in (0, None))
    with Upstream(connected=False, key=None, flags=1) as upstream:
        upstream.prepare()
        results.equal("no key although the policy has one", upstream.reports().outcome["code"], "handover_invalid")
    for name, values in (("another kind", {"kind": records.GATEWAY}), ("another step", {"step": records.CONNECTION}),
                         ("another version", {"version": 2}), ("another count of descriptors", {"n_fds": 3})):
        with Upstream(connected=False) as upstream:
            kind, step = values.pop("kind", records.UPSTREAM), values.pop("step", records.PREPARE)
            fds = [records.sealed(upstream.policy), os.dup(upstream.ledger.fd), os.dup(upstream.their_pair.fileno()), memfd(b"k" * 9)]
            n_fds = values.pop("n_fds", 4)
            records.send(upstream.supervisor, records.handover(kind, step, n_fds, **values), fds)
            results.equal("a PREPARE of " + name, upstream.reports().outcome["code"], "handover_invalid")
            for fd in fds:
                os.close(fd)


def ends(results):
    """An end of the supervisor is no failure, whenever it comes."""
    with Upstream(connected=False) as upstream:
        upstream.supervisor.close()
        results.equal("the supervisor ends before PREPARE", upstream.status(), 0)
    with Upstream(connected=False) as upstream:
        upstream.prepare()
        upstream.supervisor.close()
        results.equal("the supervisor ends before CONNECTION", upstream.status(), 0)
    if os.geteuid() == 0:
        with Upstream(connected=False) as upstream:
            upstream.prepare(policy_fd=records.removed(upstream.policy))
            results.equal("the policy of a session that has ended", upstream.reports().outcome["code"],
                          "supervisor_gone")
    with Upstream() as upstream:
        results.equal("no request at all", upstream.finish(), (0, "ok"))
        results.equal("no request at all: counts", [upstream.outcome[key] for key in ("requests", "bytes_in", "bytes_out")],
                      [0, 0, 0])
    with Upstream() as upstream:
        conn = socket.socket()
        upstream.send_connection(conn)
        results.equal("a second CONNECTION", upstream.reports().outcome["code"], "handover_invalid")


def requested(results, served):
    """What the gateway may ask for."""
    def wrong(name, body=b"{}", **values):
        with Upstream() as upstream:
            upstream.request(body, **values)
            results.equal(name, upstream.done(), None)
            upstream.reports()
            results.equal(name + ": outcome", (upstream.outcome["code"], upstream.status()),
                          ("handover_invalid", EX_PROTOCOL), upstream.outcome)
            results.equal(name + ": nothing sent", (served, upstream.ledger.used()["requests"]), ([], 0))

    wrong("another magic", magic=1)
    wrong("another version", version=2)
    wrong("another size", size=20)
    wrong("no endpoint", endpoint=0)
    wrong("an endpoint that is none", endpoint=3)
    wrong("flags that are none", flags=8)
    wrong("beta flags that are none", beta=1 << 31)
    wrong("no descriptor", n_fds=0)
    wrong("two descriptors", n_fds=2)
    wrong("a body that is longer than said", body_bytes=1)
    wrong("a body that is shorter than said", body_bytes=3)
    wrong("a body larger than 8 MiB", bytes(records.LIMIT_BODY_BYTES + 1))
    for name, seals in (("can be written", SEAL_SHRINK | SEAL_GROW), ("can grow", SEAL_SHRINK | SEAL_WRITE),
                        ("can shrink", SEAL_GROW | SEAL_WRITE), ("has no seal", 0)):
        wrong("a body that " + name, body_fd=memfd(b"{}", seals))
    reader, writer = os.pipe()
    wrong("a pipe for a body", body_fd=reader)
    os.close(writer)
    path = os.path.join(private.directory, "body")
    with open(path, "wb") as file:
        file.write(b"{}")
    wrong("a file for a body", body_fd=os.open(path, os.O_RDONLY))


def during(results):
    """A record that comes while a request is served."""
    def behaviour(peer):
        peer.request()
        peer.wait_gone()

    for name, act in (("a second request", lambda upstream: upstream.request()),
                      ("a second CONNECTION", lambda upstream: upstream.send_connection(upstream.agent.sock))):
        with Service(behaviour) as service, Upstream() as upstream:
            upstream.request()
            while not service.peers:
                pass
            act(upstream)
            results.equal(name + " meanwhile", upstream.reports().outcome["code"], "handover_invalid")


def by_hand(results):
    program = helper_path("anet-upstream")
    pid = os.fork()
    if pid == 0:
        os.closerange(3, 256)
        os.dup2(os.open("/dev/null", os.O_WRONLY), 2)
        os.execve(program, [program], {})
    results.equal("started by hand", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), EX_PROTOCOL)


def test(results):
    served = []

    def behaviour(peer):
        while True:
            served.append(peer.request().body)
            peer.send(ANSWER)

    prepared(results)
    ends(results)
    with Service(behaviour):
        requested(results, served)
    during(results)
    by_hand(results)


upstream_test(test)

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""anet-tunnel serves only the supervisor that its policy names, and is confined before the agent's first byte: what
reads has no way to a socket, what connects has nothing of the agent's."""
import os
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import process
import records
from gateway import helper_path
from ledger import SEAL_GROW, SEAL_SEAL, SEAL_SHRINK, Ledger
from tunnel import Tunnel, tunnel_test
from world import wait_for

HOST = "host.example.com"


def good():
    return records.policy(**records.egress(HOST))


POLICIES = [
    ("of another magic", "policy_invalid", {"magic": 1}),
    ("of another version", "policy_invalid", {"version": 3}),
    ("of another size", "policy_invalid", {"size": 8}),
    ("without egress", "policy_invalid", {"egress": records.EGRESS_NONE, "n_egress_hosts": 0}),
    ("of an unknown egress", "policy_invalid", {"egress": 3}),
    ("with a list and no host", "policy_invalid", {"n_egress_hosts": 0}),
    ("with more hosts than there are places", "policy_invalid", {"n_egress_hosts": 65}),
    ("with a host without end", "policy_invalid", {"egress_hosts": b"a" * 254}),
    ("public for a peer", "policy_invalid", {"egress": records.EGRESS_PUBLIC, "n_egress_hosts": 0, "profile": records.PROFILE_PEER}),
    ("of another supervisor", "peer_refused", {"supervisor_uid": 1}),
]


def policies(results, _):
    for name, code, values in POLICIES:
        with results.under(name + ": "), Tunnel(connected=False) as tunnel:
            tunnel.prepare(records.policy(**dict(records.egress(HOST), **values)))
            tunnel.reports()
            results.equal("refused", tunnel.outcome and tunnel.outcome["code"], code)
            results.ok("with a word", tunnel.outcome["detail"], tunnel.outcome)
            results.ok("its exit status", tunnel.status() not in (0, None), tunnel.exit_status)
    with results.under("a policy that can be changed: "), Tunnel(connected=False) as tunnel:
        tunnel.prepare(b"", policy_fd=records.sealed(good(), seals=0))
        tunnel.reports()
        results.equal("refused", tunnel.outcome["code"], "peer_refused")
    for name, ledger in (("can shrink", Ledger(seals=SEAL_GROW | SEAL_SEAL)), ("can grow", Ledger(seals=SEAL_SHRINK | SEAL_SEAL)),
                         ("is too small", Ledger(size=4096)), ("has another magic", Ledger(magic=1)),
                         ("has another version", Ledger(version=1))):
        with results.under("a ledger that %s: " % name), Tunnel(connected=False, ledger=ledger) as tunnel:
            tunnel.prepare(good())
            tunnel.reports()
            results.equal("refused", tunnel.outcome["code"], "handover_invalid")
    with results.under("a ledger that cannot be written: "), Tunnel(connected=False) as tunnel:
        tunnel.prepare(good(), ledger_fd=tunnel.ledger.read_only())
        tunnel.reports()
        results.ok("refused", tunnel.outcome["code"] in ("handover_invalid", "system"), tunnel.outcome)


def messages(results, _):
    for name, values, more in (("another kind", {"kind": records.GATEWAY}, ()), ("another step", {"step": records.CONNECTION}, ()),
                               ("another version", {"version": 2}, ()), ("another magic", {"magic": 1}, ()),
                               ("three descriptors", {}, (os.dup(0),)), ("a wrong number of them", {"n_fds": 1}, ())):
        with results.under(name + ": "), Tunnel(connected=False) as tunnel:
            fields = dict(values)
            kind, step = fields.pop("kind", records.TUNNEL), fields.pop("step", records.PREPARE)
            fds = [records.sealed(good()), os.dup(tunnel.ledger.fd), *more]
            tunnel.hand_over(kind, step, fds, **fields)
            for fd in fds:
                os.close(fd)
            tunnel.reports()
            results.equal("refused", tunnel.outcome["code"], "handover_invalid")
    with results.under("no connection: "), Tunnel(connected=False) as tunnel:
        tunnel.prepare(good())
        wait_confined(tunnel)
        tunnel.hand_over(records.TUNNEL, records.CONNECTION, [])
        tunnel.reports()
        results.equal("refused", tunnel.outcome["code"], "handover_invalid")
    with results.under("a supervisor that ends before: "), Tunnel(connected=False) as tunnel:
        tunnel.prepare(good())
        wait_confined(tunnel)
        dialer, = process.children(tunnel.pid)
        tunnel.supervisor.close()
        results.equal("it ends", tunnel.status(), 0)
        results.ok("and so does its dialer", wait_for(lambda: process.state(dialer) in ("", "Z"), 5))


def wait_confined(tunnel):
    """Until both processes are where they wait."""
    both = lambda: [tunnel.pid] + process.children(tunnel.pid)
    if not wait_for(lambda: len(both()) == 2 and all(process.status_field(pid, "Seccomp") == "2" for pid in both())):
        raise AssertionError("it is not confined")


def open_files(pid):
    base = "/proc/%d/fd" % pid
    return {int(fd): os.readlink(os.path.join(base, fd)) for fd in os.listdir(base)}


def confined(results, _):
    with Tunnel(connected=False) as tunnel:
        tunnel.prepare(good())
        wait_confined(tunnel)
        dialer, = process.children(tunnel.pid)
        for name, pid in (("the first process", tunnel.pid), ("the dialer", dialer)):
            with results.under(name + ": "):
                results.equal("a filter", process.status_field(pid, "Seccomp"), "2")
                results.equal("no new privileges", process.status_field(pid, "NoNewPrivs"), "1")
                for field in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
                    results.equal(field, int(process.status_field(pid, field), 16), 0)
        first = open_files(tunnel.pid)
        results.equal("descriptors: 0 to 3, the dialer, two pipes", (sorted(first)[:4], len(first)), ([0, 1, 2, 3], 9), first)
        results.equal("of which pipes", sum(name.startswith("pipe:") for name in first.values()) , 4, first)
        second = open_files(dialer)
        results.equal("the dialer's: 0 to 3", sorted(second), [0, 1, 2, 3], second)
        results.ok("which is not the supervisor's socket", second[3] not in (first[3],) and second[3].startswith("socket:"), second)
        with open("/proc/%d/maps" % dialer) as maps:
            results.lacks("and no ledger", maps.read(), "anet-ledger")


def by_hand(results, _):
    result = subprocess.run([helper_path("anet-tunnel")], capture_output=True, text=True)
    results.ok("refused", result.returncode not in (0, 127), result)
    results.contains("says how it is started", result.stderr, "started by anet itself")


def test(results, world):
    for part in (policies, messages, confined, by_hand):
        with results.under(part.__name__.replace("_", " ") + ": "):
            part(results, world)


tunnel_test(test)

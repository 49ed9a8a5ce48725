#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""anet-files refuses whoever is not its supervisor and what is no hand-over, ends
with its supervisor, and has nothing that it does not need."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import records
from files import AsOwner, Files, directory
from tap import run_test

PATH = directory()


def refusals(results):
    for name, code, arguments in (
            ("another supervisor's uid", "peer_refused", {"supervisor_uid": os.geteuid() + 1}),
            ("no directory", "handover_invalid", {"paths": []}),
            ("another number of descriptors", "handover_invalid", {"n_fds": 3}),
            ("another helper's hand-over", "handover_invalid", {"kind": records.GATEWAY}),
            ("a policy of another version", "policy_invalid", {"version": records.POLICY_VERSION + 1}),
            ("a policy that is too short", "policy_invalid", {"policy": b"short"})):
        arguments = dict({"paths": [PATH]}, **arguments)
        with Files([], prepare=False) as files:
            files.prepare(**arguments)
            results.equal(name + ": no measure", files.measure(), None)
            results.equal(name, files.outcome and files.outcome["code"], code)
            results.ok(name + ": exit status", (files.status() or 0) > 0)
    with Files([], prepare=False) as files:
        records.send(files.supervisor, b"something else")
        files.measure()
        results.equal("no hand-over at all", files.outcome and files.outcome["code"], "handover_invalid")


def ends(results):
    with Files([PATH]) as files:
        files.measure()
        files.supervisor.close()
        results.equal("ends with its supervisor", files.status(), 0)
    with Files([PATH]) as files:
        files.measure()
        records.send(files.supervisor, records.handover(records.FILES, records.PREPARE, 0))
        files.measure_until(lambda report: False, 5)
        results.equal("a second hand-over ends it too", files.outcome and files.outcome["code"], "handover_invalid")


def confinement(results):
    with Files([PATH]) as files:
        files.measure()
        with open("/proc/%d/status" % files.pid, encoding="ascii") as file:
            status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
        with open("/proc/%d/limits" % files.pid, encoding="ascii") as file:
            limits = {line[:26].strip(): line[26:].split()[0] for line in file}
        results.equal("system call filter", status["Seccomp"], "2")
        results.equal("no new privileges", status["NoNewPrivs"], "1")
        for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
            results.equal("no capabilities: " + name, int(status[name], 16), 0)
        results.equal("writes no file", limits["Max file size"], "0")
        if os.geteuid() == 0:
            results.equal("not dumpable: its files belong to root", os.stat("/proc/%d/maps" % files.pid).st_uid, 0)


def outside(results):
    """The directory it is given is all that it can list."""
    with tempfile.TemporaryDirectory(dir=PATH) as inner:
        with Files([PATH, inner]) as files:
            report = files.measure()
            results.equal("two directories, one in the other", report and report["code"], "ok")
            with AsOwner():
                open(os.path.join(PATH, "new"), "w").close()
            results.ok("is seen", files.measure_until(lambda report: report["bytes_out"] == 1))


def test(results):
    for part in (refusals, ends, confinement, outside):
        part(results)


run_test(test)

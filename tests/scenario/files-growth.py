#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""anet-files tells how much a directory has grown since it began, and when that
is more than the policy allows."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from files import AsOwner, Files, directory
from tap import run_test

MIB = 1024 * 1024


def write(path, size):
    with open(path, "wb") as file:
        file.write(os.urandom(4096) * (size // 4096))
        file.flush()
        os.fsync(file.fileno())


def counts(results):
    path = directory()
    with AsOwner():
        os.mkdir(os.path.join(path, "old"))
        write(os.path.join(path, "old", "file"), 3 * MIB)
    with Files([path]) as files:
        first = files.measure()
        results.equal("what was there is no growth", (first["bytes_in"], first["bytes_out"]), (0, 0))
        with AsOwner():
            os.mkdir(os.path.join(path, "new"))
            write(os.path.join(path, "new", "file"), 2 * MIB)
            os.symlink("/etc", os.path.join(path, "new", "link"))
        report = files.measure_until(lambda report: report["bytes_out"])
        results.equal("entries of what was added", report and report["bytes_out"], 3)
        results.ok("its allocated bytes", report and 2 * MIB <= report["bytes_in"] <= 2 * MIB + 65536, report)
        results.equal("no limit, no reason", report and report["code"], "ok")
        with AsOwner():
            os.unlink(os.path.join(path, "old", "file"))
        report = files.measure_until(lambda report: report["bytes_in"] == 0)
        results.ok("what is deleted counts against it", report)
        results.equal("exit status", files.end(), 0)
        results.equal("the outcome", files.outcome and files.outcome["code"], "supervisor_gone")


def kinds(results):
    path = directory()
    with Files([path]) as files:
        files.measure()
        with AsOwner():
            with open(os.path.join(path, "sparse"), "wb") as file:
                file.truncate(1 << 40)
        report = files.measure_until(lambda report: report["bytes_out"])
        results.ok("a sparse file costs nothing", report and report["bytes_in"] < 65536, report)
        with AsOwner():
            with open(os.path.join(path, "reserved"), "wb") as file:
                os.posix_fallocate(file.fileno(), 0, 8 * MIB)
        report = files.measure_until(lambda report: report["bytes_in"] >= 8 * MIB)
        results.ok("a reserved one all that it reserves", report)
        with AsOwner():
            for number in range(16):
                os.link(os.path.join(path, "reserved"), os.path.join(path, "link%d" % number))
        report = files.measure_until(lambda report: report["bytes_out"] == 18)
        results.ok("hard links cost nothing more", report and report["bytes_in"] < 8 * MIB + 65536, report)


def limits(results):
    for name, fields, size, count, code in (
            ("bytes at the limit", {"growth_bytes": 4 * MIB}, 2 * MIB, 1, "ok"),
            ("bytes above it", {"growth_bytes": 4 * MIB}, 5 * MIB, 1, "limit_growth"),
            ("entries at the limit", {"growth_entries": 20}, 0, 20, "ok"),
            ("entries above it", {"growth_entries": 20}, 0, 21, "limit_entries"),
            ("no limits", {}, 5 * MIB, 21, "ok")):
        path = directory()
        with Files([path], **fields) as files:
            files.measure()
            with AsOwner():
                for number in range(count):
                    write(os.path.join(path, str(number)), size // count)
            report = files.measure_until(lambda report: report["bytes_out"] >= count or report["reason"])
            results.equal(name, report and report["code"], code, report)


def several(results):
    one, other = directory(), directory()
    with Files([one, other], growth_entries=10) as files:
        files.measure()
        with AsOwner():
            for number in range(8):
                for path in (one, other):
                    open(os.path.join(path, str(number)), "w").close()
        report = files.measure_until(lambda report: report["bytes_out"] == 16)
        results.equal("each directory has the limit for itself", report and report["code"], "ok", report)
        with AsOwner():
            for number in range(8, 12):
                open(os.path.join(other, str(number)), "w").close()
        report = files.measure_until(lambda report: report["reason"])
        results.equal("and is named", report and (report["code"], report["connection"]), ("limit_entries", 1), report)


def test(results):
    for part in (counts, kinds, limits, several):
        part(results)


run_test(test)

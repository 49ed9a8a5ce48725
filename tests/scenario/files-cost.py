#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: alone timeout=300
"""anet-files is cheap in a tree of 300000 files, yet sees at once when the
filesystem fills up."""
import os
import shutil
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from files import AsOwner, Files, directory
from tap import run_test

MIB = 1024 * 1024
ENTRIES = 300000


def test(results):
    path = directory()
    with AsOwner():
        for outer in range(ENTRIES // 1000):
            inner = os.path.join(path, "d%d" % outer)
            os.mkdir(inner)
            for number in range(999):
                os.close(os.open(os.path.join(inner, "file-%d" % number), os.O_CREAT | os.O_WRONLY))
    with Files([path], growth_bytes=64 * MIB, growth_entries=200000) as files:
        begin = time.monotonic()
        results.equal("the baseline", files.measure() and files.measures[0]["code"], "ok")
        first, spent = time.monotonic() - begin, files.cpu_seconds()
        memory = files.memory()
        results.note("%d entries: %.2f s, %.2f s of them CPU time; PSS %s KiB" % (ENTRIES, first, spent, memory))
        if memory is None:
            results.skip("resident memory at most 1 MiB", "only root sees another process's memory")
        else:
            results.ok("resident memory at most 1 MiB", memory <= 1024)
        files.supervisor.settimeout(60)
        second = files.measure()
        gap = (second["usec"] - files.measures[0]["usec"]) / 1e6
        results.note("the second walk after %.1f s, %.2f s of CPU time" % (gap, files.cpu_seconds() - spent))
        # A fiftieth where nobody else writes to this filesystem, which nobody can promise; a tenth in any case.
        # Some of what was spent was not for the walk; clock ticks are coarse.
        results.ok("a tenth of a core at most", gap >= min(30, 8 * spent), gap)

        with AsOwner():
            with open(os.path.join(path, "large"), "wb") as file:
                os.posix_fallocate(file.fileno(), 0, 80 * MIB)
        begin = time.monotonic()
        report = files.measure_until(lambda report: report["reason"])
        results.equal("a filesystem that fills up", report and report["code"], "limit_growth")
        seen = time.monotonic() - begin
        results.note("seen after %.1f s" % seen)
        results.ok("is seen after ten times the cost of a walk, and not after half a minute",
                   seen < min(25, 2.5 + first + 15 * spent), seen)
        results.equal("exit status", files.end(), 0)
    shutil.rmtree(path, ignore_errors=True)


run_test(test)

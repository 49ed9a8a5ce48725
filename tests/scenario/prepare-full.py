#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A /run that is full at any moment of a preparation, or cannot be written: the
start is refused, and nothing that was begun is left."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import records  # noqa: E402
from harness import private, product_test  # noqa: E402
from unit_session import OUTCOMES, RUN, Machine, overlays  # noqa: E402

PAGE = 4096
FILLER = "/run/filler"


def fill(free_pages):
    """Leaves that many pages of /run."""
    if os.path.exists(FILLER):
        os.unlink(FILLER)
    size = os.statvfs("/run").f_bfree * PAGE - free_pages * PAGE
    with open(FILLER, "wb") as file:
        file.write(b"x" * max(size, 0))
    return os.statvfs("/run").f_bfree


def check_pages(results, machine):
    """The records take some pages: with fewer there is no start, and with each number less."""
    results.equal("there is room", machine.prepare("demo").status, 0)
    machine.outcome("demo")
    refused = started = 0
    for pages in range(12):
        os.unlink(OUTCOMES + "/demo-main") if os.path.exists(OUTCOMES + "/demo-main") else None
        free = fill(pages)
        result = machine.prepare("demo")
        if result.status == 0:
            started += 1
            results.ok("%d pages: whole" % free, sorted(os.listdir(RUN + "/sessions/demo-main")) ==
                       ["live", "policy", "run", "unit"], result)
        else:
            refused += 1
            results.ok("%d pages: refused" % free, result.status == 71 and "[system]" in result.errors and
                       "No space left on device" in result.errors and RUN in result.errors, result)
            results.equal("%d pages: nothing is left" % free, (machine.sessions(), machine.reserved()), ([], {}))
            outcome = machine.recorded("demo-main")
            results.ok("%d pages: the outcome, if it fits" % free, outcome is None or
                       outcome["reason"] == records.reason("system"), outcome)
        os.unlink(FILLER)
        results.equal("%d pages: ended" % free, machine.outcome("demo").status, 0)
    results.ok("some were refused and some were not", refused >= 3 and started >= 1, (refused, started))


def check_inodes(results, machine):
    """Names can be used up as well as pages."""
    for free in range(1, 9):
        made = []
        while os.statvfs("/run").f_ffree > free:
            made.append("/run/name-%d" % len(made))
            os.close(os.open(made[-1], os.O_CREAT | os.O_WRONLY))
        result = machine.prepare("demo")
        for path in made:
            os.unlink(path)
        if result.status == 0:
            break
        results.ok("%d names: refused" % free, result.status == 71 and "[system]" in result.errors, result)
        results.equal("%d names: nothing is left" % free, (machine.sessions(), machine.reserved()), ([], {}))
    results.ok("with enough of them it starts", free > 3 and result.status == 0, (free, result))
    machine.outcome("demo")


def check_places(results, machine):
    for place in ("/run", "/var/cache", "/var/lib"):
        private.mount(None, place, flags=private.MS_REMOUNT | private.MS_RDONLY)
        result = machine.prepare("demo-new")
        private.mount(None, place, flags=private.MS_REMOUNT)
        results.ok(place + " is read-only", result.status == 71 and "[system]" in result.errors and
                   "Read-only file system" in result.errors and place in result.errors, result)
        results.ok("the unit says so", "Read-only file system" in result.status_text, result.status_text)
        results.equal("nothing is left", (machine.sessions(), machine.reserved()), ([], {}))


def test(results):
    machine = Machine(run_options="mode=0755,size=256k,nr_inodes=200")
    check_pages(results, machine)
    check_inodes(results, machine)
    check_places(results, machine)
    result = machine.prepare("demo")
    results.equal("after all that it starts", result.status, 0, result)


product_test(test, overlays=overlays())

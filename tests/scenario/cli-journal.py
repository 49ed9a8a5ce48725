#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is refused stands in the journal once: as a record, and where standard
error is the journal's, as nothing else."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ANET, product_test, worlds  # noqa: E402
from machine import Journal  # noqa: E402


def refuse(world, stream=None):
    """`anet rnu`, told that its standard error is `stream` of the journal (None: not told)."""
    from_end, to_end = os.pipe()
    status = os.fstat(to_end)
    streams = {"its own": "%d:%d" % (status.st_dev, status.st_ino), "another": "%d:%d" % (status.st_dev, status.st_ino + 1)}
    env = {"JOURNAL_STREAM": streams[stream]} if stream else {}
    result = world.run([ANET, "rnu"], env=env, stderr=to_end)
    os.close(to_end)
    with open(from_end, encoding="utf-8") as file:
        return result, file.read()


def test(results):
    for world in worlds():
        with results.under("as %s: " % world.user):
            for stream in (None, "another", "its own"):
                result, errors = refuse(world, stream)
                results.ok("no journal, JOURNAL_STREAM names %s: told" % stream,
                           result.status == 64 and errors.count("there is no command `rnu`") == 1, errors)
            journal = Journal()
            for stream, want in ((None, 1), ("another", 1), ("its own", 0)):
                result, errors = refuse(world, stream)
                records = journal.records()
                results.ok("JOURNAL_STREAM names %s: a record" % stream, result.status == 64 and len(records) == 1 and
                           records[0]["ANET_REASON"] == "usage" and "`rnu`" in records[0]["MESSAGE"], records)
                results.equal("... and %d lines of text" % want, errors.count("there is no command `rnu`"), want, errors)
            # The last look is for a journal that reads; one that hangs holds nobody up.
            results.ok("a journal that does not read", refuse(world, "its own")[0].status == 64)
            journal.close()


product_test(test)

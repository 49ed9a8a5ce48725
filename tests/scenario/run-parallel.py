#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: alone timeout=240
"""Many runs at once, in one workspace and in many, do not disturb each other;
root's runs have ids of their own."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import process, product_test, wait_for, worlds  # noqa: E402

RUNS = 20


def outside_uids(runs):
    """The uid that each run's agent has on the host."""
    found = []
    for run in runs:
        agents = [pid for pid in process.descendants(run.pid) if process.name(pid) == "sleep"]
        found += [process.status_field(pid, "Uid").split()[0] for pid in agents[:1]]
    return found


def test(results):
    for world in worlds():
        with results.under("as %s: " % world.user):
            script = "echo begun; read go; echo $1 > own-$1; cat own-$1; exit $1"
            runs = [world.begin("sh", "-c", script, "sh", str(n), stdin=-1) for n in range(RUNS)]
            begun = [run.stdout.readline() for run in runs]
            results.equal("%d runs in one workspace are there at once" % RUNS, begun, [b"begun\n"] * RUNS)
            outcome = []
            for n, run in enumerate(runs):
                out, err = run.communicate(b"go\n", timeout=60)
                outcome.append((run.returncode, out))
            results.equal("each has its own status and output", outcome,
                          [(n, b"%d\n" % n) for n in range(RUNS)])

            places = [world.directory("place-%d" % n) for n in range(RUNS)]
            runs = [world.start(world.argv(["sh", "-c", "echo begun; exec sleep 60"]), cwd=place) for place in places]
            for run in runs:
                run.stdout.readline()
            uids = outside_uids(runs)
            if world.user == "root":
                results.ok("no two of root's runs have one uid", len(set(uids)) == RUNS, uids)
                results.ok("none is a uid of the host", all(int(uid) > 1879048192 for uid in uids), uids)
            else:
                results.equal("all have the caller's uid", set(uids), {str(world.uid)})
            for run in runs:
                run.terminate()
            wait_for(lambda: all(run.poll() is not None for run in runs), 20)
            for run in runs:
                run.communicate()
            results.equal("SIGTERM ends each", [run.returncode == 0 for run in runs], [False] * RUNS)
            results.equal("nothing is left", process.show(process.left_after([])), "")
            # The ids are free again.
            for n in range(5):
                result = world.sh("exit %d" % n)
                results.equal("run %d afterwards" % n, result.status, n, result)


product_test(test)

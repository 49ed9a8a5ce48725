#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The home of a run in the foreground: its own, and gone at its end unless the agent's
file keeps it (SPEC S2.2)."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import private, product_test, worlds  # noqa: E402
from unit_session import HOMES, Machine, look, overlays  # noqa: E402

WRITE = "test \"$HOME\" = /home/agent && ls -A ~ && echo mine >~/notes && cat ~/notes"


def kept(results, world, place):
    world.agent("keeper", {"runtime": "command", "home": "kept"})
    options = ["--agent", "keeper"]
    result = world.sh(WRITE, options=options)
    results.equal("kept: empty at first", (result.status, result.text), (0, "mine\n"), result)
    result = world.sh("cat ~/notes", options=options)
    results.equal("... there again", (result.status, result.text), (0, "mine\n"), result)
    results.ok("... outside, for nobody else", os.path.exists(place + "/notes") and look(place)[0] == "0o40700", look(place))
    other = world.agent("other", {"runtime": "command", "home": "kept"})
    results.equal("... not of another agent", world.sh("ls -A ~", options=["--agent", "other"]).text, "")
    os.unlink(other)
    world.agent("keeper", {"runtime": "command", "home": "ephemeral"})
    results.equal("ephemeral: not there", world.sh("ls -A ~", options=options).text, "")


def replaced(results, world, place):
    """What lies where it should be, and is not as it was made, is not taken."""
    world.agent("keeper", {"runtime": "command", "home": "kept"})
    os.rename(place, place + "-away")
    mark = world.file("elsewhere/mark", "x")
    os.symlink(os.path.dirname(mark), place)
    result = world.sh("touch started; cat ~/mark", options=["--agent", "keeper"])
    results.ok("a link in its place is refused", result.status != 0 and "[directory_unsafe]" in result.errors and
               not os.path.exists(world.workspace + "/started"), result)
    os.unlink(place)
    os.mkdir(place)
    os.chown(place, private.user_id() + 5, -1)
    result = world.sh("touch started", options=["--agent", "keeper"])
    results.ok("somebody else's directory is refused", result.status != 0 and "[directory_unsafe]" in result.errors and
               not os.path.exists(world.workspace + "/started"), result)
    os.rmdir(place)
    os.rename(place + "-away", place)


def test(results):
    if private.is_root:
        Machine()
    for world in worlds():
        with results.under("as %s: " % world.user):
            result = world.sh(WRITE)
            results.equal("its own, empty", (result.status, result.text), (0, "mine\n"), result)
            results.equal("gone at the end", world.sh("ls -A ~").text, "")
            place = HOMES + "/keeper-main" if world.uid == 0 else world.home + "/.local/share/anet/homes/keeper"
            kept(results, world, place)
            if private.is_root:
                replaced(results, world, place)


product_test(test, overlays=overlays())

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A directory of root's that a run may read gives it no right of root's."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import Skip, World, private, product_test  # noqa: E402

PLACE = "/var/tmp/shown"
SECRET, PUBLIC = PLACE + "/secret", PLACE + "/public"


def test(results):
    if not private.is_root:
        raise Skip("only root's runs have mapped mounts")
    world = World("root")
    os.makedirs(PLACE)
    for path, mode in ((SECRET, 0o600), (PUBLIC, 0o644)):
        with open(path, "w") as file:
            file.write("words of root")
        os.chmod(path, mode)
    workspace = world.directory("project")
    os.chown(workspace, private.user_id(), private.group_id())
    options = ["--agent", "shown", "--workspace", workspace]
    for mode in ("readonly", "writable"):
        world.agent("shown", {"runtime": "command", "strategy": "srt", "mounts": [{"source": PLACE, "mode": mode}]})
        result = world.anet("cat", PUBLIC, options=options)
        results.equal(mode + ": what everybody may read", result.text, "words of root", result)
        result = world.anet("cat", SECRET, options=options)
        # Who writes there for root has root's rights there: that is what writable says.
        results.equal(mode + ": what only root may read", result.text, "words of root" if mode == "writable" else "", result)


product_test(test)

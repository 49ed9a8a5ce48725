#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A filesystem whose ids cannot be mapped: what belongs to the run's own id, as in a
probe whose /tmp is one, needs no map; what belongs to somebody else is refused."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import HELPERS, private, product_test  # noqa: E402
from unit_session import FIRST_UID, Machine, overlays  # noqa: E402

PLACE = "/home/srv/unmapped"


def test(results):
    machine = Machine()
    os.makedirs(PLACE)
    private.mount("ramfs", PLACE, "ramfs", 0, "mode=0755")
    machine.agent("demo", runtime="command", arguments=["sh", "-c", "echo ok >new"], workspace=PLACE)
    for owner, status, code in ((FIRST_UID + 1, 0, ""), (private.USER_ID, 69, "idmap_unavailable")):
        os.chown(PLACE, owner, owner)
        machine.prepare("demo")
        session = subprocess.run([os.path.join(HELPERS, "anet-session"), "demo"], env=machine.env, timeout=60,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        results.ok("owned by %d" % owner, session.returncode == status and code in session.stderr.decode(), session)
        results.equal("and who owns what it wrote", [os.stat(PLACE + "/" + name).st_uid for name in os.listdir(PLACE)],
                      [FIRST_UID + 1])
        machine.outcome("demo", "exit-code", "exited", str(session.returncode))


product_test(test, overlays=overlays())

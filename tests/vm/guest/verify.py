#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=180
"""What systemd itself says of the installed units on this machine."""
import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from units import run, systemctl  # noqa: E402
from vm import run_test  # noqa: E402

# The most exposure that each may have (systemd-analyze security); all others as a helper.
THRESHOLDS = {"anet-session@.service": 5.2, "anet-probe.service": 5.2, "anet-host@.service": 7.5}  # the last has no boundary
HELPER = 1.5


def test(results):
    units = sorted(path for path in glob.glob("/usr/lib/systemd/system/anet*") if os.path.isfile(path) and
                   "anet-vm" not in path)
    results.ok("units are installed", len(units) >= 6, units)
    status, text = run("systemd-analyze", "verify", "--recursive-errors=no", "--man=no", *units, timeout=100)
    results.equal("systemd-analyze verify is clean", (status, text), (0, ""))
    # Static units with an instance are verified with one as well.
    for unit in (path for path in units if path.endswith(".service")):
        name = os.path.basename(unit)
        limit = THRESHOLDS.get(name, HELPER)
        status, text = run("systemd-analyze", "security", "--offline=true", "--no-pager",
                           "--threshold=%d" % round(limit * 10), unit)
        found = re.search(r"exposure level for \S+: ([0-9.]+)", text)
        results.ok("%s: exposure of at most %.1f" % (name, limit), found and float(found.group(1)) <= limit, text[-3000:])
        if found:
            results.note("%s: %s" % (name, found.group(1)))
    for unit in ("anet-gateway.socket", "anet-upstream.socket", "anet-tunnel.socket", "anet-probe.service"):
        results.equal("%s is enabled" % unit, systemctl("is-enabled", unit)[1].strip(), "enabled")
    status, text = systemctl("list-units", "--no-legend", "--plain", "--state=active", "--type=service", "anet-*")
    running = [line.split()[0] for line in text.splitlines() if " running " in line and "anet-vm-agent" not in line]
    results.equal("nothing of anet runs when no session does", running, [])
    results.equal("no unit has warnings of its own", [line for line in run(
        "journalctl", "--boot", "--no-pager", "--output=cat", "_PID=1", "--grep=anet-.*(Unknown|[Ii]nvalid|ignoring)")[1].splitlines()
        if "No entries" not in line], [])


run_test(test)

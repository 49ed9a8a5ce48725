#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=240
"""The table of strategies (SPEC S1.3, S1.4): what anet-strategies writes, when it
probes anew, when it fails, and that the rights which the unit of a session gives
are enough for it, and none of them too many."""
import json
import os
import re
import stat
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import HELPERS, Skip, World, has, private, product_test  # noqa: E402
import unit_session  # noqa: E402
from world import ANET  # noqa: E402

PROGRAM = os.path.join(HELPERS, "anet-strategies")
TABLE = "/run/anet/strategies.json"
CONFIG = os.path.join(unit_session.CONFIG, "config.json")
SENTENCE = "startup refused: no execution strategy can run on this machine (%s)"
OFF = "; ".join("%s: sandbox.%s is off on this machine" % (name, name) for name in ("host", "srt", "microsandbox"))


def table():
    with open(TABLE) as file:
        return json.load(file)


def row(name):
    return next(each for each in table()["strategies"] if each["strategy"] == name)


def identity():
    info = os.stat(TABLE)
    return info.st_ino, info.st_mtime_ns


def config(value):
    if value is None:
        os.unlink(CONFIG)
        return
    os.makedirs(os.path.dirname(CONFIG), exist_ok=True)
    with open(CONFIG, "w") as file:
        file.write(value if isinstance(value, str) else json.dumps(value))


def written(results, root):
    result = root.run([PROGRAM])
    results.equal("it succeeds where a strategy can run", result.status, 0, result)
    results.contains("what is not available is told", result.errors, "microsandbox is not part of this build [strategy_not_built]")
    info = os.stat(TABLE)
    results.equal("root's, for all to read", (info.st_uid, stat.S_IMODE(info.st_mode), info.st_nlink), (0, 0o644, 1))
    results.equal("its directory can be searched", stat.S_IMODE(os.stat("/run/anet").st_mode), 0o755)
    results.equal("in their order", [each["strategy"] for each in table()["strategies"]], ["host", "srt", "microsandbox"])
    results.equal("host has no probe", (row("host")["offered"], row("host")["available"]), (True, True))
    results.equal("srt works here", (row("srt")["available"], row("srt")["reason"]), (True, ""))
    results.equal("microsandbox", (row("microsandbox")["offered"], row("microsandbox")["available"],
                                   row("microsandbox")["code"]), (True, False, "strategy_not_built"))
    results.ok("each says what it keeps apart", all(each["boundary"] for each in table()["strategies"]), table())
    before = identity()
    root.run([PROGRAM])
    results.ok("alone it probes anew, however fresh the table", identity() != before)


def refreshed(results, root):
    root.run([PROGRAM])

    def change(**fields):
        value = dict(table(), **fields)
        with open(TABLE, "w") as file:
            json.dump(value, file)

    def refresh(name, anew):
        before = identity() if os.path.lexists(TABLE) else None
        result = root.run([PROGRAM, "--refresh"])
        results.equal(name + ": it succeeds", result.status, 0, result)
        results.equal("... and probes anew" if anew else "... and does not probe", identity() != before, anew, result)
        return result

    refresh("fresh", False)
    at = table()["at"]
    change(at=at - 200)
    refresh("three minutes old", False)
    change(at=at - 301)
    result = refresh("five minutes old", True)
    results.lacks("what was told before is not told again", result.errors, "microsandbox")
    change(at=at + 1000)
    refresh("from the future", True)
    change(identity="another bubblewrap")
    refresh("of something else", True)
    os.chmod(TABLE, 0o666)
    result = refresh("that others can write", True)
    results.contains("what was told before, nobody knows", result.errors, "microsandbox")
    with open(TABLE, "w") as file:
        file.write("{")
    refresh("cut", True)
    os.unlink(TABLE)
    os.symlink("/etc/passwd", TABLE)
    refresh("a link", True)
    results.ok("the link is not followed", not os.path.islink(TABLE))
    os.unlink(TABLE)
    refresh("none", True)


def refused(results, root):
    config({"sandbox": {"host": False, "srt": False, "microsandbox": False}})
    result = root.run([PROGRAM])
    results.equal("all off: it fails", result.status, 69, result)
    results.contains("in the words of the specification", result.errors, SENTENCE % OFF)
    results.contains("with its code", result.errors, "[no_strategy]")
    results.equal("not offered, not probed", [row(name)["offered"] for name in ("host", "srt", "microsandbox")], [False] * 3)
    results.equal("with --refresh it is not its decision", root.run([PROGRAM, "--refresh"]).status, 0)
    config({"sandbox": {"host": False, "microsandbox": False}})
    result = root.run([PROGRAM, "--refresh"])
    results.equal("another configuration is another table", (result.status, row("srt")["available"],
                                                             row("host")["reason"]),
                  (0, True, "sandbox.host is off on this machine"), result)
    config("{")
    before = identity()
    result = root.run([PROGRAM])
    results.equal("a configuration that is not valid", (result.status, identity()), (78, before), result)
    results.equal("... with --refresh", root.run([PROGRAM, "--refresh"]).status, 0)
    config(None)
    result = World("user").run([PROGRAM])
    results.equal("others than root", result.status, 71, result)
    results.equal("an unknown option", root.run([PROGRAM, "--wrong"]).status, 64)


def rights(results, root):
    """The unit's bounding set, by setpriv(1)."""
    if not has("setpriv"):
        results.skip("the unit's rights", "setpriv is not installed")
        return
    with open(os.path.join(private.TREE, "units", "confinement")) as file:
        found = re.search(r"^CapabilityBoundingSet=(.*)$", file.read(), re.M)
    capabilities = [word[4:].lower() for word in found.group(1).split()]
    results.ok("the unit gives some", len(capabilities) >= 3, capabilities)

    def limited(names, *command):
        bounding = ",".join(["-all"] + ["+" + name for name in names])
        return root.run(["setpriv", "--inh-caps=-all", "--bounding-set=" + bounding, *command])

    def works(names):
        """The probe, and a session whose files belong to somebody: their ids are mapped."""
        probed = limited(names, PROGRAM)
        ran = limited(names, ANET, "run", "--", "true")
        return row("srt")["available"] and ran.status == 0, (probed, ran)

    os.chown(root.workspace, 12345, 12345)
    available, result = works(capabilities)
    results.ok("they are enough", available, result)
    for missing in capabilities:
        available, result = works([name for name in capabilities if name != missing])
        results.ok("%s is needed" % missing, not available, result)


def test(results):
    if not private.is_root:
        raise Skip("only root writes the table")
    root = World("root")
    for part in (written, refreshed, refused, rights):
        with results.under(part.__name__ + ": "):
            part(results, root)


product_test(test, overlays=unit_session.overlays())

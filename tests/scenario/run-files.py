#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=240
"""The files that a runtime's program finds in its home (anet-runtime(5)): written before
it starts, whatever an earlier run of the agent has left there."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ANET, private, product_test, worlds  # noqa: E402
from unit_session import CONFIG, HOMES, Machine, overlays, run_record  # noqa: E402

SHELL = '#!/bin/sh\nexec sh -c "$1"\n'
FILES = {".tool/settings.json": {"url": "${ENDPOINT}", "where": ["${WORKSPACE}", "${HOME}"], "n": 1},
         "notes": "of ${HOME}\n"}


def define(**changes):
    value = dict({"name": "tool", "program": {"names": ["tool"]}, "files": FILES}, **changes)
    path = os.path.join(CONFIG, "runtimes", "tool.json")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        json.dump(value, file)


def sh(world, script, agent="keeper", **popen):
    return world.run([ANET, "run", "--agent", agent, "--", script], **popen)


def written(results, world):
    define()
    world.agent("fresh", {"runtime": "tool", "home": "ephemeral"})
    result = sh(world, "stat -c '%a %n' ~/.tool ~/.tool/settings.json ~/notes; cat ~/notes ~/.tool/settings.json; "
                       "echo x >>~/notes", "fresh")
    lines = result.text.split("\n")
    results.equal("modes", lines[:3], ["700 /home/agent/.tool", "600 /home/agent/.tool/settings.json",
                                       "600 /home/agent/notes"], result)
    results.equal("a text", lines[3:4], ["of /home/agent"], result)
    results.equal("an object, without what stands for nothing", json.loads("\n".join(lines[4:]) or "null"),
                  {"where": [world.workspace, "/home/agent"], "n": 1}, result)
    results.equal("nothing in the caller's home", os.path.exists(world.home + "/.tool"), False)


def kept(results, world, place):
    """Each `leave` is what a run does to its home; the next run then starts, or says why not."""
    world.agent("keeper", {"runtime": "tool", "home": "kept"})
    outside = world.file("work/target", "untouched")
    for name, leave, why in (
            ("changed", "echo other >~/notes", None),
            ("a link in the place of a file", "ln -sf %s ~/notes" % outside, None),
            ("a hard link in the place of a file", "echo other >~/x; ln -f ~/x ~/notes", None),
            ("a FIFO in the place of a file", "rm ~/notes; mkfifo ~/notes", None),
            ("no right to write", "chmod 0 ~/notes", None),
            ("a directory without rights for others", "chmod 0700 ~/.tool", None),
            ("a directory in the place of a file", "rm ~/notes; mkdir ~/notes; touch ~/notes/x",
             "a directory is in its place"),
            ("a link in the place of a directory", "rm -r ~/notes ~/.tool; mkdir %s/t; ln -s %s/t ~/.tool"
             % (world.workspace, world.workspace), "a link or a file is in the place of a directory"),
            ("a link to itself", "rm -r ~/.tool; ln -s .tool ~/.tool", "a link or a file"),
            ("a FIFO in the place of a directory", "rm -r ~/.tool; mkfifo ~/.tool", "a link or a file")):
        result = sh(world, leave)
        results.equal("kept: %s: left" % name, result.status, 0, result)
        result = sh(world, "cat ~/notes; touch started")
        if why:
            results.ok("... refused", result.status == 73 and "[home_files]" in result.errors and why in result.errors and
                       "--home ephemeral" in result.errors and not result.text, result)
            for entry in (".tool", "notes"):
                path = os.path.join(place, entry)
                world_remove(path)
        else:
            results.equal("... written anew", (result.status, result.text), (0, "of /home/agent\n"), result)
            os.unlink(world.workspace + "/started")
        results.equal("... no run where it was refused", os.path.exists(world.workspace + "/started"), False)
    with open(outside) as file:
        results.equal("no link was followed", (file.read(), os.listdir(world.workspace + "/t")), ("untouched", []))
    results.equal("no temporary name is left", [name for name in os.listdir(place) if name.startswith(".anet-")], [])


def world_remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        for name in os.listdir(path):
            os.unlink(os.path.join(path, name))
        os.rmdir(path)
    elif os.path.lexists(path):
        os.unlink(path)


def elsewhere(results, world):
    """What the configuration mounts into the home is not the run's to be written."""
    shared = "/home/agent/.tool"
    os.makedirs(shared, exist_ok=True)
    world.own(shared)
    world.agent("mounted", {"runtime": "tool", "home": "ephemeral", "mounts": [{"source": shared, "mode": "writable"}]})
    result = sh(world, "true", "mounted")
    # A user has no such mount: that place is another one's home.
    why = ("[home_files]", "a mount lies on the way") if world.uid == 0 else ("[never_visible]",)
    results.ok("a mount on the way is refused", all(part in result.errors for part in why) and os.listdir(shared) == [],
               result)
    world.agent("open", {"runtime": "tool", "strategy": "host"})
    result = sh(world, "true", "open")
    results.ok("not without a sandbox", result.status == 78 and "[files_need_sandbox]" in result.errors and
               ".tool/settings.json" in result.errors and "--strategy srt" in result.errors, result)
    results.equal("... nothing was written", os.path.exists(world.home + "/notes"), False)
    define(files={"a": "x" * (256 * 1024)})
    result = sh(world, "true", "fresh")
    results.ok("too much", result.status == 78 and "262144 is the most" in result.errors, result)
    define(files={"f%d" % i: "" for i in range(65)})
    result = sh(world, "true", "fresh")
    results.ok("too many", result.status == 78 and "64 is the most" in result.errors, result)
    define(files={"../.ssh/x": ""})
    result = sh(world, "true", "fresh")
    results.ok("out of the home", result.status == 78 and "[config_invalid]" in result.errors and "`files`" in result.errors,
               result)


def prepared(results, machine):
    """Those of a unit's session are in its record."""
    define()
    path = os.path.join(machine.bin, "tool")
    with open(path, "w") as file:
        file.write(SHELL)
    os.chmod(path, 0o755)
    machine.agent("unit", runtime="tool", arguments=["true"])
    result = machine.prepare("unit")
    results.equal("a unit is prepared", result.status, 0, result)
    run = run_record("unit-main")
    results.equal("with the files", (sorted(run["files"]), run["files"]["notes"], json.loads(
        run["files"][".tool/settings.json"])["where"]), ([".tool/settings.json", "notes"], "of /home/agent\n",
                                                         [run["workspace"], "/home/agent"]))


def test(results):
    machine = Machine() if private.is_root else None
    os.makedirs(CONFIG, exist_ok=True)
    if machine:
        prepared(results, machine)
    for world in worlds():
        world.file("bin/tool", SHELL, 0o755)
        world.env["PATH"] = world.home + "/bin:" + world.env["PATH"]
        with results.under("as %s: " % world.user):
            written(results, world)
            kept(results, world, HOMES + "/keeper-main" if world.uid == 0 else world.home + "/.local/share/anet/homes/keeper")
            elsewhere(results, world)


product_test(test, overlays=overlays())

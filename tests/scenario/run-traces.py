#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A run leaves nothing on the host but what the agent made in its workspace."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import Terminal, private, process, product_test, tree, worlds  # noqa: E402

# The names that other sandboxes leave behind as empty files: mount points for
# what they hide.
GHOSTS = [".bashrc", ".bash_profile", ".profile", ".zshrc", ".gitconfig", ".gitmodules", ".mcp.json", ".ripgreprc",
          ".vscode", ".idea", ".claude", ".git", ".npmrc", ".ssh", ".env", "HEAD", "hooks", "config", "objects"]


def look():
    return tree.snapshot(*tree.WATCHED, skip=(private.directory,)), tree.mounts()


def compare(results, name, before, cache):
    """`cache`: what anet itself may keep: the probe's result, locks for uids."""
    after = look()
    lines = [line for line in tree.difference(before[0], after[0]) if not any(path in line for path in cache)]
    results.equal(name + ": no file", lines, [])
    results.equal(name + ": no mount", after[1], before[1])
    results.equal(name + ": no process", process.show(process.left_after([])), "")


def test(results):
    for world in worlds():
        with results.under("as %s: " % world.user):
            cache = ("/run/anet",) if world.user == "root" else (os.path.join(world.home, ".cache"),)
            for name in GHOSTS:
                path = os.path.join(world.workspace, name)
                assert not os.path.lexists(path)
            before = look()
            for name, call in (
                    ("a run", lambda: world.anet("true")),
                    ("a second run", lambda: world.anet("true")),
                    ("a run that fails", lambda: world.anet("false")),
                    ("a command that is not there", lambda: world.anet("no-such-command")),
                    ("a refused workspace", lambda: world.anet("true", options=["--workspace", "/"])),
                    ("a wrong option", lambda: world.anet("true", options=["--no-such-option"])),
                    ("a run that writes to its own places",
                     lambda: world.sh("touch /tmp/a ~/.bashrc /dev/shm/b; mkdir -p ~/.config/x; true")),
                    ("a run that is killed", lambda: world.sh("kill -9 $$")),
                    ("a run with orphans", lambda: world.sh("setsid sleep 60 & setsid sleep 60 & exit 0")),
            ):
                call()
                compare(results, name, before, cache)
            terminal = Terminal(world.argv(["true"]), cwd=world.workspace, env=world.env, **world.identity())
            terminal.wait(20)
            terminal.close()
            compare(results, "a run on a terminal", before, cache)
            found = [os.path.join(where, name) for where in cache if os.path.isdir(where)
                     for where, _, names in os.walk(where) for name in names]
            results.ok("what anet keeps is little, and its owner's alone", len(found) <= 12 and all(
                os.lstat(path).st_uid == world.uid and not os.lstat(path).st_mode & 0o022 for path in found), found)


product_test(test)

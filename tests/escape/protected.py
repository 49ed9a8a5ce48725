#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=240
"""A run changes nothing in its workspace that programs outside execute without it
being told, whatever way leads there; and what is removed after it is what it made."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ANET, private, product_test, worlds  # noqa: E402

TOLD = "[protected_created]"

# (what, makes the workspace, what programs outside would execute, a run that changes it)
CASES = (
    ("a link to a directory that can be renamed",
     "mkdir -p tools/husky; echo good >tools/husky/run; ln -s tools/husky .husky", ".husky/run",
     "mv tools old && mkdir -p tools/husky && echo evil >tools/husky/run"),
    ("a link that is absolute", "mkdir conf; echo good >conf/tasks.json; ln -s \"$PWD/conf\" .vscode",
     ".vscode/tasks.json", "echo evil >conf/tasks.json"),
    ("a link by way of another", "mkdir real; echo good >real/rc; ln -s real link; ln -s link/rc .envrc", ".envrc",
     "rm link && mkdir link && echo evil >link/rc"),
    ("a link to nothing yet", "ln -s later/rc .envrc", ".envrc", "mkdir later && echo evil >later/rc"),
    ("a link that is made anew", "mkdir a; echo good >a/rc; ln -s a/rc .envrc; mkdir b; echo evil >b/rc", ".envrc",
     "rm .envrc && ln -s b/rc .envrc"),
    ("a repository behind a link", "mkdir -p r/hooks; echo good >r/hooks/run; ln -s r .git", ".git/hooks/run",
     "echo evil >r/hooks/run || { mv r s && mkdir -p r/hooks && echo evil >r/hooks/run; }"),
    ("settings behind a link that has no row", "mkdir r; echo good >r/hgrc; ln -s r .hg", ".hg/hgrc",
     "echo evil >r/hgrc"),
    ("a repository that cannot be listed", "mkdir -p .git/hooks; echo good >.git/hooks/run; chmod 0311 .git",
     ".git/hooks/run", "chmod 0755 .git; echo evil >.git/hooks/run; chmod 0311 .git"))


def content(world, path):
    return world.run(["cat", path], cwd=world.workspace).text.strip()


def fresh(world, script):
    world.run(["sh", "-c", "chmod -R u+rwX .; find . -mindepth 1 -delete; " + script], cwd=world.workspace)


def change(results, world, name, path, script, options=()):
    result = world.sh(script, options=options)
    return content(world, path) == "evil", TOLD in result.errors, result


def ways(results, world):
    world.agent("plain", {"runtime": "command", "strategy": "srt", "protect": False})
    for name, make, path, script in CASES:
        fresh(world, make)
        changed, told, result = change(results, world, name, path, script, ("--agent", "plain"))
        results.ok(name + " (control: unprotected, it is changed and not told)", changed and not told, result)
        fresh(world, make)
        changed, told, result = change(results, world, name, path, script)
        results.ok(name + ": not changed, or told", told or not changed, result)


def on_a_mount(results, world):
    """What is mounted into the workspace is part of it."""
    fresh(world, "mkdir -p .git/hooks")
    source = world.directory("elsewhere")
    private.mount(source, world.workspace + "/.git", flags=private.MS_BIND)
    world.run(["sh", "-c", "mkdir -p hooks; echo good >hooks/run"], cwd=world.workspace + "/.git")
    script = "echo evil >.git/hooks/run"
    result = world.sh(script)
    results.equal("hooks on a mount are not changed", content(world, ".git/hooks/run"), "good", result)
    result = world.sh(script, options=("--agent", "plain"))
    results.equal("(control)", content(world, ".git/hooks/run"), "evil", result)
    private.libc.umount2(os.fsencode(world.workspace + "/.git"), 2)


def clean(world):
    return world.run([ANET, "sessions", "clean", "--yes"])


def removed(results, world):
    fresh(world, "true")
    world.sh("echo evil >.envrc")
    result = clean(world)
    results.ok("(control: what a run made is removed)", not os.path.lexists(world.workspace + "/.envrc"), result)

    fresh(world, "mkdir -p .git/hooks; echo mine >.git/config")
    first = world.sh("chmod 0311 .git")
    result = clean(world)
    results.equal("what a run only hid stays", content(world, ".git/config"), "mine", (first, result))

    fresh(world, "true")
    world.sh("echo evil >.envrc")
    number = os.stat(world.workspace + "/.envrc").st_ino
    for _ in range(50):
        os.unlink(world.workspace + "/.envrc")
        world.file(world.workspace + "/.envrc", "mine")
        if os.stat(world.workspace + "/.envrc").st_ino == number:
            break
    else:
        results.skip("what has its inode number now stays", "this filesystem does not use numbers again at once")
        return
    result = clean(world)
    results.equal("what has its inode number now stays", content(world, ".envrc"), "mine", result)


def forged(results, world):
    """A record is believed only about the directory that its file is of."""
    records = "/var/lib/anet/protected" if world.uid == 0 else world.home + "/.local/state/anet/protected"
    fresh(world, "true")
    world.sh("echo evil >.envrc")
    other = world.directory("other")
    os.link(world.workspace + "/.envrc", other + "/.envrc")
    paths = [path for path in (os.path.join(records, name) for name in os.listdir(records)) if os.path.getsize(path)]
    if not results.equal("(control: one record)", len(paths), 1):
        return
    with open(paths[0], "r+b") as file:
        record = file.read()
        was = os.fsencode(world.workspace) + b"\0"
        file.seek(record.index(was))
        file.write(os.fsencode(other).ljust(len(was) + 1, b"\0"))
    result = clean(world)
    results.ok("a forged record removes nothing", os.path.lexists(other + "/.envrc"), result)
    results.ok("and is said to be of no workspace", "no workspace" in result.text, result)


def test(results):
    for world in worlds():
        with results.under("as %s: " % world.user):
            ways(results, world)
            if private.is_root:
                on_a_mount(results, world)
            removed(results, world)
            forged(results, world)


product_test(test)

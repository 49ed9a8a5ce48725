#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=300
"""What a run leaves in its workspace is not executed outside in silence: what is
there stays as it was, and what it makes is told and can be removed.  Each attack is
made without the protection as well (the control), where it works."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ANET, has, product_test, worlds  # noqa: E402

# What a person does in the directory afterwards; `marker` is made by what a run left.
GIT = "git -c user.name=x -c user.email=x@example.com"
STATUS = GIT + " status"
COMMIT = "touch new && git add new && " + GIT + " commit -qm x"

# Settings by which git takes a bare repository for one with a work tree.
BARE = ("printf '[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n\\tworktree = w\\n"
        "\\tfsmonitor = touch ../marker\\n' > config")

# Name, the attack, what is done outside (None: looked at only), what must be named, and
# how the workspace is: "repository", "empty", "bare".
ATTACKS = [
    ("a hook", "printf '#!/bin/sh\\ntouch marker\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit", COMMIT,
     None, "repository"),
    ("core.fsmonitor", "printf '[core]\\n\\tfsmonitor = touch marker\\n' >> .git/config", STATUS, None,
     "repository"),
    ("core.hooksPath", "mkdir h; printf '#!/bin/sh\\ntouch marker\\n' > h/pre-commit; chmod +x h/pre-commit;"
     " printf '[core]\\n\\thooksPath = h\\n' >> .git/config", COMMIT, None, "repository"),
    ("git's own command", "git config core.fsmonitor 'touch marker'", STATUS, None, "repository"),
    ("a settings file in the place of another",
     "cp .git/config c; printf '[core]\\n\\tfsmonitor = touch marker\\n' >> c; mv -f c .git/config", STATUS, None,
     "repository"),
    (".git replaced", "mv .git old && cp -r old .git && printf '[core]\\n\\tfsmonitor = touch marker\\n' "
     ">> .git/config", STATUS, None, "repository"),
    (".git removed", "rm -rf .git; git init -q . && printf '[core]\\n\\tfsmonitor = touch marker\\n' "
     ">> .git/config", STATUS, None, "repository"),
    ("commondir", "cp -r .git common; printf '[core]\\n\\tfsmonitor = touch marker\\n' >> common/config;"
     " printf ../common > .git/commondir", STATUS, ".git/commondir", "repository"),
    ("hooks that were not there", "rm -rf .git/hooks; mkdir -p .git/hooks; printf '#!/bin/sh\\ntouch marker\\n' > "
     ".git/hooks/pre-commit; chmod +x .git/hooks/pre-commit", COMMIT, ".git/hooks", "no hooks"),
    ("a new repository", "git init -q . && printf '[core]\\n\\tfsmonitor = touch marker\\n' >> .git/config",
     STATUS, ".git/config", "empty"),
    ("a .git that names a directory", "git init -q r && printf '[core]\\n\\tfsmonitor = touch marker\\n' >> "
     "r/.git/config; printf 'gitdir: r/.git\\n' > .git", STATUS, ".git", "empty"),
    (".git as a link", "git init -q r && printf '[core]\\n\\tfsmonitor = touch marker\\n' >> r/.git/config; "
     "ln -s r/.git .git", STATUS, ".git", "empty"),
    ("the workspace as a repository", "git init -q --bare b && mv b/* . && mkdir w && " + BARE, STATUS, "HEAD", "empty"),
    ("a bare repository's settings", "mkdir w; " + BARE, STATUS, None, "bare"),
    ("a bare repository's settings replaced", "mkdir w; mv config old; " + BARE, STATUS, None, "bare"),
    ("a linked .git", "printf '[core]\\n\\tfsmonitor = touch marker\\n' >> real/config", STATUS, None, "linked"),
    (".envrc", "echo touch marker > .envrc", None, ".envrc", "empty"),
    (".vscode/tasks.json", "mkdir .vscode; echo '{}' > .vscode/tasks.json", None, ".vscode", "empty"),
    (".mcp.json", "echo '{}' > .mcp.json", None, ".mcp.json", "empty"),
    (".claude/settings.json", "mkdir .claude; echo '{}' > .claude/settings.json", None, ".claude", "empty"),
    (".idea as a link", "mkdir i; ln -s i .idea", None, ".idea", "empty"),
]

# Of settings that are there: each way to change them.
EXISTING = [".envrc", ".vscode/tasks.json", ".mcp.json", ".claude/settings.json", ".idea/workspace.xml", ".husky/_/h"]
CHANGES = ["echo attack >> %(path)s", "rm -rf %(top)s; mkdir -p $(dirname %(path)s); echo attack > %(path)s",
           "mv %(top)s gone; mkdir -p $(dirname %(path)s); echo attack > %(path)s",
           "echo attack > new; mv -f new %(path)s", "ln %(path)s second && echo attack > second",
           "chmod -R 777 %(top)s; echo attack > %(path)s"]


def prepare(world, kind):
    path = world.directory("project")
    shutil.rmtree(path)
    world.directory("project")
    commands = {
        "empty": "true",
        "repository": "git init -q . && git -c user.name=x -c user.email=x@example.com commit -q --allow-empty -m x",
        "no hooks": "git init -q . && rm -rf .git/hooks",
        "bare": "git init -q --bare .",
        "linked": "git init -q . && mv .git real && ln -s real .git",
    }
    result = world.run(["sh", "-c", commands[kind]], cwd=path)
    assert result.status == 0, result
    return path


def marker_after(world, path, outside):
    if outside:
        world.run(["sh", "-c", outside], cwd=path)
    return os.path.exists(path + "/marker")


def attack(results, world, row):
    name, script, outside, told, kind = row
    path = prepare(world, kind)
    world.agent("open", {"runtime": "command", "protect": False})
    control = world.sh(script, options=["--agent", "open", "--workspace", path])
    if outside:
        results.ok(name + ": works where nothing is protected (control)", marker_after(world, path, outside), control)
    results.lacks("... and is not told there", control.errors, "protected_created")
    path = prepare(world, kind)
    result = world.sh(script, options=["--workspace", path])
    warned = "protected_created" in result.errors
    if told is None:
        results.ok(name + ": refused", not marker_after(world, path, outside), result)
        return
    results.ok(name + ": told", warned and told in result.errors, result)
    listed = world.run([ANET, "sessions", "clean", "--list", path])
    results.contains("... and listed", listed.text, path + "/" + told)
    cleaned = world.run([ANET, "sessions", "clean", "--yes", path])
    results.ok("... and removable", cleaned.status == 0 and not os.path.lexists(os.path.join(path, told)), cleaned)
    results.ok("... and then nothing happens outside", not marker_after(world, path, outside))


def existing(results, world):
    for name in EXISTING:
        for change in CHANGES:
            path = prepare(world, "empty")
            world.file("project/" + name, "original\n")
            script = change % {"path": name, "top": name.split("/")[0]}
            result = world.sh(script + "; true", options=["--workspace", path])
            with open(os.path.join(path, name)) as file:
                results.equal("%s: %s" % (name, script), file.read(), "original\n", result)
            results.lacks("... and nothing is told", result.errors, "protected_created")


def test(results):
    for world in worlds():
        with results.under("as %s: " % world.user):
            for row in ATTACKS:
                if has("git") or row[2] is None and "git" not in row[1]:
                    attack(results, world, row)
                else:
                    results.skip(row[0], "git is not installed")
            existing(results, world)


product_test(test)

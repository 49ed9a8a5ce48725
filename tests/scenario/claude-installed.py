#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: alone timeout=600
"""Claude Code is found wherever people install it, and no more of the home than
its program is visible."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import claude  # noqa: E402
from harness import Model, private, run_test, worlds  # noqa: E402
from world import require_product  # noqa: E402


def symlink(world, target, link):
    os.makedirs(os.path.dirname(link), exist_ok=True)
    os.symlink(target, link)
    return link


def native_installer(world, modules):
    """~/.local/bin/claude -> ~/.local/share/claude/versions/N"""
    target = os.path.join(world.home, ".local/share/claude/versions", claude.VERSION)
    os.makedirs(os.path.dirname(target))
    claude.link(claude.program(modules), target)
    symlink(world, target, os.path.join(world.home, ".local/bin/claude"))
    return {}


def npm_prefix(world, modules, base, path_variable=True):
    where = os.path.join(world.home, base, "lib/node_modules")
    claude.place(world, modules, where)
    relative = os.path.relpath(claude.program(where), os.path.join(world.home, base, "bin"))
    symlink(world, relative, os.path.join(world.home, base, "bin/claude"))
    if path_variable:
        return {"PATH": os.path.join(world.home, base, "bin") + ":" + world.env["PATH"]}
    return {}


def nvm(world, modules):
    """~/.nvm/versions/node/vN/bin/claude, with nvm's own node beside it."""
    return npm_prefix(world, modules, ".nvm/versions/node/v22.0.0")


def nvm_not_in_path(world, modules):
    return npm_prefix(world, modules, ".nvm/versions/node/v22.0.0", path_variable=False)


def npm_global(world, modules):
    return npm_prefix(world, modules, ".npm-global")


def local_install(world, modules):
    """~/.claude/local/node_modules/.bin/claude: below a directory that is never visible."""
    claude.place(world, modules, os.path.join(world.home, ".claude/local/node_modules"))
    world.file(".claude/.credentials.json", "SECRET LOG-IN", 0o600)
    return {}


def below_workspace_path(world, modules):
    """In some directory that PATH names."""
    where = claude.place(world, modules, os.path.join(world.home, "tools/node_modules"))
    return {"PATH": os.path.join(where, ".bin") + ":" + world.env["PATH"]}


def nvm_with_its_node(world, modules):
    """The same, and no other node on the machine: the script names `node` only."""
    env = npm_prefix(world, modules, ".nvm/versions/node/v22.0.0")
    for directory in ("/usr/bin", "/usr/local/bin"):
        node = os.path.join(directory, "node")
        if os.path.exists(node):
            own = os.path.join(world.home, ".nvm/versions/node/v22.0.0/bin/node")
            if not os.path.exists(own):
                claude.link(os.path.realpath(node), own)
            private.mount("/dev/null", node, flags=private.MS_BIND)
            HIDDEN.append(node)
    return env


HIDDEN = []

LAYOUTS = [("the native installer's", native_installer), ("nvm", nvm), ("nvm, not in PATH", nvm_not_in_path),
           ("npm's global prefix in the home", npm_global), ("~/.claude/local", local_install),
           ("a directory in PATH", below_workspace_path), ("nvm and its own node", nvm_with_its_node)]


def fresh_home(world):
    private.empty(world.home)
    world.directory("work")
    world.file("diary.txt", "DIARY")


def own_everything(world):
    if not private.is_root:
        return
    mounted = private.mount_points()
    for where, names, files in os.walk(world.home):
        names[:] = [name for name in names if os.path.join(where, name) not in mounted]
        for name in names + files:
            path = os.path.join(where, name)
            # Linked files are the cache's.
            if os.path.isdir(path) or os.path.islink(path) or os.lstat(path).st_nlink == 1:
                os.chown(path, world.uid, world.gid, follow_symlinks=False)


def test(results):
    require_product()
    forms = [("native", claude.native())]
    try:
        forms.append(("script", claude.script()))
    except claude.Skip as skip:
        results.skip("the npm script", str(skip))
    private.enter([modules for _, modules in forms])
    with Model(cwd="/") as model:
        for world in worlds():
            for form, modules in forms:
                for name, install in LAYOUTS:
                    if install in {"script": (native_installer,), "native": (nvm_with_its_node,)}[form]:
                        continue
                    with results.under("as %s, %s, %s: " % (world.user, form, name)):
                        fresh_home(world)
                        env = install(world, modules)
                        own_everything(world)
                        model.cwd = world.workspace
                        model.script = [{"write": {"path": "$CWD/hello.txt", "content": "hello from the stub\n"}},
                                        {"shell": "cat %s/diary.txt %s/.claude/.credentials.json; ls -la %s; true" %
                                         (world.home, world.home, world.home)}, {"text": "Done."}]
                        first = len(model.requests())
                        result = claude.ask(world, "Create hello.txt", env=env)
                        while HIDDEN:
                            private.unmount(HIDDEN.pop())
                        results.equal("the task", (result.status, result.text), (0, "Done.\n"), result)
                        results.ok("the file is there", os.path.exists(world.workspace + "/hello.txt"))
                        bodies = repr([record.get("body") for record in model.requests()[first:]])
                        results.ok("nothing else of the home was seen", "DIARY" not in bodies and
                                   "SECRET LOG-IN" not in bodies, bodies[-2000:])


run_test(test)

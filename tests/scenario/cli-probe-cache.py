#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=240
"""What the probe found is kept for five minutes, success and failure alike, for
one bwrap, one user and one configuration, in a file that only that user can
write."""
import os
import shutil
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ANET, private, product_test, tree, worlds  # noqa: E402

BWRAP = shutil.which("bwrap") or "/usr/bin/bwrap"


def place(world):
    return "/run/anet/probe" if world.uid == 0 else os.path.join(world.home, ".cache/anet/probe")


def lines(path):
    with open(path) as file:
        return file.read().splitlines()


def rewrite(world, change):
    """Changes the lines of the file in place."""
    path = place(world)
    content = change(lines(path))
    with open(path, "w") as file:
        file.write("\n".join(content) + "\n")


def identity(world):
    info = os.stat(place(world))
    return info.st_ino, info.st_mtime_ns


def succeeds(results, world, name):
    result = world.anet("true")
    return results.equal(name, result.status, 0, result)


def success(results, world):
    path = place(world)
    succeeds(results, world, "the first run probes")
    info = os.stat(path)
    results.equal("the file is this user's alone", (info.st_mode & 0o7777, info.st_uid), (0o600, world.uid))
    results.equal("its directory too", os.stat(os.path.dirname(path)).st_mode & 0o022, 0)
    before = identity(world)
    succeeds(results, world, "the second run")
    results.equal("... does not probe", identity(world), before)
    for name, seconds, anew in (("almost five minutes", 290, False), ("five minutes", 301, True), ("the future", -60, True)):
        rewrite(world, lambda text: [text[0], str(int(time.time()) - seconds)] + text[2:])
        before = identity(world)
        succeeds(results, world, "a result from %s" % name)
        results.equal("... is %s" % ("replaced" if anew else "used"), identity(world) != before, anew)
    before = identity(world)
    result = world.run([ANET, "doctor"])
    results.ok("doctor always probes", identity(world) != before, result)
    rewrite(world, lambda text: ["another machine"] + text[1:])
    before = identity(world)
    succeeds(results, world, "a result of another key")
    results.ok("... is replaced", identity(world) != before)
    world.config({"sandbox": {"host": False}})
    before = identity(world)
    succeeds(results, world, "another configuration")
    results.ok("... is probed", identity(world) != before)
    os.unlink(os.path.join(world.home, ".config/anet/config.json"))


def odd_files(results, world):
    path = place(world)
    succeeds(results, world, "a good file to begin with")
    for name, content in (("an empty one", ""), ("no lines", "x" * 5000), ("binary", "\0\xff\n\0\n\0\n"),
                          ("an unknown reason", "\n".join(lines(path)[:2] + ["no_such_reason", "x"]) + "\n")):
        with open(path, "w") as file:
            file.write(content)
        before = identity(world)
        succeeds(results, world, "%s does no harm" % name)
        results.ok("... and is replaced", identity(world) != before)
    os.chmod(path, 0o666)
    before = identity(world)
    succeeds(results, world, "one that others can write")
    results.ok("... is not believed", identity(world) != before and os.stat(path).st_mode & 0o777 == 0o600)
    target = world.file("target", "keep")
    os.unlink(path)
    os.symlink(target, path)
    succeeds(results, world, "a symbolic link")
    results.equal("... is not written through", open(target).read(), "keep")
    if world.uid != 0:
        shutil.rmtree(os.path.dirname(path))
        world.file(".cache/anet", "a file where the directory should be")
        succeeds(results, world, "without a place for it")
        os.unlink(os.path.join(world.home, ".cache/anet"))
        runtime = world.directory("xdg", 0o700)
        result = world.anet("true", env={"XDG_RUNTIME_DIR": runtime})
        results.ok("XDG_RUNTIME_DIR comes first", result.status == 0 and os.path.exists(runtime + "/anet/probe") and
                   not os.path.exists(os.path.dirname(path)), result)
        result = world.run([ANET, "run", "--workspace", runtime, "--", "true"], env={"XDG_RUNTIME_DIR": runtime})
        results.ok("... and is no workspace", result.status == 77 and "[never_visible]" in result.errors, result)
    for name in os.listdir(os.path.dirname(path)) if os.path.isdir(os.path.dirname(path)) else ():
        results.lacks("no temporary file is left", name, "probe.")


def short_of(results, world):
    """A caller who has too few descriptors finds nothing out about the machine."""
    if os.path.exists(place(world)):
        os.unlink(place(world))
    result = world.run(["sh", "-c", 'ulimit -n 48; exec "$@"', "sh", *world.argv(["true"])])
    results.contains("too few descriptors", result.errors, "[system]")
    succeeds(results, world, "... and the next one, who has enough")


def failure(results, world):
    """One that is repaired: the cached failure still counts, then doctor asks anew."""
    if os.path.exists(place(world)):
        os.unlink(place(world))
    broken = os.path.join(private.directory, "broken-bwrap")
    with open(broken, "w") as file:
        file.write("#!/bin/sh\necho 'bwrap: broken on purpose' >&2\nexit 1\n")
    os.chmod(broken, 0o755)
    before = tree.snapshot("/tmp", "/var/tmp", skip=(private.directory,))
    private.mount(broken, BWRAP, flags=private.MS_BIND)
    first = world.anet("true")
    results.ok("a failing probe refuses", first.status == 69 and "[sandbox_start_failed]" in first.errors and
               "broken on purpose" in first.errors, first)
    second = world.anet("true")
    results.ok("... and so does its cached result, which says its age", second.status == 69 and
               "seconds ago" in second.errors and "broken on purpose" in second.errors, second)
    private.unmount(BWRAP)
    results.equal("nothing is left behind", tree.difference(before, tree.snapshot("/tmp", "/var/tmp",
                                                                                  skip=(private.directory,))), [])
    # Another bwrap: other inode, so another key.
    succeeds(results, world, "with the real one it runs")


def test(results):
    for world in worlds():
        for part in (success, odd_files, short_of, failure):
            with results.under("as %s: " % world.user):
                part(results, world)


product_test(test)

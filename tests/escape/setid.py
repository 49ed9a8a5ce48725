#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A run leaves no setuid or setgid file behind, whichever call it uses, and
gains nothing from one that is there (attacks on shared workspaces)."""
import os
import shutil
import stat
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from attack import HOST, attempt, build  # noqa: E402
from harness import private, product_test, worlds  # noqa: E402

SETUID, SETGID = 0o4755, 0o2755
# The kernel uses the low 16 bits of a mode.
HIGH = (1 << 32) + (7 << 16)

CALLS = ["chmod", "fchmod", "fchmodat", "fchmodat2", "creat", "open", "openat", "tmpfile", "openat2", "mknod",
         "mknodat"]


def special_files(top):
    found = []
    for directory, names, files in os.walk(top):
        for name in names + files:
            path = os.path.join(directory, name)
            info = os.lstat(path)
            if not stat.S_ISLNK(info.st_mode) and info.st_mode & (stat.S_ISUID | stat.S_ISGID):
                found.append("%s %o" % (path, info.st_mode))
    return found


def clean(world):
    for name in ("setid-file", "setid-directory"):
        path = os.path.join(world.workspace, name)
        shutil.rmtree(path, ignore_errors=True)
        if os.path.lexists(path):
            os.unlink(path)


def attempt_and_look(results, world, name, argv, expect):
    """The run may think what it likes: what lies on the disk counts."""
    attempt(results, world, name, argv, HOST, expect)
    # The control leaves its own; so once more, inside only.
    clean(world)
    inside = world.anet(*argv)
    results.equal(name + ": nothing on the disk", special_files(world.workspace), [], inside)


def test(results):
    for world in worlds():
        with results.under("as %s: " % world.user):
            program = build(world)
            for call in CALLS:
                expect = "ENOSYS" if call == "openat2" else "EPERM"
                for bits, mode in (("setuid", SETUID), ("setgid", SETGID), ("setuid, high bits set", SETUID | HIGH)):
                    if call == "openat2" and mode > 0o7777:
                        continue  # openat2 refuses unknown bits by itself
                    attempt_and_look(results, world, "%s: a %s file" % (call, bits),
                                     [program, "setid-" + call, str(mode)], expect)
            clean(world)
            attempt_and_look(results, world, "chmod: a setgid directory", [program, "setid-directory", str(SETGID)],
                             "EPERM")
            clean(world)
            inside = world.anet(program, "setid-mkdir", str(SETGID))
            results.contains("mkdir: a setgid directory", inside.text, "EPERM")
            clean(world)

            if not private.is_root:
                results.skip("a setuid program gives nothing", "only root can make one for the test")
                continue
            os.chown(program, 0, 0)
            os.chmod(program, 0o6755)
            if world.user == "user":
                attempt(results, world, "a program of root with the setuid bit gives nothing", [program, "euid"])
            else:
                inside = world.anet(program, "euid")
                results.contains("a program of root with the setuid bit gives nothing", inside.text, "refused")
            os.unlink(program)


product_test(test)

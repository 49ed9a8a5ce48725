# SPDX-License-Identifier: LGPL-2.1-or-later
"""Attempts to get out of a run, each beside a control.

An attempt is a program that says with its exit status whether it got what it
wanted (tests/escape/attack/attack.h): 0 achieved, 1 refused, 77 there is no such
thing.  It runs twice, as the same account, with the same files: once as its
control, where it must succeed (else the test could not fail), and once in
`anet run`, where it must not.
"""
import glob
import os
import shutil
import subprocess

import private
from tap import Skip
from world import has

ACHIEVED, REFUSED, NOT_HERE = 0, 1, 77
SIGSYS_STATUS = 128 + 31

# Where a control runs:
HOST = "host"  # as the account is, without any sandbox
BWRAP = "bwrap"  # plain bubblewrap: a PID namespace of its own, /proc and /dev
CAPS = "caps"  # unshare(1): new namespaces with every capability in them
ROOT = "root"  # the host's root


def plain_bwrap(*options, command, workspace=None):
    """bubblewrap without anything of ours, as somebody would use it by hand."""
    return ["bwrap", "--bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--die-with-parent",
            *options, *(("--chdir", workspace) if workspace else ()), *command]


def build(world):
    """The attack program, compiled once and copied into the workspace."""
    built = os.path.join(private.directory, "attack")
    if not os.path.exists(built):
        if not has("cc"):
            raise Skip("this machine has no C compiler")
        sources = sorted(glob.glob(os.path.join(private.TREE, "tests", "escape", "attack", "*.c")))
        subprocess.run(["cc", "-O1", "-static", "-Wall", "-Wextra", "-o", built, *sources], check=True)
    target = os.path.join(world.workspace, "attack")
    shutil.copy(built, target)
    return world.own(target)


def control(world, where, argv):
    if where == HOST:
        return world.run(argv)
    if where == BWRAP:
        return world.run(plain_bwrap("--unshare-pid", command=argv))
    if where == CAPS:
        return world.run(["unshare", "--map-root-user", "--mount", "--pid", "--fork", "--mount-proc", "--uts",
                          "--ipc", "--net", "--cgroup", *argv])
    assert where == ROOT
    if not private.is_root:
        raise Skip("the control needs root")
    return as_root(world, argv)


def as_root(world, argv):
    process = subprocess.run(argv, cwd=world.workspace, env=dict(world.env), stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    from world import Result
    return Result(process.returncode, process.stdout, process.stderr, 0.0)


def attempt(results, world, name, argv, where=HOST, expect=None, options=(), **popen):
    """One attempt and its control.  `expect`: what the refusal must say (an
    errno), where the contract fixes it."""
    try:
        outside = control(world, where, argv)
    except Skip as skip:
        return results.skip(name, str(skip))
    if outside.status == NOT_HERE:
        return results.skip(name, outside.text.strip().removeprefix("not here: "))
    if outside.status != ACHIEVED:
        return results.fail(name + " (control)", "the control must succeed:\n%r" % outside)
    inside = world.anet(*argv, options=options, **popen)
    # It must have been tried: a run that did not start proves nothing.
    tried = "refused" in inside.text or "not here" in inside.text or inside.status == SIGSYS_STATUS
    stopped = tried and inside.status in (REFUSED, NOT_HERE, SIGSYS_STATUS) and "achieved" not in inside.text
    if stopped and expect is not None:
        stopped = expect in inside.text
    return results.ok(name, stopped, "expected %s, inside it was\n%r" % (expect or "a refusal", inside))


def attempt_shell(results, world, name, script, where=HOST, **keywords):
    """The same with a shell script: it exits with 0 if it got what it wanted."""
    return attempt(results, world, name, ["sh", "-c", "if (%s); then echo achieved; else echo refused; exit 1; fi" % script], where, **keywords)

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Nothing of the caller's descriptors reaches a run: whatever they are, its 0, 1
and 2 are pipes or a pty of the supervisor, and there are no others (SPEC S2.9)."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from attack import plain_bwrap  # noqa: E402
from harness import product_test, worlds  # noqa: E402

SECRET = "a line that was in the file before"


def both(results, world, name, script, is_stopped, **popen):
    """Runs the script in plain bubblewrap, where the attack must succeed, and
    in anet; is_stopped(result) tells."""
    script = "echo begun; " + script
    control = world.run(plain_bwrap("--unshare-all", command=["sh", "-c", script]), **popen)
    if not results.ok(name + " (control)", not is_stopped(control), control):
        return
    inside = world.run(world.argv(["sh", "-c", script]), **popen)
    results.ok(name, "begun" in inside.text and is_stopped(inside), inside)


def descriptors(results, world):
    """Descriptors that the caller left open."""
    secret = world.file("secret", SECRET, 0o600)
    read_end, write_end = os.pipe()
    root = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
    os.set_inheritable(root, True)
    high = os.open(secret, os.O_RDWR)
    os.dup2(high, 9)
    os.dup2(root, 200)
    script = "cat /proc/self/fd/9"  # opened anew: the control does not use up the offset
    both(results, world, "an inherited file on descriptor 9", script, lambda result: SECRET not in result.text,
         pass_fds=(9, 200, write_end))
    both(results, world, "an inherited directory on descriptor 200",
         "cd /proc/self/fd/200/home && ls", lambda result: result.status != 0, pass_fds=(9, 200, write_end))
    inside = world.anet("/usr/bin/python3", "-c", "import os; print([n for n in range(3, 1024)"
                        " if os.path.exists('/proc/self/fd/%d' % n)])", pass_fds=(9, 200, write_end))
    results.equal("no descriptor above 2 is open", inside.text, "[]\n", inside)
    for descriptor in (high, 9, 200, root, read_end, write_end):
        os.close(descriptor)


def directories(results, world):
    """`anet run < /`: the host's root through /proc/self/fd/0."""
    # A file of the host's that no sandbox shows by itself.
    os.makedirs("/home/bob", exist_ok=True)
    world.file("hidden/marker", "found the host")
    path = os.path.join(world.home, "hidden")
    script = "echo begun; cat /proc/self/fd/0/marker"
    with_directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    control = world.run(plain_bwrap("--tmpfs", "/home", "--unshare-all", command=["sh", "-c", script]),
                        stdin=with_directory, cwd="/")
    results.ok("standard input is a directory (control)", "found the host" in control.text, control)
    inside = world.run(world.argv(["sh", "-c", script]), stdin=with_directory)
    results.ok("standard input is a directory", "begun" in inside.text and "found the host" not in inside.text, inside)
    script = "exec 7>&%d; test -e /proc/self/fd/7/marker || exit 44"
    for number, stream in ((1, "stdout"), (2, "stderr")):
        name = "%s is a directory" % stream
        streams = dict(stdin=subprocess.DEVNULL, **{stream: with_directory})
        control = world.run(plain_bwrap("--tmpfs", "/home", "--unshare-all", command=["sh", "-c", script % number]),
                            cwd="/", **streams)
        results.ok(name + " (control)", control.status == 0, control)
        inside = world.run(world.argv(["sh", "-c", script % number]), **streams)
        results.equal(name, inside.status, 44, inside)
    os.close(with_directory)


def files(results, world):
    """Reopening through /proc/self/fd gives more than the descriptor had."""
    log = world.file("caller.log", SECRET + "\n", 0o600)

    def content():
        with open(log) as file:
            return file.read()

    def reset():
        with open(log, "w") as file:
            file.write(SECRET + "\n")

    for number, stream in ((1, "stdout"), (2, "stderr")):
        for what, script, gone in (
                ("is read back", "exec 7>&%d; timeout 1 cat /proc/self/fd/7 > out 2>/dev/null; cat out >&7; exit 0" % number,
                 lambda: content().count(SECRET) == 1),
                ("is truncated", "(: > /proc/self/fd/%d); exit 0" % number, lambda: SECRET in content())):
            name = "%s of the caller is a file and %s" % (stream, what)
            outcome = {}
            for where, argv in (("control", plain_bwrap("--unshare-all", command=["sh", "-c", script])),
                                ("anet", world.argv(["sh", "-c", script]))):
                reset()
                with open(log, "a") as file:
                    last = world.run(argv, **{stream: file})
                outcome[where] = gone()
            if results.ok(name + " (control)", not outcome["control"]):
                results.ok(name, last.status == 0 and outcome["anet"], (last, content()))
    for where, argv_of in (("control", lambda command: plain_bwrap("--unshare-all", command=command)),
                           ("", world.argv)):
        reset()
        with open(log) as file:
            last = world.run(argv_of(["sh", "-c", "(echo overwritten > /proc/self/fd/0); exit 5"]), stdin=file)
        name = "stdin of the caller is a file and is overwritten"
        if where:
            results.ok(name + " (control)", SECRET not in content(), content())
        else:
            results.ok(name, last.status == 5 and content() == SECRET + "\n", (last, content()))


def kinds(results, world):
    """What the three are inside."""
    script = ("import os, stat\n"
              "print(*(stat.S_ISFIFO(os.fstat(n).st_mode) for n in (0, 1, 2)))\n"
              "print(os.fstat(0).st_ino != os.fstat(1).st_ino != os.fstat(2).st_ino)\n")
    with open(world.file("out"), "w+") as out:
        world.run(world.argv(["/usr/bin/python3", "-c", script]), stdin=out, stdout=out, stderr=out)
        out.seek(0)
        text = out.read()
    result = world.sh("echo out > /dev/stdout; echo err > /dev/stderr; echo more > /proc/self/fd/1; exit 3")
    results.ok("/dev/stdout and /dev/stderr work as scripts use them",
               (result.status, result.text) == (3, "out\nmore\n") and "err\n" in result.errors, result)
    results.ok("0, 1 and 2 are pipes, though the caller's are one file",
               "True True True\nTrue\n" in text, text)


def test(results):
    for world in worlds():
        with results.under("as %s: " % world.user):
            descriptors(results, world)
        with results.under("as %s: " % world.user):
            directories(results, world)
        with results.under("as %s: " % world.user):
            files(results, world)
        with results.under("as %s: " % world.user):
            kinds(results, world)


product_test(test)

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Standard input reaches the agent whole and ends when the caller's ends, and
odd descriptors and signal dispositions of the caller do no harm."""
import hashlib
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import product_test, worlds  # noqa: E402


def input_streams(results, world):
    data = bytes(range(256)) * 8000
    result = world.anet("sha256sum", input=data)
    results.equal("2 MB through a pipe", result.text.split()[:1], [hashlib.sha256(data).hexdigest()], result)
    results.equal("an empty pipe is an end of file", world.anet("cat", input=b"").out, b"")
    results.equal("/dev/null is an end of file", world.anet("cat", stdin=subprocess.DEVNULL).status, 0)
    path = world.file("input", "from a file\n")
    with open(path) as file:
        results.equal("a file", world.anet("cat", stdin=file).text, "from a file\n")

    process = world.begin("sh", "-c", "read a; echo got $a; read b; echo got $b; exit 6", stdin=subprocess.PIPE)
    process.stdin.write(b"one\n")
    process.stdin.flush()
    first = process.stdout.readline()
    process.stdin.write(b"two\n")
    process.stdin.flush()
    second = process.stdout.readline()
    results.equal("a dialogue", (first, second, process.wait(20)), (b"got one\n", b"got two\n", 6))

    process = world.begin("true", stdin=subprocess.PIPE)
    begin = time.monotonic()
    try:
        status = process.wait(20)
    except subprocess.TimeoutExpired:
        status = "timeout"
        process.kill()
        process.wait()
    results.equal("an input that stays open and silent keeps nobody", status, 0)
    results.note("%.2f s" % (time.monotonic() - begin))

    process = world.begin("sleep", "0.3", stdin=subprocess.PIPE)
    try:
        process.communicate(b"x" * 3000000, timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    results.equal("input that nobody reads", process.returncode, 0)


def closed_descriptors(results, world):
    for closed in ([0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]):
        name = "descriptors %s closed" % ", ".join(map(str, closed))
        marker = os.path.join(world.workspace, "marker")
        if os.path.exists(marker):
            os.unlink(marker)
        script = "read x; echo out; echo err >&2; echo ran > marker; exit 3"
        pid = os.fork()
        if pid == 0:
            try:
                os.chdir(world.workspace)
                null = os.open("/dev/null", os.O_RDWR)
                for number in (0, 1, 2):
                    os.dup2(null, number)
                os.closerange(3, 256)
                if world.identity():
                    os.setgroups([])
                    os.setresgid(world.gid, world.gid, world.gid)
                    os.setresuid(world.uid, world.uid, world.uid)
                for number in closed:
                    os.close(number)
                argv = world.argv(["sh", "-c", script])
                os.execve(argv[0], argv, world.env)
            finally:
                os._exit(99)
        _, status = os.waitpid(pid, 0)
        with open(marker) if os.path.exists(marker) else open("/dev/null") as file:
            content = file.read()
        results.equal(name, (os.waitstatus_to_exitcode(status), content), (3, "ran\n"))


def dispositions(results, world):
    """As from a daemon, a Python program or `nohup`."""
    def odd():
        for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGALRM):
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_SETMASK, set(range(1, 65)))

    result = world.run(world.argv(["sh", "-c", "cat; exit 9"]), input=b"text", preexec_fn=odd, restore_signals=False)
    results.equal("SIGCHLD, SIGPIPE and others ignored, everything blocked", (result.status, result.out),
                  (9, b"text"), result)
    script = "grep -E '^Sig(Blk|Ign)' /proc/self/status"
    result = world.run(world.argv(["sh", "-c", script]), preexec_fn=odd, restore_signals=False)
    fields = dict(line.split(":\t") for line in result.text.splitlines())
    results.equal("the agent has no blocked signals", int(fields.get("SigBlk", "1"), 16), 0, result)
    results.equal("the agent has no ignored signals", int(fields.get("SigIgn", "1"), 16), 0, result)

    result = world.run(world.argv(["sh", "-c", "umask; ulimit -c"]), preexec_fn=lambda: os.umask(0o077))
    results.ok("an odd umask does no harm", result.status == 0, result)


def test(results):
    for world in worlds():
        for part in (input_streams, closed_descriptors, dispositions):
            with results.under("as %s: " % world.user):
                part(results, world)


product_test(test)

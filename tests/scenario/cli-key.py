#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The key comes from the variable or else from a file that nobody else can read,
and is nowhere that a run, another process or a message shows."""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ANET, PLACEHOLDER, private, process, product_test, wait_for, worlds  # noqa: E402

SECRET = "sk-ant-never-to-be-seen-0123456789"
FILE = ".config/anet/credentials/anthropic"
# In the place of Claude Code: shows its environment and then waits as long as its last argument says.
CLAUDE = "#!/bin/sh\nenv; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n'\necho ready; for last; do :; done; exec sleep \"$last\"\n"


def run(world, *words, **popen):
    return world.run([ANET, "run", "--agent", "claude", "--", *words], **popen)


def sources(results, world):
    def taken(name, **popen):
        result = run(world, "0", **popen)
        results.ok("taken: " + name, result.status == 0 and "ANTHROPIC_API_KEY=" + PLACEHOLDER in result.text and
                   SECRET not in result.text + result.errors, result)

    def refused(name, code, *parts, **popen):
        result = run(world, "0", **popen)
        missing = [part for part in ("[%s]" % code,) + parts if part not in result.errors]
        results.ok("refused: " + name, result.status == 78 and not missing and not result.out and
                   SECRET not in result.errors, "missing %r\n%r" % (missing, result))

    refused("none", "no_api_key", "ANTHROPIC_API_KEY", FILE)
    refused("an empty variable", "no_api_key", env={"ANTHROPIC_API_KEY": ""})
    taken("the variable", env={"ANTHROPIC_API_KEY": SECRET})
    refused("a variable with a blank", "credential_unsafe", "ANTHROPIC_API_KEY", env={"ANTHROPIC_API_KEY": SECRET + " x"})
    refused("a variable too long", "credential_unsafe", "512", env={"ANTHROPIC_API_KEY": SECRET * 20})
    for mode in (0o600, 0o400):
        path = world.file(FILE, SECRET + "\n", mode)
        taken("a file of mode %o" % mode)
    for mode in (0o640, 0o604, 0o660, 0o644):
        os.chmod(path, mode)
        refused("a file of mode %o" % mode, "credential_unsafe", FILE, "mode")
    os.chmod(path, 0o644)
    taken("the variable comes before the file", env={"ANTHROPIC_API_KEY": SECRET})
    for name, content in (("empty", ""), ("two lines", SECRET + "\nx\n"), ("blanks", " " + SECRET + "\n"),
                          ("too long", SECRET * 20)):
        world.file(FILE, content, 0o600)
        refused("a file with " + name, "credential_unsafe", FILE, "one line")
    os.unlink(path)
    world.file("elsewhere", SECRET + "\n", 0o600)
    os.symlink(os.path.join(world.home, "elsewhere"), path)
    refused("a symbolic link", "credential_unsafe", FILE, "symbolic link")
    os.unlink(path)
    os.mkfifo(path, 0o600)
    world.own(path)
    refused("a FIFO", "credential_unsafe", FILE, "regular file")
    os.unlink(path)
    if private.is_root:
        world.file(FILE, SECRET + "\n", 0o600)
        os.chown(path, 12345, 12345)
        refused("somebody else's file", "credential_unsafe", FILE)
        os.unlink(path)


def nowhere(results, world):
    """While the session runs: no environment, no command line, no file shows it."""
    running = world.start([ANET, "run", "--agent", "claude", "--", "60"], env={"ANTHROPIC_API_KEY": SECRET})
    seen = b""
    while b"ready" not in seen:
        piece = os.read(running.stdout.fileno(), 65536)
        if not piece:
            break
        seen += piece
    results.ok("the run is there", b"ready" in seen, running.stderr.read() if b"ready" not in seen else "")
    os.unlink(os.path.join(world.home, "elsewhere"))
    results.ok("the run does not see it", SECRET.encode() not in seen)
    pids = [running.pid] + process.descendants(running.pid)
    wait_for(lambda: process.named(running.pid, "anet-upstream"), 5)
    found = [process.name(pid) for pid in pids for part in ("environ", "cmdline", "status")
             if SECRET.encode() in process.read(pid, part)]
    results.equal("no process of the session shows it", found, [])
    files = [os.path.join(where, name) for root in ("/tmp", "/run", "/var/tmp", "/dev/shm", world.home)
             for where, _, names in os.walk(root) for name in names]
    texts = [path for path in files if os.path.isfile(path) and not path.startswith((private.directory, private.TREE)) and
             os.path.getsize(path) < 1 << 20 and SECRET.encode() in open(path, "rb").read()]
    results.equal("no file has it", texts, [])
    running.terminate()
    running.communicate(timeout=15)
    time.sleep(0.1)


def test(results):
    for world in worlds():
        world.file(".local/bin/claude", CLAUDE, 0o755)
        with results.under("as %s: " % world.user):
            sources(results, world)
            nowhere(results, world)


product_test(test)

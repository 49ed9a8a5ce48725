#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: alone timeout=240
"""Standard output and error arrive unmixed and undelayed, whole however large
they are and however slowly somebody reads (SPEC S2.9)."""
import hashlib
import os
import re
import select
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import product_test, worlds  # noqa: E402

DELAY_BOUND = 0.25  # s; generous for a busy machine, far below any buffering by time

TICKER = """
import sys, time
for n in range(5):
    stream = (sys.stdout, sys.stderr)[n % 2]
    stream.write("tick %d %.6f\\n" % (n, time.time()))
    stream.flush()
    time.sleep(0.4)
"""

BLOCK = b"0123456789abcdef" * 4096


def unmixed(results, world):
    result = world.sh("echo to stdout; echo to stderr >&2; echo more; echo more errors >&2")
    results.equal("stdout", result.text, "to stdout\nmore\n")
    own = [line for line in result.errors.splitlines() if not line.startswith(("anet: ", "      "))]
    results.equal("stderr", own, ["to stderr", "more errors"], result)
    result = world.sh("printf '\\000\\377\\033[31m\\r\\n\\001'")
    results.equal("bytes as they are", result.out, b"\0\xff\x1b[31m\r\n\x01")
    out = world.file("both")
    with open(out, "w+b") as file:
        world.run(world.argv(["sh", "-c", "echo 1; sleep 0.2; echo 2 >&2; sleep 0.2; echo 3"]), stdout=file,
                  stderr=file)
        file.seek(0)
        lines = [line for line in file.read().decode().split() if line.isdigit()]
    results.equal("one file for both keeps the order", lines, ["1", "2", "3"])


def undelayed(results, world):
    process = world.begin("/usr/bin/python3", "-c", TICKER)
    late, seen = [], 0
    streams = {process.stdout: b"", process.stderr: b""}
    while streams:
        ready, _, _ = select.select(list(streams), [], [], 20)
        if not ready:
            break
        for stream in ready:
            data = os.read(stream.fileno(), 65536)
            if not data:
                del streams[stream]
                continue
            for sent in re.findall(rb"tick \d ([\d.]+)", data):
                seen += 1
                late.append(time.time() - float(sent))
    process.wait()
    results.ok("every line at once, whichever stream", seen == 5 and max(late) < DELAY_BOUND,
               "delays in s: %r" % late)
    results.note("largest delay %.1f ms" % (max(late, default=0) * 1000))


def large(results, world):
    """100 MB, checked by their sum."""
    count = 100 * 1024 * 1024 // len(BLOCK)
    script = ("import sys, hashlib\nb = b'0123456789abcdef' * 4096\nh = hashlib.sha256()\n"
              "for n in range(%d):\n    c = n.to_bytes(8, 'big') + b[8:]\n    h.update(c)\n"
              "    sys.stdout.buffer.write(c)\nsys.stdout.flush()\nsys.stderr.write(h.hexdigest())\n" % count)
    process = world.begin("/usr/bin/python3", "-c", script)
    digest, length = hashlib.sha256(), 0
    while True:
        data = process.stdout.read(1 << 20)
        if not data:
            break
        digest.update(data)
        length += len(data)
    errors = process.stderr.read().decode()
    status = process.wait()
    results.equal("100 MB: length", length, count * len(BLOCK))
    results.ok("100 MB: content", digest.hexdigest() in errors and status == 0, errors)


def slow_reader(results, world):
    """Nobody reads for a while: the run waits, nothing is lost, and stderr goes on."""
    script = ("head -c 3000000 /dev/zero | tr '\\0' x & "
              "sleep 0.7; echo still here >&2; wait; echo end >&2")
    process = world.begin("sh", "-c", script)
    text, begin = b"", time.monotonic()
    while b"still here" not in text and time.monotonic() - begin < 15:
        ready, _, _ = select.select([process.stderr], [], [], 1)
        if ready:
            text += os.read(process.stderr.fileno(), 4096)
    results.contains("stderr flows while stdout is stuck", text.decode(), "still here")
    length = 0
    while True:
        data = os.read(process.stdout.fileno(), 50000)
        if not data:
            break
        length += len(data)
        if length < 1000000:
            time.sleep(0.02)
    results.equal("a slow reader gets everything", length, 3000000)
    results.equal("... and the exit status", process.wait(20), 0)
    process.stderr.close()
    process.stdout.close()


def reader_goes(results, world):
    """`anet run -- yes | head -1`"""
    process = subprocess.run(["sh", "-c", '("$@"; echo "status $?" >&2) | head -n 1', "sh", *world.argv(["yes"])],
                             cwd=world.workspace, env=world.env, capture_output=True, timeout=30, **world.identity())
    results.equal("a reader that goes away ends the writer: output", process.stdout, b"y\n")
    results.contains("... by SIGPIPE, as without anet", process.stderr.decode(), "status 141")


def test(results):
    for world in worlds():
        for part in (unmixed, undelayed, large, slow_reader, reader_goes):
            with results.under("as %s: " % world.user):
                part(results, world)


product_test(test)

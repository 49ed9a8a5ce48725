#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""anet-probe tells all of its assertions, and outside of a sandbox that they do
not hold: what always succeeds would assert nothing."""
import os
import socket
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from gateway import helper_path
from tap import run_test

NAMES = ["loopback", "host_tcp", "host_abstract", "vsock", "keyring", "userns", "io_uring", "ptrace", "mount",
         "setid", "tiocsti", "i386", "x32", "caps", "proc_masked"]


def probe(*arguments):
    return subprocess.run([helper_path("anet-probe"), *arguments], capture_output=True, text=True, timeout=60)


def test(results):
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as abstract:
        name = b"anet-test-%d-\xff" % os.getpid()
        abstract.bind(b"\0" + name)
        abstract.listen()
        run = probe(str(tcp.getsockname()[1]), name.hex())
    lines = [line.split(" ", 2) for line in run.stdout.splitlines()]
    told = {line[0]: line[1] for line in lines if len(line) > 1}
    results.equal("exit status", run.returncode, 0)
    results.equal("all assertions, in order", [line[0] for line in lines], NAMES)
    results.ok("each ok or failed with a detail",
               all(line[1:] == ["ok"] or line[1] == "failed" and len(line) == 3 for line in lines), run.stdout)
    results.equal("nothing else", run.stderr, "")
    results.equal("the loopback here works", told.get("loopback"), "ok")
    # These need no right and no kernel feature to fail.
    for name in ("host_tcp", "host_abstract", "setid", "tiocsti", "proc_masked"):
        results.equal(name + " does not hold outside", told.get(name), "failed", run.stdout)

    run = probe("1", b"anet-nobody".hex())
    told = dict(line.split(" ")[:2] for line in run.stdout.splitlines())
    results.equal("a port that is not open is not reached", told.get("host_tcp"), "ok")
    results.equal("nor a socket that is not there", told.get("host_abstract"), "ok")

    for what, arguments in (("no arguments", ()), ("one argument", ("80",)), ("port 0", ("0", "61")),
                            ("port 65536", ("65536", "61")), ("no port", ("80x", "61")), ("no hexadecimal", ("80", "6g")),
                            ("half a byte", ("80", "616")), ("no name", ("80", "")), ("a long name", ("80", "61" * 108))):
        run = probe(*arguments)
        results.equal(what, (run.returncode, run.stdout), (64, ""))


run_test(test)

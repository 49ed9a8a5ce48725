#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A run types nothing into a terminal, its own or the caller's, however the
request is spelt (TIOCSTI, TIOCLINUX, TIOCSETD)."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from attack import attempt, build  # noqa: E402
from harness import Terminal, product_test, worlds  # noqa: E402

HIGH_BITS = ("0", "1", "0x80000000")


def caller_terminal(results, world, program, high):
    """With a shell waiting behind the run on the same terminal."""
    name = "TIOCSTI on the caller's terminal, high bits %s" % high

    def try_it(argv):
        terminal = Terminal(argv, cwd=world.workspace, env=world.env, **world.identity())
        status = terminal.wait(30)
        text = terminal.read(0.2)
        terminal.close()
        return status, text

    status, text = try_it([program, "tiocsti-caller", high])
    if status == 77:
        return results.skip(name, "this kernel has no TIOCSTI for others")
    if not results.ok(name + " (control)", status == 0 and "achieved" in text, text):
        return None
    status, text = try_it(world.argv([program, "tiocsti-caller", high]))
    return results.ok(name, status == 1 and "EPERM" in text, (status, text))


def test(results):
    for world in worlds():
        with results.under("as %s: " % world.user):
            program = build(world)
            for request in ("tiocsti", "tioclinux", "tiocsetd"):
                for high in HIGH_BITS:
                    attempt(results, world, "%s on a terminal of its own, high bits %s" % (request.upper(), high),
                            [program, request, high], expect="EPERM")
            for high in HIGH_BITS:
                caller_terminal(results, world, program, high)


product_test(test)

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The caller gets the agent's own exit status, 128+n for a signal, and 126, 127
as from a shell (SPEC S2.9)."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import product_test, worlds  # noqa: E402


def test(results):
    for world in worlds():
        with results.under("as %s: " % world.user):
            for status in (0, 1, 3, 77, 126, 255):
                result = world.sh("exit %d" % status)
                results.equal("exit status %d" % status, result.status, status, result)
            for name, number in (("TERM", 15), ("KILL", 9), ("SEGV", 11), ("PIPE", 13), ("INT", 2), ("SYS", 31)):
                result = world.sh("kill -%s $$" % name)
                results.equal("a death by SIG%s is 128+%d" % (name, number), result.status, 128 + number, result)
            results.equal("true", world.anet("true").status, 0)
            results.equal("false", world.anet("false").status, 1)

            result = world.anet("no-such-program-anywhere")
            results.equal("a command that is not there", result.status, 127, result)
            results.contains("... is named", result.errors, "no-such-program-anywhere")
            results.contains("... with its reason", result.errors, "[command_not_found]")
            world.file("work/not-executable", "#!/bin/sh\n", 0o644)
            result = world.anet("./not-executable")
            results.equal("a file that cannot be executed", result.status, 126, result)
            results.contains("... with its reason", result.errors, "[command_not_executable]")
            world.file("work/script", "#!/bin/sh\nexit 5\n", 0o755)
            result = world.anet("./script")
            results.equal("a script of the workspace", result.status, 5, result)
            result = world.anet("sh", "-c", "printf '%s.' \"$@\"", "sh", "a b", "", "c\nd", "--", "$x", "\\")
            results.equal("arguments arrive as they are", result.text, "a b..c\nd.--.$x.\\.", result)
            result = world.anet("printf", "%s", "x" * 120000)
            results.equal("an argument of 120 kB", len(result.out), 120000)
            # The last process to hold the output is not the agent: its end is
            # the end of the run.
            result = world.sh("sleep 60 & exit 4", timeout=20)
            results.ok("a process left behind does not keep the run alive",
                       result.status == 4 and result.seconds < 15, result)


product_test(test)

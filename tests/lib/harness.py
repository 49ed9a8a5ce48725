# SPDX-License-Identifier: LGPL-2.1-or-later
"""All that a test of the installed product needs, in one import.

    #!/usr/bin/env python3
    \"\"\"The agent's exit status is anet's.\"\"\"
    import os, sys
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
    from harness import product_test, worlds

    def test(results):
        for world in worlds():
            with results.under("as %s: " % world.user):
                results.equal("exit status", world.sh("exit 3").status, 3)

    product_test(test)
"""
import private
import process
import tree
from model import ENDPOINT, PLACEHOLDER, Model
from tap import Results, Skip, run_test
from terminal import Terminal
from world import (ANET, HELPER_NAMES, HELPERS, KEY, PATIENCE, Result, World, has, require_product, wait_for,
                   worlds)

__all__ = ["ANET", "ENDPOINT", "HELPERS", "HELPER_NAMES", "KEY", "Model", "PATIENCE", "PLACEHOLDER", "Result",
           "Results", "Skip", "Terminal", "World", "has", "private", "process", "product_test", "run_test", "tree",
           "wait_for", "worlds"]


def product_test(function, keep=(), overlays=()):
    """Runs function(results) on a machine of its own (private.py) with the
    installed product; `keep` and `overlays` as private.enter()."""

    def inside(results):
        require_product()
        if not has("bwrap"):
            raise Skip("bubblewrap is not installed")
        private.enter(keep, overlays)
        function(results)

    run_test(inside)

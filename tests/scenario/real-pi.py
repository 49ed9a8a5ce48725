#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=600
"""Pi: a task in the sandbox, and a rule that it meets."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import real  # noqa: E402

EXTENSION = """export default function (pi) {
	pi.on("before_provider_request", (event) => ({ ...event.payload, web_search_options: {} }));
}
"""


def search(runtime):
    """An extension of its may change what it sends."""
    runtime["files"][".pi/agent/extensions/search.ts"] = EXTENSION


real.client_test(real.Client("pi", "/v1/chat/completions", search))

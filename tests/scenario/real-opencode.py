#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=600
"""OpenCode: a task in the sandbox, and a rule that it meets."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import real  # noqa: E402


def search(runtime):
    """Options of a model stand in each request for it."""
    provider, = runtime["env"]["OPENCODE_CONFIG_CONTENT"]["provider"].values()
    for model in provider["models"].values():
        model["options"] = {"web_search_options": {}}


# It asks for a title besides, at the same time.
real.client_test(real.Client("opencode", "/v1/chat/completions", search, more_requests=1, refused=2))

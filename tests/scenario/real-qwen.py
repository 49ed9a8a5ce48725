#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=600
"""Qwen Code: a task in the sandbox, and a rule that it meets."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import real  # noqa: E402


def search(runtime):
    runtime["files"][".qwen/settings.json"]["model"] = {"generationConfig": {"extra_body": {"web_search_options": {}}}}


real.client_test(real.Client("qwen", "/v1/chat/completions", search))

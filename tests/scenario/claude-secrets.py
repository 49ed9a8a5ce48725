#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: alone timeout=400
"""What Claude Code's tools can find out in a session: the scripted model has
them look for the key everywhere, and what they found comes back to the service."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import claude  # noqa: E402
from harness import KEY, PLACEHOLDER, Model, private, run_test, worlds  # noqa: E402
from world import require_product  # noqa: E402

LOOK = [
    "env; cat /proc/self/environ | tr '\\0' '\\n'",
    "for p in /proc/[0-9]*; do tr '\\0' '\\n' < $p/environ; tr '\\0' ' ' < $p/cmdline; done 2>/dev/null; true",
    "timeout 30 grep -rlaF -D skip \"$(printf '%%s%%s' '%s' '%s')\" /etc /run /tmp /home /var . 2>/dev/null; true"
    % (KEY[:20], KEY[20:]),
    "ls -la ~ ~/.ssh /root /home /run /var/run; cat ~/.claude.json; ls -la /proc/*/fd; true",
    "cat %s/.ssh/id_ed25519 %s/.netrc; true",
]


def results_of_tools(requests):
    """The text of all tool results in what was sent."""
    texts = []
    for record in requests:
        for message in record["body"].get("messages", []):
            content = message.get("content")
            for block in content if isinstance(content, list) else []:
                if block.get("type") == "tool_result":
                    texts.append(json.dumps(block.get("content")))
    return texts


def test(results):
    require_product()
    modules = claude.native()
    private.enter([modules], overlays=("/opt", "/usr"))
    with Model(cwd="/") as model:
        for world in worlds():
            with results.under("as %s: " % world.user):
                claude.provide(world, modules)
                world.file(".ssh/id_ed25519", "THE OPERATOR'S OTHER SECRET", 0o600)
                world.file(".netrc", "THE OPERATOR'S OTHER SECRET", 0o600)
                commands = LOOK[:-1] + [LOOK[-1] % (world.home, world.home)]
                model.script = [{"shell": command} for command in commands] + [{"text": "I looked."}]
                first = len(model.requests())
                result = claude.ask(world, "Look around")
                requests = model.requests()[first:]
                results.equal("it looked", (result.status, result.text), (0, "I looked.\n"), result)
                found = results_of_tools(requests)
                text = "\n".join(found)
                results.contains("its tools ran", text, "ANTHROPIC_BASE_URL=http://127.0.0.1:8118")
                results.contains("they saw the placeholder", text, PLACEHOLDER)
                bodies = json.dumps([record["body"] for record in requests])
                # The command itself holds it in two pieces only.
                results.lacks("no key in anything that was sent", bodies, KEY)
                results.lacks("no other secret", bodies, "THE OPERATOR'S OTHER SECRET")
                results.lacks("no key on standard output and error", result.text + result.errors, KEY)


run_test(test)

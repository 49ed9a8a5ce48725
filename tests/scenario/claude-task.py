#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: alone timeout=400
"""The real Claude Code does a task in the sandbox and reaches its model only
through the gateway (issue 2, "Real input")."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import claude  # noqa: E402
from harness import KEY, Model, private, process, run_test, worlds  # noqa: E402
from world import require_product  # noqa: E402


def session(results, world, model, modules):
    claude.provide(world, modules)
    model.cwd = world.workspace
    requests = claude.task(world, results, model, "task")
    claude.check_requests(results, "task", requests, "claude-haiku-5-5")
    results.equal("nothing else was asked of the service",
                  {record["path"].split("?")[0] for record in model.records} -
                  {"/v1/messages", "/v1/messages/count_tokens"}, set())
    results.equal("nothing is left", process.show(process.left_after([])), "")

    world.agent("reviewer", {"runtime": "claude", "model": "sonnet", "limits": {"output_tokens": 2000}})
    first = len(model.requests())
    result = claude.ask(world, "Create hello.txt", agent="reviewer")
    requests = model.requests()[first:]
    results.equal("an agent with a model: status", result.status, 0, result)
    results.equal("... its alias becomes the id", {record["body"]["model"] for record in requests},
                  {"claude-sonnet-5-5"})
    results.ok("... and its output length holds", all(record["body"]["max_tokens"] <= 2000 for record in requests),
               [record["body"]["max_tokens"] for record in requests])

    if world.user == "root":
        return  # it refuses to skip its questions as root, and there is no sandbox that hides root from it
    world.agent("free", {"runtime": "claude", "strategy": "host"})
    first = len(model.requests())
    os.unlink(os.path.join(world.workspace, "hello.txt"))
    result = claude.ask(world, "Create hello.txt", agent="free")
    results.equal("without a boundary: status", result.status, 0, result)
    results.ok("... the file is there", os.path.exists(os.path.join(world.workspace, "hello.txt")), result)
    results.equal("... and the operator's key was with each request, and only there",
                  ({value for record in model.requests()[first:] for name, value in record["headers"]
                    if name.lower() == "x-api-key"}, KEY in result.errors + result.text), ({KEY}, False))


def test(results):
    require_product()
    modules = claude.native()
    private.enter([modules], overlays=("/opt", "/usr"))
    with Model(cwd="/") as model:
        for world in worlds():
            with results.under("as %s: " % world.user):
                session(results, world, model, modules)


run_test(test)

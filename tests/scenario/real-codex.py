#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=600
"""Codex: a task in the sandbox, rules and limits that it meets, and its attempt at a
WebSocket."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import real  # noqa: E402


def search(runtime):
    """Of a model that it does not know it offers the service's own search in `tools`."""
    runtime["arguments"] += ["-c", 'web_search="live"', "-c", 'model="some-model"']


def alone(results, world, _):
    """without anet"""
    path, = [name for name in world.env["PATH"].split(":") if os.path.exists(name + "/codex")]
    with real.ModelStub(cwd=world.workspace, script=[{"text": "Done."}]) as model:
        arguments = [word.replace("${ENDPOINT}", "http://127.0.0.1:%d" % model.port).replace("${MODEL}", real.MODEL)
                     for word in real.load("codex")["arguments"]]
        result = world.run([path + "/codex", *arguments, "exec", "--", "hello"], env={"OPENAI_API_KEY": real.PLACEHOLDER},
                           timeout=real.SECONDS)
        found = real.identifying(model.records)
        results.ok("it tells the service what identifies", {real.PLACEHOLDER, real.REMOTE, "installation", "/work", "metadata",
                                                            "session", "thread"} <= set(found), (found, result))


def limit(results, world, model):
    """a limit"""
    model.cwd, model.script = world.workspace, [{"shell": "true"}] * 10
    model.records.clear()
    real.configure(world, "small", "codex", limits={"requests": 2})
    result = real.ask(world, "small")
    results.equal("two requests went out", len(model.requests("/v1/responses")), 2, result)
    results.ok("it ends with a failure", result.status not in (0, "timeout"), result)
    results.contains("it shows the sentence", real.shown(result), "anet: the session has used all its model requests")
    results.equal("it does not ask again", real.refused_requests(result), 1, result)


def built_in_provider(runtime):
    runtime["arguments"] = ["-c", 'openai_base_url="${ENDPOINT}/v1"', "-c", 'model="${MODEL}"', "-c", "analytics.enabled=false",
                            "-c", "features.plugins=false"]
    runtime["env"] = {"CODEX_API_KEY": "${PLACEHOLDER_KEY}"}


def websocket(results, world, model):
    """its own provider, which tries a WebSocket first"""
    model.cwd, model.script = world.workspace, real.SCRIPT
    model.records.clear()
    real.variant("codex", "builtin", built_in_provider)
    real.configure(world, "builtin", "builtin")
    result = real.ask(world, "builtin")
    results.equal("the task", (result.status, result.text.splitlines()[-1:]), (0, ["Done: hello.txt is written."]), result)
    results.equal("one attempt is refused", real.refused_requests(result), 1, result)
    results.contains("... as what it is", result.errors, "[http_upgrade]")
    records = model.requests("/v1/responses")
    results.equal("all requests are plain ones", [record["method"] for record in records], ["POST"] * len(real.SCRIPT), result)
    real.check_requests(results, records)


real.client_test(real.Client("codex", "/v1/responses", search), alone, limit, websocket)

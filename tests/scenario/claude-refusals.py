#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: alone timeout=400
"""How Claude Code takes a refusal: it shows the sentence and does not ask again
and again."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import claude  # noqa: E402
from harness import Model, private, run_test, worlds  # noqa: E402
from world import require_product  # noqa: E402


def web_search(results, world, model):
    """The side call of its WebSearch tool is refused; the session goes on."""
    model.script = [{"tool": "WebSearch", "args": {"query": "what is new"}, "force": True}, {"text": "I cannot search."}]
    model.records.clear()
    result = claude.ask(world, "Search the web for what is new", "--output-format", "stream-json", "--verbose")
    results.equal("web search: the session ends well", result.status, 0, result)
    asked = [record for record in model.requests()
             if any((tool.get("type") or "").startswith("web_search") for tool in record["body"].get("tools") or [])]
    results.equal("web search: the side call never leaves", asked, [])
    results.contains("web search: the refusal's sentence is shown", result.text + result.errors,
                     "anet: tools that run at the model service are not allowed")
    results.ok("web search: no storm", len(model.requests()) <= 6, len(model.requests()))


def budget(results, world, model):
    world.agent("small", {"runtime": "claude", "limits": {"requests": 2}})
    model.script = [{"shell": "true"}] * 10 + [{"text": "done"}]
    model.records.clear()
    result = claude.ask(world, "Work on", agent="small")
    results.equal("budget: two requests went out", len(model.requests()), 2)
    results.contains("budget: its sentence is shown", result.text + result.errors,
                     "anet: the session has used all its model requests")
    results.ok("budget: at once", result.seconds < 40, result.seconds)


def bad_key(results, world, model):
    model.script = [{"text": "done"}]
    model.records.clear()
    model.faults = [{"fault": "status", "status": 401, "times": 0}]
    result = claude.ask(world, "Anything")
    model.faults = []
    results.contains("a key that the service refuses: the sentence is shown", result.text + result.errors,
                     "anet: the model service refused the operator's API key")
    results.ok("... without a storm", 1 <= len(model.requests()) <= 3 and result.seconds < 40,
               (len(model.requests()), result.seconds))


def no_service(results, world):
    """Nobody listens at api.anthropic.com.  That may pass, so Claude Code tries
    again, as long as it is not told to try less."""
    world.agent("impatient", {"runtime": "claude", "env": {"CLAUDE_CODE_MAX_RETRIES": "1"}})
    result = claude.ask(world, "Anything", agent="impatient")
    results.ok("no service: it ends and says so", result.status not in (0, "timeout") and
               "anet: the model service cannot be reached" in result.text + result.errors, result)


def test(results):
    require_product()
    modules = claude.native()
    private.enter([modules], overlays=("/opt", "/usr"))
    for world in worlds()[-1:]:
        claude.provide(world, modules)
        with Model(cwd="/") as model:
            for part in (web_search, budget, bad_key):
                part(results, world, model)
        no_service(results, world)


run_test(test)

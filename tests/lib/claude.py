# SPDX-License-Identifier: LGPL-2.1-or-later
"""The real Claude Code, from npm."""
import json
import os
import shutil

import npm
import private
from model import PLACEHOLDER
from tap import Skip
from world import KEY, PATIENCE, has

VERSION = npm.PACKAGES["claude"][1]

# What it may send on (SPEC S6.6); the same list as the gateway's, written down
# a second time on purpose.
BETA_FLAGS = {
    "claude-code-20250219", "interleaved-thinking-2025-05-14", "context-management-2025-06-27", "effort-2025-11-24",
    "prompt-caching-scope-2026-01-05", "extended-cache-ttl-2025-04-11", "thinking-token-count-2026-05-13",
    "fine-grained-tool-streaming-2025-05-14", "token-efficient-tools-2025-02-19",
    "mid-conversation-system-2026-04-07", "mid-conversation-tool-changes-2026-07-01",
    "thinking-display-updates-2026-08-18"}

# A session of a program of 400 MB on a busy machine.
SECONDS = 4 * PATIENCE


def native():
    """Before private.enter(): the network is needed."""
    return os.path.join(npm.install("claude"), "node_modules")


def script():
    if not has("node"):
        raise Skip("there is no node")
    return os.path.join(npm.install("claude-script"), "node_modules")


def place(world, modules, target):
    """Makes a tree of the account's own at `target` (below its home, or system
    wide) out of the packages, without copying 400 MB."""
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if not os.path.isdir(target):
        shutil.copytree(modules, target, symlinks=True, copy_function=link)
    return target


def link(source, target):
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def program(modules):
    """What npm puts behind the name `claude`."""
    return os.path.realpath(os.path.join(modules, ".bin", "claude"))


def provide(world, modules):
    """Installed where this account finds it: for the whole machine by root (the
    test needs private.enter(overlays=("/opt", "/usr"))), else in the home."""
    prefix, name = ("/opt/claude", "/usr/local/bin/claude") if private.is_root else (
        os.path.join(world.home, ".local/lib"), os.path.join(world.home, ".local/bin/claude"))
    where = place(world, modules, os.path.join(prefix, "node_modules"))
    os.makedirs(os.path.dirname(name), exist_ok=True)
    if not os.path.lexists(name):
        os.symlink(program(where), name)


def ask(world, prompt, *options, env=None, agent="claude", **popen):
    """`anet run --agent claude -- -p PROMPT`, as a person would."""
    argv = world.argv(["-p", prompt, "--dangerously-skip-permissions", *options], ["--agent", agent])
    return world.run(argv, env=dict({"ANTHROPIC_API_KEY": KEY}, **(env or {})), timeout=SECONDS, **popen)


def task(world, results, model, name, check_file=True):
    """The task of SPEC's scenario: a file appears, the text is on stdout."""
    hello = os.path.join(world.workspace, "hello.txt")
    if os.path.exists(hello):
        os.unlink(hello)
    first = len(model.requests())
    result = ask(world, "Create hello.txt with a greeting and list the folder")
    results.equal(name + ": exit status", result.status, 0, result)
    results.equal(name + ": the final text is on stdout", result.text, "Done: hello.txt is written.\n", result)
    content = open(hello).read() if os.path.exists(hello) else None
    results.equal(name + ": the file is there", content, "hello from the stub\n")
    if content and private.is_root:
        info = os.lstat(hello)
        results.equal(name + ": and belongs to the workspace's owner", (info.st_uid, info.st_gid),
                      (world.uid, world.gid))
    requests = model.requests()[first:]
    results.ok(name + ": the service was asked", len(requests) >= 3, len(requests))
    return requests


def check_requests(results, name, requests, wanted_model):
    """What may leave the machine."""
    def header(record, wanted):
        return [value for key, value in record["headers"] if key.lower() == wanted]

    results.equal(name + ": the real key, once in each request",
                  {tuple(header(record, "x-api-key")) for record in requests}, {(KEY,)})
    results.equal(name + ": no other credential",
                  [value for record in requests for value in header(record, "authorization")], [])
    results.equal(name + ": the pinned model", {record["body"].get("model") for record in requests}, {wanted_model})
    tokens = [record["body"].get("max_tokens") for record in requests]
    results.ok(name + ": max_tokens of at most 8192", all(isinstance(n, int) and 0 < n <= 8192 for n in tokens), tokens)
    flags = {flag.strip() for record in requests for value in header(record, "anthropic-beta")
             for flag in value.split(",")}
    results.equal(name + ": only beta flags of the list", flags - BETA_FLAGS, set())
    results.equal(name + ": all header fields are anet's", {key.lower() for record in requests for key, _ in record["headers"]},
                  {"host", "user-agent", "accept-encoding", "accept", "anthropic-version", "anthropic-beta", "x-api-key",
                   "content-type", "content-length"})
    everything = json.dumps([[record["headers"], record["body"]] for record in requests])
    results.equal(name + ": nothing that identifies",
                  [text for text in (PLACEHOLDER, "device_id", "account_uuid", "claude-cli/") if text in everything], [])
    kinds = {tool.get("type") for record in requests for tool in record["body"].get("tools") or []}
    results.ok(name + ": only client tools", kinds <= {None, "custom"}, kinds)
    return flags

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=240
"""What cannot be is refused before anything starts: with a sentence that names
the object, a reason code, a remedy and an exit status, and never by a weaker
boundary."""
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ANET, HELPERS, HELPER_NAMES, private, product_test, worlds  # noqa: E402


def refused(results, world, name, argv, code, status, *parts, **popen):
    marker = os.path.join(world.workspace, "marker")
    result = world.run(argv, **popen)
    ok = (result.status == status if status is not None else result.status not in (0, "timeout"))
    ok = ok and not os.path.exists(marker) and "[%s]" % code in result.errors and "anet: " in result.errors
    missing = [part for part in parts if part not in result.errors]
    results.ok("refused: " + name, ok and not missing, "missing %r\n%r" % (missing, result))
    if os.path.exists(marker):
        os.unlink(marker)
    return result


def argv_of(*options):
    return [ANET, "run", *options, "--", "sh", "-c", "touch marker"]


def egress(results, world):
    for name, value, code, *parts in (
            ("a port", "example.com:443", "host_invalid", "without port"),
            ("a wildcard", "a.example,*.example.com", "host_invalid", "wildcards"),
            ("nothing", "", "host_invalid", "`none` is the word"),
            ("a word among hosts", "public,a.example", "host_invalid", "stands alone"),
            ("65 hosts", ",".join("h%d.example" % n for n in range(65)), "host_invalid", "more than 64"),
            ("a service of models.json", "api.openai.com", "egress_model_host", "`--egress`", "models.json"),
            ("another's service", "a.example,llm.example", "egress_model_host", 'agent "other"')):
        path = world.file(".config/anet/agents.d/other.json",
                          '{"runtime": "command", "api_base": "https://llm.example/v1"}', 0o600)
        refused(results, world, "egress: " + name, argv_of("--egress", value), code, 78, *parts)
        os.unlink(path)
    path = world.file(".config/anet/agents.d/free.json", '{"runtime": "command", "strategy": "host"}', 0o600)
    refused(results, world, "egress without a boundary", argv_of("--agent", "free", "--egress", "a.example"),
            "egress_unsupported", 69, 'agent "free"')
    os.unlink(path)


def command_line(results, world):
    refused(results, world, "an unknown option", argv_of("--no-such"), "usage", 64, "--no-such")
    refused(results, world, "--workspace without a value", [ANET, "run", "--workspace"], "usage", 64, "--workspace")
    for option in ("--agent", "--workspace", "--egress"):
        refused(results, world, option + " before --", argv_of(option), "usage", 64, "`%s` needs a value" % option)
        refused(results, world, option + " with --", argv_of(option + "=--"), "usage", 64, "`%s` needs a value" % option)
    refused(results, world, "no command", [ANET, "run"], "usage", 64)
    refused(results, world, "an unknown subcommand", [ANET, "rnu"], "usage", 64, "rnu")
    egress(results, world)
    refused(results, world, "an unknown agent", argv_of("--agent", "nobody"), "agent_unknown", 78, "nobody")
    refused(results, world, "a bad agent name", argv_of("--agent", "../x"), "agent_unknown", None, "../x")
    result = world.run([ANET, "run", "--help"])
    results.ok("--help", result.status == 0 and "--workspace" in result.text and not result.err, result)


def configuration(results, world):
    def config(text):
        return world.file(".config/anet/config.json", text, 0o600)

    path = config("{")
    refused(results, world, "broken JSON", argv_of(), "config_invalid", 78, "config.json")
    config('{"sandbocks": {}}')
    refused(results, world, "an unknown key", argv_of(), "config_invalid", 78, "config.json", "sandbocks", "sandbox")
    config('{"limits": {}, "limits": {}}')
    refused(results, world, "a key twice", argv_of(), "config_invalid", 78, "limits")
    config('{"sandbox": {"srt": false}}')
    refused(results, world, "the strategy is off", argv_of(), "strategy_off", 77, "srt")
    config('{"sandbox": {"srt": "yes"}}')
    refused(results, world, "a value of the wrong type", argv_of(), "config_invalid", 78, "srt")
    os.unlink(path)
    if world.user == "user":
        config("{}")
        os.chmod(path, 0)
        if private.is_root:
            refused(results, world, "a file that cannot be read", argv_of(), "config_unreadable", 78, "config.json")
        os.chmod(path, 0o600)
        os.unlink(path)
    os.mkdir(path)
    refused(results, world, "a directory in its place", argv_of(), "config_unreadable", 78, "config.json")
    os.rmdir(path)
    world.file(".config/anet/agents.d/odd.json", '{"runtime": "no-such-runtime"}', 0o600)
    refused(results, world, "an agent of an unknown runtime", argv_of("--agent", "odd"), "agent_unknown", None,
            "no-such-runtime")
    for name in ("LD_PRELOAD", "HTTPS_PROXY", "SSH_AUTH_SOCK", "ANTHROPIC_API_KEY"):
        world.file(".config/anet/agents.d/odd.json", json.dumps({"runtime": "command", "env": {name: "x"}}), 0o600)
        refused(results, world, "the variable " + name, argv_of("--agent", "odd"), "config_invalid", 78, name)
    os.unlink(os.path.join(world.home, ".config/anet/agents.d/odd.json"))


def credentials(results, world):
    world.any_claude()
    refused(results, world, "no API key", argv_of("--agent", "claude"), "no_api_key", 78, "ANTHROPIC_API_KEY")
    path = world.file(".config/anet/credentials/anthropic", "sk-test-in-a-file\n", 0o644)
    result = refused(results, world, "a key file that others can read", argv_of("--agent", "claude"),
                     "credential_unsafe", 78, "credentials/anthropic")
    results.lacks("... which is not shown", result.errors + result.text, "sk-test-in-a-file")
    os.unlink(path)
    os.unlink(os.path.join(world.home, ".local/bin/claude"))
    refused(results, world, "a runtime that is not installed", argv_of("--agent", "claude"), "runtime_not_installed", 69,
            "claude", env={"ANTHROPIC_API_KEY": "sk-long-enough"})


def helpers(results, world):
    """Each in turn; also one that cannot be executed."""
    private.mount(HELPERS, HELPERS, flags=private.MS_BIND)
    copy = os.path.join(private.directory, "helpers")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(HELPERS, copy)
    private.unmount(HELPERS)
    private.mount(copy, HELPERS, flags=private.MS_BIND)
    try:
        for name in HELPER_NAMES:
            # The probe is needed when its cached result is too old.
            if name in ("anet-probe", "anet-gateway", "anet-upstream"):
                continue
            path = os.path.join(HELPERS, name)
            os.rename(path, path + ".away")
            refused(results, world, "%s is missing" % name, argv_of(), "helper_missing", 69, name)
            os.rename(path + ".away", path)
            mode = os.stat(path).st_mode
            os.chmod(path, 0o644)
            refused(results, world, "%s cannot be executed" % name, argv_of(), "helper_missing", 69, name)
            os.chmod(path, mode)
        world.any_claude()
        for name in ("anet-gateway", "anet-upstream"):
            path = os.path.join(HELPERS, name)
            os.rename(path, path + ".away")
            refused(results, world, "%s is missing" % name, world.agent_argv("sh", "-c", "touch marker"),
                    "helper_missing", 69, name, env={"ANTHROPIC_API_KEY": "sk-long-enough"})
            os.rename(path + ".away", path)
        results.equal("with all of them it runs", world.sh("exit 3").status, 3)
    finally:
        private.unmount(HELPERS)


def machine(results, world):
    """The boundary cannot be built."""
    def with_sysctl(name, value, code, *parts):
        path = "/proc/sys/" + name
        if not os.access(path, os.W_OK):
            return results.skip("refused: %s is %s" % (name, value), "this kernel has no such file, or it is not ours")
        with open(path) as file:
            old = file.read()
        forget_probe(world)
        with open(path, "w") as file:
            file.write(value)
        try:
            return refused(results, world, "%s is %s" % (name, value), argv_of(), code, 69, *parts)
        finally:
            with open(path, "w") as file:
                file.write(old)
            forget_probe(world)

    # Only in the user namespace of an ordinary test is this ours to change.
    if not private.is_root:
        with_sysctl("user/max_user_namespaces", "0", "userns_unavailable", "user.max_user_namespaces")

    bwrap = shutil.which("bwrap")
    empty = os.path.join(private.directory, "no-program")
    with open(empty, "w"):
        pass
    os.chmod(empty, 0o644)
    private.mount(empty, bwrap, flags=private.MS_BIND)
    forget_probe(world)
    refused(results, world, "bubblewrap cannot be executed", argv_of(), "no_bwrap", 69, "bwrap")
    private.unmount(bwrap)

    # One that builds no sandbox at all: the probe must tell.
    liar = os.path.join(private.directory, "liar")
    with open(liar, "w") as file:
        file.write("#!/bin/sh\nwhile [ $# -gt 0 ] && [ \"$1\" != -- ]; do shift; done\nshift\nexec \"$@\"\n")
    os.chmod(liar, 0o755)
    private.mount(liar, bwrap, flags=private.MS_BIND)
    forget_probe(world)
    result = world.run(argv_of())
    marker = os.path.join(world.workspace, "marker")
    results.ok("refused: a bubblewrap that isolates nothing", result.status != 0 and not os.path.exists(marker) and
               "anet: " in result.errors, result)
    private.unmount(bwrap)
    forget_probe(world)
    results.equal("with the real one it runs", world.sh("exit 3").status, 3)


def forget_probe(world):
    subprocess.run(["rm", "-rf", "/run/anet/probe", os.path.join(world.home, ".cache/anet")], check=True)


def test(results):
    for world in worlds():
        for part in (command_line, configuration, credentials, helpers, machine):
            with results.under("as %s: " % world.user):
                part(results, world)


product_test(test)

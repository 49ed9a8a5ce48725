#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=240
"""`anet restart` checks the configuration, probes anew, shows what can run and fails
when nothing can; a sandbox that it requires is required until it is called again; and
sessions that run go on."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ANET, HELPERS, private, product_test, worlds  # noqa: E402
import machine  # noqa: E402

SYSTEMCTL = "/usr/bin/systemctl"
TABLE = "/run/anet/strategies.json"
OFF = "sandbox.%s is off on this machine"
CANNOT = 'anet: agent "%s" runs its sessions in the %s strategy, which this machine cannot run: %s [%s]\n'


def restart(world, *options):
    return world.run([ANET, "restart", *options])


def host_runs(world):
    """A run without a boundary, and whether it left its mark."""
    mark = os.path.join(world.workspace, "started")
    if os.path.exists(mark):
        os.unlink(mark)
    result = world.run([ANET, "run", "--agent", "bare", "--", "touch", mark])
    return result, os.path.exists(mark)


def own(world, value):
    return world.file(".config/anet/config.json", value if isinstance(value, str) else json.dumps(value), 0o600)


def cache(world):
    return "/run/anet/probe" if world.uid == 0 else os.path.join(world.env["XDG_RUNTIME_DIR"], "anet/probe")


def shows(results, world):
    before = world.anet("true")
    results.equal("something was probed before", before.status, 0, before)
    old = os.stat(cache(world)).st_ino, os.stat(cache(world)).st_mtime_ns
    result = restart(world)
    results.ok("it succeeds and shows the table", result.status == 0 and "The configuration is valid: " in result.text and
               "microsandbox is not part of this build" in result.text, result)
    results.ok("it probes anew, however fresh the last one is", (os.stat(cache(world)).st_ino, os.stat(cache(world)).st_mtime_ns)
               != old)
    result, found = world.run_json([ANET, "restart"], {})
    results.equal("as JSON", (found.get("schema"), found.get("status"), found.get("can_run"), found.get("new_agent"),
                              found.get("require_sandbox"), found.get("code")),
                  ("anet.restart/1", "ok", True, "host", False, None), result)
    results.equal("... with each strategy", [row["name"] for row in found.get("strategies", [])],
                  ["host", "srt", "microsandbox"], result)


def requires(results, world):
    result, started = host_runs(world)
    results.ok("control: an agent without a boundary runs", result.status == 0 and started, result)
    result = restart(world, "--require-sandbox")
    results.ok("a sandbox is required", result.status == 0 and OFF % "host" in result.text and
               "until the next `anet restart` without --require-sandbox" in result.text, result)
    result, started = host_runs(world)
    results.ok("... that agent is refused, word for word", result.status == 77 and not started and
               CANNOT % ("bare", "host", OFF % "host", "strategy_off") in result.errors, result)
    results.equal("... one in the sandbox runs", world.sh("exit 3").status, 3)
    marker = os.path.join("/run" if world.uid == 0 else world.env["XDG_RUNTIME_DIR"], "anet/require-sandbox")
    _, found = world.run_json([ANET, "config", "show"], {"values": []})
    results.equal("... config show says where it comes from", [(row["value"], row["file"], row["line"]) for row in
                                                             found["values"] if row["key"] == "sandbox.host"],
                  [(False, marker, None)])
    own(world, "{ nonsense")
    result = restart(world)
    results.ok("a configuration that cannot be read refuses", result.status == 78 and "line 1: this is not JSON [config_invalid]" in
               result.errors, result)
    os.unlink(own(world, {}))
    result, started = host_runs(world)
    results.ok("... and then a sandbox still is required", result.status == 77 and not started, result)
    result = restart(world)
    results.equal("without the option it no longer is", result.status, 0, result)
    result, started = host_runs(world)
    results.ok("... and the agent runs again", result.status == 0 and started, result)


def nothing_can_run(results, world):
    own(world, {"sandbox": {"host": False, "srt": False, "microsandbox": False}})
    sentence = "startup refused: no execution strategy can run on this machine (%s)" % "; ".join(
        "%s: %s" % (name, OFF % name) for name in ("host", "srt", "microsandbox"))
    result = restart(world)
    results.ok("the start is refused, word for word", result.status == 69 and "anet: %s [no_strategy]\n" % sentence in
               result.errors, result)
    results.contains("... after the table", result.text, "unavailable")
    result, found = world.run_json([ANET, "restart"], {})
    results.equal("... as JSON", (result.status, found.get("code"), found.get("detail"), found.get("can_run")),
                  (69, "no_strategy", sentence, False), result)
    path = own(world, {"sandbox": {"hots": True}})
    result = restart(world)
    results.ok("a key that is none refuses", result.status == 78 and result.errors.startswith(
        "anet: %s, line 1: `sandbox.hots` is not a key that anet knows; did you mean `host`? [config_invalid]\n" % path) and
        "strategy" not in result.text.split("\n")[-1], result)
    os.unlink(path)
    agent = world.file(".config/anet/agents.d/bad.json", '{"runtime": "command", "colour": 1}', 0o600)
    result = restart(world)
    results.ok("what concerns one agent is told after the table", result.status == 78 and "available" in result.text and
               "`colour` is not a key" in result.errors, result)
    os.unlink(agent)


def goes_on(results, world):
    """Withdrawn while a session runs: that one goes on, the next is refused, until it is offered again."""
    go = os.path.join(world.workspace, "go")
    process = world.start(world.argv(["sh", "-c", "echo up; while [ ! -e go ]; do sleep 0.1; done; echo on; exit 5"]))
    results.equal("a session runs", process.stdout.readline(), b"up\n")
    own(world, {"sandbox": {"srt": False}})
    result = restart(world)
    results.ok("its strategy is withdrawn", result.status == 0 and OFF % "srt" in result.text, result)
    result = world.sh("touch after")
    results.ok("the next one is refused, word for word", result.status == 77 and
               CANNOT % ("command", "srt", OFF % "srt", "strategy_off") in result.errors, result)
    results.ok("... and did not start", not os.path.exists(os.path.join(world.workspace, "after")))
    results.ok("the first one still runs", process.poll() is None)
    with open(go, "w"):
        pass
    out, err = process.communicate(timeout=30)
    results.equal("... to its own end", (process.returncode, out), (5, b"on\n"), err)
    os.unlink(go)
    os.unlink(own(world, {}))
    results.equal("offered again", restart(world).status, 0)
    results.equal("... the next one starts", world.sh("exit 4").status, 4)


def of_the_machine(results, root, user):
    """What root requires holds for everybody."""
    restart(root, "--require-sandbox")
    result, started = host_runs(user)
    results.ok("root requires a sandbox of users", result.status == 77 and not started, result)
    result = restart(user)
    result, started = host_runs(user)
    results.ok("... who cannot take it back", result.status == 77 and not started, result)
    restart(root)
    result, started = host_runs(user)
    results.ok("... root can", result.status == 0 and started, result)
    runtime = user.env.pop("XDG_RUNTIME_DIR")
    result = restart(user, "--require-sandbox")
    results.ok("where there is no place to note it, it is refused", result.status == 71 and "XDG_RUNTIME_DIR is not set" in
               result.errors, result)
    usual = "/run/user/%d" % user.uid
    os.makedirs(usual, 0o700)
    user.own(usual)
    user.env["XDG_RUNTIME_DIR"] = usual
    restart(user, "--require-sandbox")
    user.env.pop("XDG_RUNTIME_DIR")
    result, started = host_runs(user)
    results.ok("it holds where the environment does not name the place", result.status == 77 and not started, result)
    restart(user)
    result, started = host_runs(user)
    results.ok("(control)", result.status == 0 and started, result)
    user.env["XDG_RUNTIME_DIR"] = runtime


def by_systemd(results, root):
    """As root where systemd runs, its unit probes: with what stands in for systemctl."""
    if not os.path.exists(SYSTEMCTL):
        return
    machine.boot_systemd()
    double = os.path.join(private.directory, "systemctl")

    def systemctl(script):
        with open(double, "w") as file:
            file.write("#!/bin/sh\n" + script)
        os.chmod(double, 0o755)

    systemctl('echo "$*" >>/run/asked; exec %s/anet-strategies\n' % HELPERS)
    private.mount(double, SYSTEMCTL, flags=private.MS_BIND)
    result = restart(root)
    with open("/run/asked") as file:
        results.equal("the unit is restarted", file.read(), "restart anet-probe.service\n")
    results.ok("... and its table read", result.status == 0 and os.path.exists(TABLE) and "available" in result.text, result)
    own(root, {})
    systemctl("echo 'Job for anet-probe.service failed.' >&2; exit 1\n")
    with open(TABLE) as file:
        table = json.load(file)
    with open(TABLE, "w") as file:
        json.dump(dict(table, at=table["at"] - 60), file)
    result = restart(root)
    results.ok("a table that it did not write anew is not shown", result.status == 69 and "Job for anet-probe.service failed." in
               result.errors and "STRATEGY" not in result.text.upper().split("VALID")[-1], result)
    systemctl("echo 'Failed to restart anet-probe.service: Unit anet-probe.service not found.' >&2; exit 5\n")
    result = restart(root)
    results.ok("without the unit it probes itself", result.status == 0 and "available" in result.text, result)
    private.unmount(SYSTEMCTL)


def test(results):
    everybody = list(worlds())
    for world in everybody:
        if world.uid:
            world.env["XDG_RUNTIME_DIR"] = world.directory("xdg", 0o700)
        world.agent("bare", {"runtime": "command", "strategy": "host"})
        for part in (shows, requires, nothing_can_run, goes_on):
            with results.under("as %s: " % world.user):
                part(results, world)
    if private.is_root:
        root, user = everybody
        of_the_machine(results, root, user)
        by_systemd(results, root)


product_test(test, overlays=machine.config_overlays() if private.is_root else ())

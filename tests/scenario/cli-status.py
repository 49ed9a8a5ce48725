#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=180
"""anet status says in one screen whether sessions can run and what they do; it
tries nothing, needs no bus, and says what it cannot see."""
import os
import re
import shutil
import socket
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import machine  # noqa: E402
from harness import ANET, HELPERS, Terminal, World, private, product_test, tree, worlds  # noqa: E402

SOCKETS = {"anet-%s.socket" % name: "/run/anet/%s.socket" % name for name in ("gateway", "upstream", "tunnel")}
TABLE = "/run/anet/strategies.json"


def status(world, *words, **popen):
    return world.run([ANET, "status", *words], timeout=10, **popen)


def as_json(world):
    return world.run_json([ANET, "status"], {})


def socket_states(world):
    return {one["unit"]: one["state"] for one in as_json(world)[1].get("sockets", ())}


def bare(results, world):
    """Nothing there: a container, or a machine without the units."""
    before = tree.snapshot(*tree.WATCHED, skip=(private.directory,))
    result, (json_result, value) = status(world), as_json(world)
    changed = tree.difference(before, tree.snapshot(*tree.WATCHED, skip=(private.directory,)))
    results.equal("nothing is changed", changed, [])
    results.equal("exit status", (result.status, json_result.status), (0, 0), result)
    results.equal("its members", sorted(value), sorted(["schema", "version", "systemd", "limits", "probed", "strategies", "sockets",
                                                        "sessions", "uids", "problems"]))
    results.equal("the schema", (value["schema"], value["systemd"]), ("anet.status/1", False))
    results.ok("why there are no limits", all(value["limits"][of]["state"] == "no_cgroup_limits" and
                                               value["limits"][of]["detail"] for of in ("units", "run")), value["limits"])
    results.equal("no socket", socket_states(world), dict.fromkeys(SOCKETS, "absent"))
    results.equal("no strategies, and why", (value["strategies"], [one["code"] for one in value["problems"]]),
                  (None, ["no_strategy"]))
    results.equal("no session", (value["sessions"]["running"], value["uids"]), (0, 65536))
    for word in ("systemd", "limits", "strategies", "sockets", "sessions", "uids"):
        results.ok("the table has " + word, re.search("^%s " % word, result.text, re.MULTILINE), result)
    results.contains("and says what works", result.text, "`anet run` can")


def usage(results, world):
    for name, words, part in (("an argument", ["x"], "`x`"), ("an unknown option", ["--jsn"], "did you mean `--json`?")):
        result = status(world, *words)
        results.ok("refused: " + name, result.status == 64 and part in result.errors and not result.out, result)
    result = status(world, "--help")
    results.ok("--help", result.status == 0 and "--json" in result.text and not result.err, result)


def sockets(results, world):
    listeners = []
    for path in SOCKETS.values():
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        listener.bind(path)
        listeners.append(listener)
    results.equal("there, and nobody listens", socket_states(world), dict.fromkeys(SOCKETS, "silent"))
    listeners[0].listen()
    results.equal("one listens", socket_states(world), dict(dict.fromkeys(SOCKETS, "silent"), **{"anet-gateway.socket": "listening"}))
    for listener in listeners[1:]:
        listener.listen()
    results.equal("all of them", socket_states(world), dict.fromkeys(SOCKETS, "listening"))
    results.ok("in the table", re.search(r"upstream +listening", status(world).text), status(world))
    for listener in listeners:
        listener.close()
    results.equal("they are silent when systemd is gone", socket_states(world), dict.fromkeys(SOCKETS, "silent"))
    results.contains("what to do", status(world).text, "`systemctl enable --now anet-gateway.socket`")


def strategies(results, world):
    shutil.rmtree(TABLE, ignore_errors=True)
    probe = world.run([os.path.join(HELPERS, "anet-strategies")], timeout=60)
    result, value = as_json(world)
    rows = {row["name"]: row for row in value["strategies"] or ()}
    results.equal("all three, in their order", list(rows), ["host", "srt", "microsandbox"], (probe, result))
    results.equal("what can run here", [rows[name]["available"] for name in rows], [True, True, False], rows)
    results.ok("the reason of one that cannot", rows["microsandbox"]["reason"] and rows["microsandbox"]["code"] and
               rows["srt"]["reason"] is None and all(row["boundary"] for row in rows.values()), rows)
    results.ok("when it was probed", re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", value["probed"]), value["probed"])
    text = status(world).text
    results.ok("in the table", re.search(r"srt +available", text) and re.search(r"microsandbox +unavailable", text) and
               re.search(r"probed \d+ s ago", text), text)
    with open(TABLE, encoding="utf-8") as file:
        good = file.read()

    def odd(name, code):
        result, (json_result, value) = status(world), as_json(world)
        results.ok(name, result.status == 0 and json_result.status == 0 and value["strategies"] is None and
                   [one["code"] for one in value["problems"]] == [code] and code in result.text and
                   all(char.isprintable() or char == "\n" for char in result.text), (result, json_result))

    for name, text in (("no JSON", "{"), ("another object", "{}"), ("bytes", "\x1b[2J"), ("a part of it", good[:-20])):
        with open(TABLE, "w", encoding="utf-8") as file:
            file.write(text)
        odd(name, "record_unsafe")
    with open(TABLE, "w", encoding="utf-8") as file:
        file.write(good)
    os.chmod(TABLE, 0o666)
    odd("one that others can write", "record_unsafe")
    os.unlink(TABLE)
    os.mkfifo(TABLE, 0o644)
    odd("a FIFO", "record_unsafe")
    os.unlink(TABLE)


def totals(results, world):
    os.mkdir("/run/anet/sessions")
    for number in range(3):
        machine.Session("agent-n%d" % number, uids=(70000 + 2 * number, 70001 + 2 * number)).state(
            connections=10, connections_open=number, requests=5, request_bytes=1024 * 1024, response_bytes=2048, refused=1,
            tunnels=4, tunnels_open=1, tunnel_sent_bytes=1024, tunnel_received_bytes=4096)
    machine.Session("left-main", uids=(71000, 71001), cgroup="/no-such-group")
    _, value = as_json(world)
    results.equal("together", value["sessions"], {
        "running": 3, "connections_open": 3, "connections": 30, "requests": 15, "request_bytes": 3 * 1024 * 1024,
        "response_bytes": 6144, "tunnels_open": 3, "tunnels": 12, "tunnel_sent_bytes": 3072, "tunnel_received_bytes": 12288,
        "refused": 3, "uids_in_use": 8})
    text = status(world).text
    results.ok("in the table", all(part in text for part in (
        "3 running", "3 of 30 connections open", "15 model requests", "3 refused", "3.0 MiB sent", "6.0 KiB received",
        "3 open", "of 12 to other hosts, 3.0 KiB sent, 12 KiB received", "8 in use")), text)
    os.chmod("/run/anet/sessions", 0o750)
    result, value = as_json(World("user"))
    results.ok("others see the rest", result.status == 0 and value["sessions"] is None and
               "not_permitted" in [one["code"] for one in value["problems"]] and len(value["sockets"]) == 3, result)
    text = status(World("user")).text
    results.ok("... and why not this", "not_permitted" in text and "group `anet`" in text, text)
    with open(os.path.join(private.directory, "subuid"), "w", encoding="utf-8") as file:
        file.write("anet:3000000:100\n")
    for name in ("/etc/subuid", "/etc/subgid"):
        if not os.path.exists(name):
            results.skip("a range of the operator's", "this machine has no %s" % name)
            return
        private.mount(file.name, name, flags=private.MS_BIND)
    results.equal("a range of the operator's", as_json(world)[1]["uids"], 100)
    for name in ("/etc/subuid", "/etc/subgid"):
        private.unmount(name)


def one_screen(results, world):
    world.run([os.path.join(HELPERS, "anet-strategies")], timeout=60)
    for columns in (80, 120):
        terminal = Terminal([ANET, "status"], env=world.env, columns=columns, **world.identity())
        terminal.wait(10)
        text = terminal.read()
        terminal.close()
        lines = re.sub(r"\x1b\[\d*m", "", text).replace("\r", "").splitlines()
        results.ok("it fits into %d columns" % columns, max(len(line) for line in lines) <= columns and len(lines) <= 24, text)
        results.ok("with colours", "\x1b[32mavailable\x1b[0m" in text, text)
    terminal = Terminal([ANET, "status"], env=dict(world.env, NO_COLOR="1"), **world.identity())
    terminal.wait(10)
    results.lacks("not with NO_COLOR", terminal.read(), "\x1b")
    terminal.close()
    results.lacks("nor elsewhere", status(world).text, "\x1b")


def test(results):
    for world in worlds():
        for part in (bare, usage):
            with results.under("as %s: %s: " % (world.user, part.__name__)):
                part(results, world)
    if not private.is_root:
        results.note("only root can make what is looked at")
        return
    machine.boot_systemd()
    for part in (sockets, strategies, totals, one_screen):
        machine.anet_directory()
        with results.under(part.__name__ + ": "):
            part(results, World("root"))
        private.unmount("/run/anet")


product_test(test)

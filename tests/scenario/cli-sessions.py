#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=180
"""anet sessions shows the sessions of units from their records, whatever these
hold: a supervisor may write any number and any text into its own."""
import os
import re
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import machine  # noqa: E402
import records  # noqa: E402
from harness import ANET, Terminal, World, private, product_test, worlds  # noqa: E402

SESSIONS = "/run/anet/sessions"
MAX = 2 ** 64 - 1
MIB = 1024 * 1024


def sessions(world, *words, **popen):
    return world.run([ANET, "sessions", *words], timeout=10, **popen)


def as_json(world):
    return world.run_json([ANET, "sessions"], {"sessions": [], "ended": []})


def clean_text(text):
    """Nothing that a terminal acts on."""
    return all(char.isprintable() or char == "\n" for char in text)


def table(text, heading="SESSION"):
    """The rows below the heading, as {first word: {column: text}}: what stands in a column overlaps its heading."""
    lines = text.splitlines()
    begin = next((i for i, line in enumerate(lines) if line.startswith(heading)), len(lines))
    names = [(match.group(), match.start(), match.end()) for match in re.finditer(r"\S+", lines[begin])] if lines[begin:] else []
    rows = {}
    for line in lines[begin + 1:]:
        if not line:
            break
        cells = [(match.group(), match.start(), match.end()) for match in re.finditer(r"\S+(?: \S+)*", line)]
        rows[cells[0][0]] = {name: next((text for text, first, last in cells if first < end and last > start), "")
                             for name, start, end in names}
    return rows


def nothing(results, world):
    result = sessions(world)
    results.ok("without systemd", result.status == 0 and "systemd does not run here" in result.text and not result.err, result)
    result, value = as_json(world)
    results.equal("as JSON", (result.status, value),
                  (0, {"schema": "anet.sessions/1", "systemd": False, "sessions": [], "ended": []}), result)


def usage(results, world):
    for name, words, part in (("an argument", ["x\x1b"], "`x\\x1b`"), ("an unknown option", ["--jsn"], "did you mean `--json`?")):
        result = sessions(world, *words)
        results.ok("refused: " + name, result.status == 64 and part in result.errors and not result.out, result)
    result = sessions(world, "--help")
    results.ok("--help", result.status == 0 and "--json" in result.text and not result.err, result)


def running(results, world):
    now = int(time.time() * 1000000)
    one = machine.Session("demo-main", instance="demo", uids=(70000, 70001))
    one.state(started_usec=now - 3 * 3600 * 1000000, updated_usec=now, flags=machine.LIMITS_FULL, connections=14,
              connections_open=3, requests=12, count_tokens=2, request_bytes=3 * MIB, response_bytes=300 * 1024, refused=5,
              tunnels_open=2, tunnels=9, tunnel_sent_bytes=2048, tunnel_received_bytes=70 * MIB, growth_bytes=100, growth_entries=7)
    other = machine.Session("longer_name-review_17", uids=(70002, 70003))
    other.state(started_usec=now - 10 * 1000000, updated_usec=now, stage=machine.ENDING)
    machine.Session("young-main", uids=(70004, 70005))
    gone = machine.Session("gone-main", cgroup="/no-such-group")
    gone.state(started_usec=now, updated_usec=now)
    machine.outcome("demo-main", started_usec=now, updated_usec=now)
    result = sessions(world)
    rows = table(result.text)
    results.equal("each session, by name", list(rows), ["demo-main", "gone-main", "longer_name-review_17", "young-main"], result)
    results.equal("what one has used", rows.get("demo-main"),
                  {"SESSION": "demo-main", "AGENT": "demo", "STATE": "running", "BOUNDARY": "srt", "FOR": "3 h", "LIMITS": "full",
                   "CONNECTIONS": "3/14", "REQUESTS": "12", "SENT": "3.0 MiB", "RECEIVED": "300 KiB", "TUNNELS": "2/9",
                   "TUNNELED": "2.0 KiB/70 MiB", "REFUSED": "5", "GROWTH": "100 B"}, result)
    results.equal("states", [rows.get(name, {}).get("STATE") for name in rows], ["running", "gone", "ending", "starting"])
    results.equal("limits that are not there", rows.get("longer_name-review_17", {}).get("LIMITS"), "no_cgroup_limits")
    results.lacks("no outcome of one that runs again", result.text, "ENDED")
    _, value = as_json(world)
    first = value["sessions"][0]
    stamps = [first.pop("started", ""), first.pop("updated", "")]
    results.equal("as JSON", first, {
        "id": "demo-main", "agent": "demo", "unit": "anet-session@demo.service", "state": "running", "runtime": "command",
        "strategy": "srt", "supervisor_uid": 70000, "run_uid": 70000 + 1, "limits": "full", "connections_open": 3, "connections": 14,
        "requests": 12, "count_tokens": 2, "request_bytes": 3 * MIB, "response_bytes": 300 * 1024, "refused": 5,
        "tunnels_open": 2, "tunnels": 9, "tunnel_sent_bytes": 2048, "tunnel_received_bytes": 70 * MIB,
        "growth_bytes": 100, "growth_entries": 7})
    results.ok("times in UTC", all(re.fullmatch(r"\d{4}(-\d\d){2}T\d\d(:\d\d){2}Z", stamp) for stamp in stamps), stamps)
    results.equal("one that has not begun", value["sessions"][3],
                  {"id": "young-main", "agent": "young", "unit": "anet-session@young-main.service", "state": "starting",
                   "runtime": "command", "strategy": "srt", "supervisor_uid": 70004, "run_uid": 70005})


def ended(results, world):
    now = int(time.time() * 1000000)
    machine.outcome("a-main", started_usec=now - 5, updated_usec=now, flags=machine.AGENT_EXITED, agent_status=3 << 8)
    machine.outcome("b-main", started_usec=now - 5, updated_usec=now, flags=machine.AGENT_EXITED, agent_status=9,
                    reason=records.reason("limit_memory"), detail=b"it reached 2147483648 bytes")
    machine.outcome("c-main", updated_usec=now, reason=records.reason("no_bwrap"), detail="a name \\x0a \u00e4".encode())
    rows = table(sessions(world).text)
    results.equal("status and reason", [(row["STATUS"], row["REASON"], row["DETAIL"]) for row in rows.values()],
                  [("3", "ok", ""), ("signal 9", "limit_memory", "it reached 2147483648 bytes"),
                   ("", "no_bwrap", "a name \\x0a \u00e4")], rows)
    _, value = as_json(world)
    results.equal("as JSON", [(one["id"], one["reason"], one["exit_status"], one["signal"], one["detail"])
                              for one in value["ended"]],
                  [("a-main", "ok", 3, None, ""), ("b-main", "limit_memory", None, 9, "it reached 2147483648 bytes"),
                   ("c-main", "no_bwrap", None, None, "a name \\x0a \u00e4")])


HOSTILE = b"\x1b]0;owned\x07\x1b[2J\n\r\tMESSAGE_ID=0 \xff\xfe\xe2\x80\xae\xc2\x9b \x00hidden"


def numbers(results, world):
    counts = ("connections", "connections_open", "requests", "count_tokens", "request_bytes", "response_bytes", "refused",
              "tunnels", "tunnels_open", "tunnel_sent_bytes", "tunnel_received_bytes", "growth_bytes", "growth_entries")
    one = machine.Session("odd-main")
    machine.outcome("old-main", started_usec=MAX, updated_usec=MAX, reason=0xffffffff, flags=0xffffffff, agent_status=-1,
                    detail=HOSTILE, **dict.fromkeys(counts, MAX))
    for name, fields in (("the largest of all", dict(dict.fromkeys(counts, MAX), started_usec=MAX, updated_usec=MAX)),
                         ("a start to come", {"started_usec": 2 ** 60}), ("no start", {}), ("an unknown stage", {"stage": 77}),
                         ("stage 0", {"stage": 0}), ("text without end", {"detail": b"x" * 256}),
                         ("hostile text", {"detail": HOSTILE}), ("every flag", {"flags": 0xffffffff, "reason": 0xffffffff})):
        one.state(**fields)
        result, (json_result, value) = sessions(world), as_json(world)
        results.ok(name, result.status == 0 and json_result.status == 0 and len(value["sessions"]) == 1 and
                   clean_text(result.text) and clean_text(json_result.text) and "odd-main" in table(result.text),
                   (result, json_result))
    old = as_json(world)[1]["ended"][0]
    results.equal("hostile text of an outcome", old["detail"],
                  "\\x1b]0;owned\\x07\\x1b[2J\\x0a\\x0d MESSAGE_ID=0 \\xff\\xfe\\xe2\\x80\\xae\\xc2\\x9b ")
    results.equal("its numbers as they are", (old["requests"], old["reason"], old["ended"]), (MAX, "internal", "?"))


def files(results, world):
    """What is no record is passed over, and holds nobody up."""
    one = machine.Session("odd-main")
    live = one.directory + "/live"
    good = machine.state(requests=7)

    def shown(name, want):
        result, (_, value) = sessions(world), as_json(world)
        found = value["sessions"][0] if value["sessions"] else {}
        got = {key: found.get(key) for key in want}
        results.ok(name, result.status == 0 and got == want and clean_text(result.text), (want, got, result))

    for name, data in (("an empty state", b""), ("a short one", good[:-1]), ("a wrong magic", b"X" + good[1:]),
                       ("a wrong version", machine.state(version=1)), ("a wrong size", machine.state(size=367))):
        one.write("live/state", data)
        shown(name, {"state": "starting", "requests": None})
    one.write("live/state", good + b"more")
    shown("a longer one", {"state": "running", "requests": 7})
    os.unlink(live + "/state")
    elsewhere = os.path.join(private.directory, "state")
    with open(elsewhere, "wb") as file:
        file.write(good)
    os.symlink(elsewhere, live + "/state")
    shown("a link", {"requests": None})
    os.unlink(live + "/state")
    os.mkfifo(live + "/state")
    shown("a FIFO", {"requests": None})
    os.unlink(live + "/state")
    os.mkdir(live + "/state")
    shown("a directory", {"requests": None})
    os.rmdir(live + "/state")
    os.rmdir(live)
    os.symlink(private.directory, live)
    shown("live is a link", {"requests": None})
    os.unlink(live)
    os.mkdir(live)
    one.write("live/state", good)

    for name, data in (("of another session", b"anet-session@other\n/.\n"), ("of another template", b"anet-other@odd\n/.\n"),
                       ("that is no name", b"anet-session@../odd\n/.\n"), ("without lines", b"anet-session@odd"), ("empty", b""),
                       ("too long", b"anet-session@odd\n/" + b"x" * 5000 + b"\n"), ("a NUL", b"anet-session@odd\0\n/.\n")):
        one.write("unit", data)
        shown("a unit " + name, {"unit": None, "requests": 7})
    path = one.write("unit", b"anet-session@odd\n/.\n")
    shown("a good one", {"unit": "anet-session@odd.service"})
    os.chmod(path, 0o644)
    shown("a unit of another mode", {"unit": None})
    os.chmod(path, 0o444)
    os.chown(one.directory + "/policy", private.user_id(), 0)
    shown("somebody else's policy", {"run_uid": None, "unit": "anet-session@odd.service"})
    os.chown(one.directory, private.user_id(), 0)
    shown("somebody else's directory", {"unit": None, "requests": None, "id": "odd-main"})
    os.chown(one.directory, 0, 0)
    for name in ("..x", "a", "a-b-c", "A-b", "a-\x1b", ".hidden-a", "a" * 33 + "-b"):
        os.mkdir(os.path.join(SESSIONS, name))
    result, value = as_json(world)
    results.equal("directories that no session has", [found["id"] for found in value["sessions"]], ["odd-main"], result)


def moving(results, world):
    """Records are replaced, sessions come and go while they are read."""
    end = threading.Event()

    def move():
        count = 0
        while not end.is_set():
            count += 1
            one = machine.Session("moving-main")
            with open(one.directory + "/live/new", "wb") as file:
                file.write(machine.state(requests=count))
            os.rename(one.directory + "/live/new", one.directory + "/live/state")
            if count % 5 == 0:
                for name in ("live/state", "unit", "policy"):
                    os.unlink(os.path.join(one.directory, name))
                os.rmdir(one.directory + "/live")
                os.rmdir(one.directory)

    thread = threading.Thread(target=move)
    thread.start()
    odd = []
    for _ in range(100):
        result, value = as_json(world)
        if result.status != 0 or "schema" not in value or any(one["id"] != "moving-main" for one in value["sessions"]):
            odd.append(result)
    end.set()
    thread.join()
    results.equal("a hundred looks meanwhile", odd, [])
    for number in range(300):
        machine.Session("many-n%d" % number, uids=(80000 + 2 * number, 80001 + 2 * number)).state(requests=1)
    result = sessions(world)
    results.ok("three hundred at once", result.status == 0 and len(table(result.text)) >= 300 and result.seconds < 5, result)


def rights(results, world):
    """0750, group anet."""
    machine.Session("demo-main").state(requests=1)
    user = World("user")
    os.chmod(SESSIONS, 0o750)
    result = sessions(user)
    results.ok("others are told whom to ask", result.status == 77 and "[not_permitted]" in result.errors and
               "group `anet`" in result.errors and "sudo" in result.errors and not result.out, result)
    os.chown(SESSIONS, 0, private.group_id())
    result = sessions(user)
    results.ok("the group sees it", result.status == 0 and "demo-main" in result.text, result)


def shown_on_a_terminal(results, world):
    machine.Session("demo-main").state(requests=1, flags=machine.LIMITS_FULL)
    texts = []
    for env in ({}, {"NO_COLOR": "1"}):
        terminal = Terminal([ANET, "sessions"], env=dict(world.env, **env), **world.identity())
        terminal.wait(10)
        texts.append(terminal.read())
        terminal.close()
    results.ok("colours there, and not with NO_COLOR", "\x1b[32mrunning\x1b[0m" in texts[0] and "\x1b" not in texts[1], texts)
    results.equal("elsewhere none", "\x1b" in sessions(world).text, False)
    results.equal("they do not move a column", re.sub(r"\x1b\[\d*m", "", texts[0]), texts[1])


def test(results):
    for world in worlds():
        for part in (nothing, usage):
            with results.under("as %s: " % world.user):
                part(results, world)
    if not private.is_root:
        results.note("only root can make records of sessions")
        return
    machine.boot_systemd()
    result = sessions(World("user"))
    results.equal("where systemd runs and nothing else", (result.status, result.text), (0, "No session of a unit runs.\n"), result)
    for part in (running, ended, numbers, files, moving, rights, shown_on_a_terminal):
        machine.anet_directory()
        os.mkdir(SESSIONS)
        with results.under(part.__name__ + ": "):
            part(results, World("root"))
        private.unmount("/run/anet")


product_test(test)

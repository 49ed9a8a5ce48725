#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=240
"""anet why SESSION: what a session was refused, while it runs and after it ended, with time, count, sentence, detail
and remedy; who may ask; what a run can do with it."""
import json
import os
import re
import stat
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import machine  # noqa: E402
from harness import ANET, KEY, Model, private, product_test, worlds  # noqa: E402

# Sends each body as often as it is told, says so, and waits for the end of its input.
SENDER = """
import http.client, json, os, sys
for body, times in json.loads(sys.argv[1]):
    for _ in range(times):
        connection = http.client.HTTPConnection("127.0.0.1", 8118, timeout=20)
        try:
            connection.request("POST", "/v1/messages", body.encode(), {"content-type": "application/json"})
            connection.getresponse().read()
        except OSError:
            pass
        connection.close()
print("sent", os.environ["ANET_SESSION"], flush=True)
sys.stdin.read()
"""


def request(**more):
    return json.dumps(dict({"model": "claude-haiku-5-5", "max_tokens": 9, "messages": []}, **more))


SEARCH = request(tools=[{"type": "web_search_20250305", "name": "web_search"}])
ESCAPE = request(**{"x\033[2J": 1})


def directory(world):
    return os.path.join("/run" if world.uid == 0 else world.env["XDG_RUNTIME_DIR"], "anet/refused")


def why(world, *words):
    return world.run([ANET, "why", *words])


def as_json(world, *words):
    return world.run_json([ANET, "why", *words], {})


def begin(world, bodies, agent="claude"):
    """A session that has sent all of them, and its id."""
    run = world.start([ANET, "run", "--agent", agent, "--", "/usr/bin/python3", "-c", SENDER, json.dumps(bodies)],
                      env={"ANTHROPIC_API_KEY": KEY}, stdin=subprocess.PIPE)
    line = run.stdout.readline().split()
    if len(line) != 2:
        raise RuntimeError("no session: %r" % (run.communicate(timeout=30),))
    return run, line[1].decode()


def end(run):
    out, err = run.communicate(timeout=30)
    return run.returncode, out, err


def foreground(results, world):
    run, session = begin(world, [(SEARCH, 3), (ESCAPE, 1), ("{", 2)])
    results.ok("a session that was refused something", re.fullmatch("claude-[a-z0-9]{8}", session), session)
    for now in ("running", "ended"):
        result, (json_result, value) = why(world, session), as_json(world, session)
        results.equal(now + ": exit status", (result.status, json_result.status), (0, 0), result)
        results.equal(now + ": its members", sorted(value), sorted(["schema", "session", "agent", "running", "refused", "forgotten",
                                                                    "refusals"]))
        results.equal(now + ": the session", (value["schema"], value["session"], value["agent"], value["running"], value["refused"]),
                      ("anet.why-session/1", session, "claude", now == "running", 6))
        refusals = {row["code"]: row for row in value["refusals"]}
        results.equal(now + ": each kind once", sorted(refusals), ["json_syntax", "rule_field", "rule_server_tool"])
        row = refusals["rule_server_tool"]
        results.equal(now + ": how often, by whom", (row["count"], row["helper"]), (3, "anet-gateway"))
        results.equal(now + ": in words", (row["sentence"], row["detail"]),
                      ("tools that run at the model service are not allowed", 'tools[0].type is "web_search_20250305"'))
        results.ok(now + ": when", all(re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", row[key]) for key in ("first", "last")) and
                   row["first"] <= row["last"], row)
        results.equal(now + ": the line that allows it", row["configuration"]["line"], '"server_tools": [ "web_search" ]')
        results.ok(now + ": and its file", row["configuration"]["file"].endswith("/agents.d/claude.json"), row)
        results.equal(now + ": what nothing allows", (refusals["rule_field"]["configuration"], refusals["rule_field"]["remedy"][:22]),
                      (None, "no setting allows it: "))
        results.equal(now + ": the last one first", value["refusals"][0]["code"], "json_syntax")
        text = " ".join(result.text.split())
        for part in ("session %s (%s): 6 refused" % (session, now), "3 times since", "rule_server_tool, anet-gateway",
                     'tools[0].type is "web_search_20250305"', '"server_tools": [ "web_search" ]', "no setting allows it"):
            results.contains("%s: the text has %s" % (now, part), text, part)
        results.ok(now + ": what the agent sent does nothing to a terminal", b"\033" not in result.out and b"\033" not in
                   json_result.out and "x\\x1b[2J" in result.text, result)
        if now == "running":
            status, _, err = end(run)
            results.equal("it ends", status, 0, err)
    results.equal("by its agent's name", as_json(world, "claude")[1].get("session"), session)
    path = os.path.join(directory(world), session)
    info = os.stat(path)
    results.equal("its record is its account's", (info.st_uid, stat.S_IMODE(info.st_mode)), (world.uid, 0o640))
    run, quiet = begin(world, [])
    result, value = as_json(world, quiet)
    results.equal("one that was refused nothing", (result.status, value["refused"], value["refusals"], value["running"]), (0, 0, [], True))
    results.contains("in words", why(world, quiet).text, "session %s (running): nothing was refused" % quiet)
    results.equal("the agent's name means the last one now", as_json(world, "claude")[1].get("session"), quiet)
    end(run)


def kinds(results, world):
    """Sixteen different ones are kept, those that were refused last."""
    run, session = begin(world, [(request(**{"field%d" % i: 1}), 1) for i in range(20)] + [(request(field0=1), 1)])
    _, value = as_json(world, session)
    results.equal("how many", (value["refused"], len(value["refusals"]), value["forgotten"]), (21, 16, 5))
    results.equal("the last ones", [row["detail"].split()[0] for row in value["refusals"]],
                  ["field0"] + ["field%d" % i for i in range(19, 4, -1)])
    results.contains("and it says so", why(world, session).text, "and 5 of other kinds before")
    end(run)


def limits(results, world):
    """A limit's remedy is a line with a larger one."""
    path = world.agent("small", {"runtime": "claude", "limits": {"requests": 1, "connections": 4}})
    with Model(cwd=world.workspace):
        run, session = begin(world, [(request(), 3), (request(), 3)], "small")
        status, _, err = end(run)
    _, value = as_json(world, session)
    rows = {row["code"]: row for row in value["refusals"]}
    results.equal("both limits", sorted(rows), ["limit_connections", "limit_requests"], (status, err, value))
    results.equal("how often", (rows["limit_requests"]["count"], rows["limit_connections"]["count"], value["refused"]), (3, 2, 5))
    for code, line in (("limit_requests", '"limits": { "requests": 2 }'), ("limit_connections", '"limits": { "connections": 8 }')):
        results.equal(code + ": the line", rows[code]["configuration"], {"file": path, "line": line})
    run = world.start([ANET, "run", "--agent", "small", "--", "sh", "-c", "echo $ANET_SESSION; exec sleep 60"],
                      env={"ANTHROPIC_API_KEY": KEY})
    session = run.stdout.readline().decode().strip()
    run.terminate()
    end(run)
    results.equal("a session that was stopped was refused nothing", as_json(world, session)[1]["refused"], 0)
    world.agent("short", {"runtime": "command", "limits": {"wall_clock_seconds": 1}})
    result = world.run([ANET, "run", "--agent", "short", "--", "sleep", "60"])
    _, value = as_json(world, "short")
    results.equal("a limit that ended it", [(row["code"], row["helper"]) for row in value["refusals"]],
                  [("limit_wall_clock", "anet-session")], result)


def usage(results, world):
    known = os.listdir(directory(world))[0]
    # Who may not see root's is told that it may be one of those.
    unknown, of = (78, "") if world.uid == 0 else (77, " of this account")
    for name, words, status, part in (
            ("an unknown session", [known[:-1]], unknown, 'no session%s is called "%s"; did you mean `%s`?' % (of, known[:-1], known)),
            ("an unknown agent", ["claudee"], unknown, 'no session%s is called "claudee"; did you mean `claude`?' % of),
            ("no name at all", ["../../etc/passwd"], 78, 'no session is called "../../etc/passwd"'),
            ("an escape", ["\033[2J"], 78, "\\x1b[2J"),
            ("two", ["a", "b"], 64, "asks about a session"),
            ("a session and a path", ["a", "--path", "/"], 64, "asks about a session"),
            ("nothing", [], 64, "`anet why` needs a session, or --path, --host or --request")):
        result = why(world, *words)
        results.ok("refused: " + name, result.status == status and part in result.errors and not result.out and
                   b"\033" not in result.err, result)
    for name, content in (("cut", b"x"), ("of another build", b"\0" * 9999), ("none", None)):
        path = os.path.join(directory(world), "claude-broken00")
        if content is None:
            os.unlink(path)
            os.symlink("/etc/passwd", path)
        else:
            with open(path, "wb") as file:
                file.write(content)
        world.own(path)
        result = why(world, "claude-broken00")
        results.ok("a record that is " + name, result.status == 71 and "cannot be read" in result.errors, result)
    os.unlink(path)


def kept(results, world):
    """Few files stay, and none of a session that lives."""
    run, session = begin(world, [(SEARCH, 1)])
    os.utime(os.path.join(directory(world), session), (1, 1))
    for i in range(70):
        path = os.path.join(directory(world), "old-%04d" % i)
        with open(path, "wb"):
            pass
        os.utime(path, (1000 + i, 1000 + i))
        world.own(path)
    before = len(os.listdir(directory(world)))
    for _ in range(3):
        results.equal("a session", world.anet("true").status, 0)
    names = os.listdir(directory(world))
    results.equal("each made one and removed one", len(names), before)
    results.ok("the oldest went", not {"old-0000", "old-0001", "old-0002"} & set(names) and "old-0003" in names, sorted(names))
    results.equal("but not that of one that lives", as_json(world, session)[1].get("refused"), 1)
    end(run)


def others(results, root, user):
    ids = {}
    for world in (root, user):
        run, ids[world] = begin(world, [(SEARCH, 1)])
        end(run)
    result = why(user, ids[root])
    results.ok("root's is not for everybody", result.status == 77 and "those of root and of units are for root and the group `anet`" in result.errors, result)
    result = why(root, ids[user])
    results.equal("root asks for its own", result.status, 78, result)
    place = user.env.pop("XDG_RUNTIME_DIR")
    result = user.anet("true")
    results.equal("without a place for it a run goes on", result.status, 0, result)
    user.env["XDG_RUNTIME_DIR"] = place


def test(results):
    machine.anet_directory()
    users = worlds()
    for world in users:
        world.any_claude()
        if world.uid:
            world.env["XDG_RUNTIME_DIR"] = world.directory("xdg", 0o700)
        for part in (foreground, kinds, limits, usage, kept):
            with results.under("as %s: %s: " % (world.user, part.__name__)):
                part(results, world)
    if private.is_root:
        with results.under("others: "):
            others(results, *users)


product_test(test)

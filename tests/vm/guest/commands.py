#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=240
"""anet status, sessions and credential on a machine that really runs sessions: what
an operator, a member of the group `anet` and others see."""
import glob
import grp
import json
import os
import pwd
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from service import KEY, Model, set_key  # noqa: E402
from units import CONFIG, RUN_ANET, Session, agent, cursor, journal, run, systemctl, wait_nothing_left, words  # noqa: E402
from vm import ANET, make_account, run_test, wait_for  # noqa: E402

# One model request, then it stays.
PROGRAM = r"""
import http.client, time
c = http.client.HTTPConnection("127.0.0.1", 8118, timeout=100)
c.request("POST", "/v1/messages", '{"model":"m","max_tokens":10,"messages":[{"role":"user","content":"hi"}]}',
          {"content-type": "application/json"})
print("answer", c.getresponse().read()[:0], flush=True)
time.sleep(1000)
"""
SOCKETS = ("anet-gateway.socket", "anet-upstream.socket", "anet-tunnel.socket")


def as_account(name, groups, *argv):
    entry = pwd.getpwnam(name)
    return run(*argv, user=entry.pw_uid, group=entry.pw_gid, extra_groups=groups, cwd="/")


def status_json():
    return json.loads(run(ANET, "status", "--json")[1])


def sessions_json():
    return json.loads(run(ANET, "sessions", "--json")[1])


def status(results):
    value = status_json()
    results.equal("limits of units are full", value["limits"]["units"], {"state": "full", "detail": None})
    rows = {row["name"]: row["available"] for row in value["strategies"] or ()}
    results.equal("srt is available", rows.get("srt"), True, value)
    results.equal("the sockets listen", [(one["unit"], one["state"]) for one in value["sockets"]],
                  [(unit, "listening") for unit in SOCKETS])
    results.equal("no problem", value["problems"], [])
    systemctl("stop", SOCKETS[0])
    results.equal("one that is stopped", [one["state"] for one in status_json()["sockets"]], ["absent", "listening", "listening"])
    systemctl("start", SOCKETS[0])
    _, text = run(ANET, "status")
    results.ok("the table says so too", "full" in text and text.count("listening") == 3, text)
    results.note(text)


def running(results, session):
    value = next((one for one in sessions_json()["sessions"] if one["id"] == session.id), {})
    keys = ("agent", "unit", "state", "limits", "requests", "refused", "runtime")
    results.equal("anet sessions has it", {key: value.get(key) for key in keys},
                  {"agent": "looked_at", "unit": session.unit, "state": "running", "limits": "full", "requests": 1,
                   "refused": 0, "runtime": "demo"}, value)
    results.ok("with its bytes and connections", value.get("request_bytes", 0) > 0 and value.get("response_bytes", 0) > 0 and
               value.get("connections", 0) >= 1, value)
    facts = status_json()["sessions"]
    results.equal("anet status counts it", (facts["running"], facts["requests"], facts["uids_in_use"]), (1, 1, 2), facts)
    member, other = grp.getgrnam("anet").gr_gid, "without"
    make_account(other)
    code, text = as_account(other, [], ANET, "sessions")
    results.ok("others are told to join the group", code == 77 and "[not_permitted]" in text and session.id not in text, text)
    code, text = as_account(other, [member], ANET, "sessions")
    results.ok("a member sees it", code == 0 and session.id in text and "running" in text, text)
    results.note(text)
    code, text = as_account(other, [member], ANET, "status")
    results.ok("and in anet status", code == 0 and "1 running" in text, text)
    code, text = as_account(other, [member], ANET, "credential", "list")
    results.ok("keys of the machine are not his to see", code == 0 and CONFIG not in text, text)


def ended(results, session):
    found = next((one for one in sessions_json()["ended"] if one["id"] == session.id), {})
    results.ok("its end is shown", found.get("reason") and found.get("limits") == "full" and found.get("requests") == 1, found)
    code, text = run(ANET, "sessions")
    results.ok("in the table", code == 0 and "No session of a unit runs." in text and session.id in text, text)
    results.note(text)


def sealed(results):
    """A sealed key is for units alone, and the foreground says so."""
    for path in glob.glob(os.path.join(CONFIG, "credentials*", "*")):
        os.unlink(path)
    set_key(KEY)
    path = os.path.join(CONFIG, "credentials.sealed", "anthropic")
    results.ok("where systemd runs a key is sealed", os.path.exists(path), os.listdir(CONFIG))
    code, text = run(ANET, "run", "--agent", "looked_at", cwd="/tmp")
    results.ok("a run in the foreground is told", code == 78 and "[no_api_key]" in text and path in text, text)


def told_once(results):
    """What ends a program of a unit is a record of that unit, however short it lived, and no text beside it."""
    session = Session("nobody_has_this")
    session.start()
    texts = [words(record) for record in session.records()]
    results.equal("a refusal of the prepare step", (session.reasons().count("agent_unknown"),
                                                    sum("anet:" in text for text in texts)), (1, 0), texts)
    for account in ("root", "without"):
        found = []
        for number in range(5):
            unit = "told-%s-%d.service" % (account, number)
            since = cursor()
            run("systemd-run", "--quiet", "--wait", "--unit=" + unit, "--property=User=" + account, ANET, "rnu")
            # As journalctl -u does.
            records = [record for record in journal(since=since)
                       if record.get("_SYSTEMD_UNIT") == unit or
                       (record.get("_UID"), record.get("OBJECT_SYSTEMD_UNIT")) == ("0", unit)]
            found.append([(record.get("ANET_REASON"), "`rnu`" in words(record)) for record in records])
        results.equal("a command of %s that is refused at once, five times" % account, found, [[("usage", True)]] * 5)


def test(results):
    with Model(script=[{"text": "hello"}]):
        with results.under("anet status: "):
            status(results)
        agent("looked_at", "/usr/bin/python3", "-c", PROGRAM)
        session = Session("looked_at")
        code, text, _ = session.start()
        if results.equal("a session starts", (code, text), (0, ""), session.journalctl()):
            wait_for(lambda: any(one.get("requests") and one.get("response_bytes") for one in sessions_json()["sessions"]))
            running(results, session)
            session.stop()
            results.equal("nothing is left", wait_nothing_left(session), "")
            ended(results, session)
        with results.under("sealed: "):
            sealed(results)
        with results.under("told: "):
            told_once(results)
    results.equal("the directory of sessions is empty", os.listdir(RUN_ANET + "/sessions"), [])


run_test(test)

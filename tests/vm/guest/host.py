#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: suite=trixie timeout=500
"""Sessions without a boundary under systemd: they work as their account and hold no
key of the operator, their endpoint serves nobody else, they are named as what they are,
and they are refused where a sandbox is required."""
import http.client
import json
import os
import pwd
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from service import KEY, Model  # noqa: E402
from units import CONFIG, Session, agent, processes, run, uid_of, wait_nothing_left  # noqa: E402
from vm import ANET, read, run_test, wait_for  # noqa: E402

SETTINGS = os.path.join(CONFIG, "config.json")
OFF = "sandbox.host is off on this machine"
REFUSED = 'agent "%s" runs its sessions in the host strategy, which this machine cannot run: ' + OFF
# Asks the model once, tells what it is and stays until it is asked to end.
AGENT = """
import http.client, json, os, sys, time, urllib.parse
base = urllib.parse.urlsplit(os.environ["ANTHROPIC_BASE_URL"])
body = json.dumps({"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "hello"}]})
c = http.client.HTTPConnection(base.hostname, base.port, timeout=100)
c.request("POST", "/v1/messages", body, {"content-type": "application/json", "anthropic-version": "2023-06-01",
          "x-api-key": os.environ["ANTHROPIC_API_KEY"]})
r = c.getresponse()
with open("facts.new", "w") as f:
    json.dump({"uid": os.getuid(), "groups": os.getgroups(), "home": os.environ["HOME"], "status": r.status,
               "answer": r.read().decode(), "port": base.port, "key": os.environ["ANTHROPIC_API_KEY"], "cwd": os.getcwd(),
               "environment": dict(os.environ), "outside": os.path.isdir("/var/log")}, f)
os.rename("facts.new", "facts")
while not os.path.exists("go"):
    time.sleep(0.3)
print("went on to its end", flush=True)
"""


class HostSession(Session):
    """anet-host@INSTANCE.service"""

    def __init__(self, instance):
        super().__init__(instance)
        self.unit = "anet-host@%s.service" % instance
        self.workspace = os.path.join("/var/cache/anet/work", self.agent, self.interaction)

    def facts(self):
        text = read(os.path.join(self.workspace, "facts"))
        return json.loads(text) if text else {}

    def clear(self):
        for name in ("facts", "go"):
            if os.path.exists(os.path.join(self.workspace, name)):
                os.unlink(os.path.join(self.workspace, name))

    def ends(self):
        with open(os.path.join(self.workspace, "go"), "w"):
            pass
        return self.wait_end()


def settings(value):
    with open(SETTINGS, "w") as file:
        json.dump(value, file)


def ask(port, key):
    """The status that somebody else on the machine gets from an endpoint."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=100)
    headers = {"content-type": "application/json", "anthropic-version": "2023-06-01"}
    connection.request("POST", "/v1/messages", json.dumps({"model": "m", "max_tokens": 5, "messages": [
        {"role": "user", "content": "from outside"}]}), dict(headers, **({"x-api-key": key} if key else {})))
    return connection.getresponse().status


def works(results, model, session, account):
    entry = pwd.getpwnam(account)
    status, text, _ = session.start()
    results.equal("systemctl start", (status, text), (0, ""), session.journalctl())
    if not results.ok("its agent works", wait_for(session.facts), session.journalctl()):
        return {}
    facts = session.facts()
    results.equal("as its account, outside", (facts["uid"], facts["outside"], facts["home"], facts["cwd"]),
                  (entry.pw_uid, True, entry.pw_dir, session.workspace), facts)
    results.equal("what it wrote is that account's", os.stat(os.path.join(session.workspace, "facts")).st_uid, entry.pw_uid)
    results.equal("the model answers", facts["status"], 200, facts)
    results.equal("with the operator's key", set(model.headers("x-api-key")), {KEY})
    results.ok("the run's own key is another, of 256 bits", len(facts["key"]) == 64 and facts["key"] not in
               model.headers("x-api-key"), facts["key"])
    held = [path for pid in session.processes() for path in ("environ", "cmdline") if KEY in read("/proc/%d/%s" % (pid, path))]
    results.equal("the operator's is in no process of the session", (held, KEY in json.dumps(facts["environment"])), ([], False))
    return facts


def is_named(results, session):
    results.contains("systemctl status says what it is", session.status(), "no boundary")
    results.contains("the journal", " ".join(session.reasons()), "no_boundary")
    results.contains("anet sessions", run(ANET, "sessions")[1], "no boundary")
    scope = session.scopes()
    results.ok("its limits are full", session.state() and session.state().full and len(scope) == 1, scope)
    results.equal("... and its agent is in their scope", {uid_of(pid) for pid in processes(scope[0])} if scope else {},
                  {pwd.getpwnam("anet-host").pw_uid})


def serves_nobody_else(results, model, facts):
    before = len(model.requests())
    other = "0" * 64
    for name, key in (("nobody", None), ("somebody with another key", other), ("... with a shorter one", facts["key"][:-1]),
                      ("... with the operator's", KEY)):
        results.equal("the endpoint does not serve " + name, ask(facts["port"], key), 401)
    results.equal("... nothing of it reaches the service", len(model.requests()), before)
    results.equal("control: with the session's key it would", (ask(facts["port"], facts["key"]), len(model.requests())),
                  (200, before + 1))


def wrong_units(results):
    agent("boxed", "/usr/bin/true", runtime="command", strategy="srt")
    for session, right in ((Session("bare"), "anet-host@bare"), (HostSession("boxed-two"), "anet-session@boxed-two")):
        status, text, _ = session.start()
        results.ok(session.unit + " is the wrong one", status not in (0, "timeout") and "wrong_unit" in session.reasons(),
                   (text, session.journalctl()))
        results.contains("... and names the right one", session.said(), "`systemctl start %s`" % right)


def is_refused(results, name, session):
    session.clear()
    status, text, _ = session.start()
    results.ok(name, status not in (0, "timeout"), text)
    results.contains("... word for word", session.said(), REFUSED % session.agent)
    results.equal("... its agent did not start", (session.facts(), session.scopes(), session.state()), ({}, [], None))


def required(results, session):
    """While one runs: that goes on, no other starts."""
    others = [HostSession("bare-two")]
    status, text = run(ANET, "restart", "--require-sandbox")
    results.ok("a sandbox is required", status == 0 and OFF in text, text)
    is_refused(results, "no session starts", others[0])
    status, text = run(ANET, "run", "--agent", "bare")
    results.ok("... nor in the foreground", status == 77 and REFUSED % "bare" in text, text)
    status, text = run(ANET, "restart")
    results.equal("it no longer is", status, 0, text)
    settings({"sandbox": {"host": False}})
    is_refused(results, "sandbox.host: false refuses, without anything else", others[0])
    results.equal("the one that runs goes on", session.active(), "active")
    results.ok("... to its own end", session.ends() and "went on to its end" in session.said(), session.said())
    results.equal("... and leaves nothing", wait_nothing_left(session), "")


def other_account(results, model):
    run("useradd", "--system", "--create-home", "--home-dir", "/var/lib/other-host", "other-host")
    settings({"host": {"user": "other-host"}})
    session = HostSession("moved")
    works(results, model, session, "other-host")
    session.ends()
    settings({"host": {"user": "nobody-of-this-name"}})
    session.clear()
    status, _, _ = session.start()
    results.ok("an account that is not there refuses", status not in (0, "timeout") and "account_missing" in session.reasons() and
               not session.facts(), session.said())
    os.unlink(SETTINGS)


def test(results):
    for name in ("bare", "moved"):
        agent(name, "python3", "-c", AGENT, strategy="host")
    with Model(script=[{"text": "hello"}] * 40) as model:
        session = HostSession("bare")
        facts = works(results, model, session, "anet-host")
        if facts:
            is_named(results, session)
            serves_nobody_else(results, model, facts)
        wrong_units(results)
        required(results, session)
        with results.under("host.user: "):
            other_account(results, model)


run_test(test)

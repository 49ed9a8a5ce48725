#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=600
"""`systemctl start anet-session@demo` from the start to the agent's reply, what
an operator reads of it, and `systemctl stop` in the middle."""
import os
import pwd
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from service import KEY, Model  # noqa: E402
from units import (Session, agent, helpers, mounts, name_of, of_sessions, run, systemctl, uid_of,  # noqa: E402
                   wait_nothing_left)
from vm import read, run_test, wait_for  # noqa: E402

SCRIPT = [{"write": {"path": "hello.txt", "content": "hello from a unit\n"}}, {"shell": "cat hello.txt"},
          {"text": "hello.txt is written and reads as it should."}]
# Processes that do not want to go: in sessions of their own, deaf to SIGTERM, orphans.
STUBBORN = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(1000)
        os._exit(0)
print("stubborn", flush=True)
time.sleep(1000)
"""


def to_the_reply(results, model):
    agent("demo", "python3", "/usr/local/lib/anet-demo/agent.py", "job")
    session = Session("demo")
    before = mounts()
    status, text, seconds = session.start()
    if not results.equal("systemctl start: status", (status, text), (0, "")):
        results.note(session.journalctl())
        return
    results.note("systemctl start took %.1f s" % seconds)
    results.ok("it ends by itself", session.wait_end(), session.status())
    facts = session.properties("ActiveState", "Result", "ExecMainStatus", "NRestarts")
    results.equal("as a success", facts, {"ActiveState": "inactive", "Result": "success", "ExecMainStatus": "0",
                                          "NRestarts": "0"}, session.journalctl())
    said = session.said()
    results.contains("the agent's reply is in the journal", said, SCRIPT[-1]["text"])
    path = os.path.join(session.workspace, "hello.txt")
    results.equal("its file is in the workspace", read(path), "hello from a unit\n")
    if os.path.exists(path):
        results.equal("and belongs to the account anet", os.stat(path).st_uid, pwd.getpwnam("anet").pw_uid)
    results.equal("the service got the operator's key", set(model.headers("x-api-key")), {KEY})
    results.ok("each of the three requests", len(model.requests()) == 3, len(model.requests()))
    readable(results, session)
    results.equal("nothing is left", wait_nothing_left(session), "")
    results.equal("no mount is left", mounts() - before, set())
    results.equal("no helper is left", wait_for(lambda: not helpers()) and {}, {}, helpers())
    outcome = session.outcome()
    results.ok("its outcome is kept", outcome and outcome.stage == "ended" and outcome.exited
               and outcome.agent_status == 0 and outcome.full, outcome and vars(outcome))


def readable(results, session):
    """journalctl -u: helpers' outcomes too, told by the supervisor; -x explains."""
    records = [record for record in session.records() if "ANET_HELPER" in record]
    for helper in ("anet-gateway", "anet-upstream"):
        of_helper = [record for record in records if record["ANET_HELPER"] == helper]
        if not results.ok("journalctl -u shows the outcome of %s" % helper, of_helper, session.journalctl()):
            continue
        last = of_helper[-1]
        results.equal("... with session, agent and reason", [key for key in (
            "ANET_SESSION", "ANET_AGENT", "ANET_REASON", "MESSAGE_ID") if key not in last], [], last)
        results.equal("... of this session", (last.get("ANET_SESSION"), last.get("ANET_AGENT")), ("demo-main", "demo"))
    bytes_out = [record.get("ANET_BYTES_OUT") for record in records]
    results.ok("bytes are told", any(int(number or 0) > 0 for number in bytes_out), bytes_out)
    text = session.journalctl("--output=short")
    results.ok("every line is short", max(map(len, text.splitlines())) < 1000, text)
    results.lacks("no control byte in it", text, "\x1b")
    results.lacks("no key in it", text + session.journalctl("--output=verbose"), KEY)
    told = [record for record in records if record.get("ANET_REASON") not in (None, "ok", "client_gone",
                                                                              "supervisor_gone")]
    results.equal("nothing is complained of", [record.get("MESSAGE") for record in told], [])
    catalog(results, session)


def catalog(results, session):
    ids = sorted({record["MESSAGE_ID"] for record in session.records() if "ANET_REASON" in record})
    results.ok("records have catalog ids", ids)
    for each in ids:
        status, text = run("journalctl", "--no-pager", "--dump-catalog", each)
        results.ok("the catalog knows %s" % each, status == 0 and "Subject:" in text and "anet" in text, text)
    results.contains("journalctl -x explains", session.journalctl("-x"), "░░ ")


def refused_requests(results, model):
    """What the agent was denied is told, and explained."""
    agent("nosy", "python3", "-c", """
import http.client, json, os
c = http.client.HTTPConnection("127.0.0.1", 8118, timeout=60)
c.request("POST", "/v1/messages", json.dumps({"model": "m", "max_tokens": 1, "messages": [],
          "mcp_servers": [{"type": "url", "url": "https://example.com/", "name": "x"}]}),
          {"content-type": "application/json"})
r = c.getresponse()
print("got", r.status, r.read().decode(), flush=True)
""")
    session = Session("nosy-x_1")
    session.start()
    session.wait_end()
    results.contains("the agent was refused", session.said(), "got 403")
    results.contains("the journal has the reason", " ".join(session.reasons()), "rule_mcp")
    results.contains("journalctl -x tells what it means", session.journalctl("-x"),
                     "MCP servers and connectors at the model service are not allowed")
    status, text = run("anet", "why", "nosy-x_1")
    results.ok("anet why tells it, when the session has ended", status == 0 and "rule_mcp, anet-gateway" in text and
               "mcp_servers" in text, (status, text))


def stop_in_the_middle(results, model):
    agent("demo", "python3", "-c", STUBBORN)
    session = Session("demo")
    before = mounts()
    session.start()
    if not results.ok("a session that goes on", session.wait_said("stubborn"), session.journalctl()):
        return
    status = session.status()
    results.contains("systemctl status: active", status, "Active: active (running)")
    line = next((line.strip() for line in status.splitlines() if line.strip().startswith("Status:")), "")
    results.ok("... and says what it is doing", len(line) > len('Status: ""'), status)
    results.note(line)
    state = session.state()
    results.ok("its state can be read", state and state.stage == "running" and state.full, state and vars(state))
    results.ok("anet.slice holds its scope", session.scopes() and "/anet.slice/" in session.scopes()[0], session.scopes())
    uids = {uid for uid, _ in of_sessions().values()}
    results.ok("supervisor and run have a uid each", len(uids) == 2, of_sessions())
    supervisor = session.main_pid()
    results.ok("the supervisor is neither root nor the run", uid_of(supervisor) in uids and
               name_of(supervisor) == "anet-session", (uid_of(supervisor), name_of(supervisor)))
    results.equal("... and has no capability at all", [line for line in read("/proc/%d/status" % supervisor).splitlines()
                  if line.startswith("Cap") and not line.endswith("\t0000000000000000")
                  and not line.startswith("CapBnd")], [])

    inside = {pid: name_of(pid) for path in session.scopes() for pid in
              map(int, read(os.path.join(path, "cgroup.procs")).split())}
    results.ok("the stubborn processes are there", list(inside.values()).count("python3") >= 4, inside)
    # A call of systemctl alone takes most of the time in here.
    begin = time.monotonic()
    systemctl("is-active", session.unit)
    call = time.monotonic() - begin
    begin = time.monotonic()
    stopping = os.spawnvp(os.P_NOWAIT, "systemctl", ["systemctl", "stop", session.unit])
    gone = wait_for(lambda: not any(os.path.isdir("/proc/%d" % pid) for pid in inside), 30)
    seconds = time.monotonic() - begin
    os.waitpid(stopping, 0)
    whole = time.monotonic() - begin
    # What takes milliseconds elsewhere, starting a program, asking PID 1, takes as long as such a call in here.
    results.ok("systemctl stop ends every process of the run within 2 s", gone and seconds < 2 + 4 * call,
               "%.1f s; a call of systemctl takes %.1f s; left: %s" % (seconds, call, session.left()))
    results.note("the run was gone after %.2f s, the unit after %.2f s; a call of systemctl takes %.2f s" %
                 (seconds, whole, call))
    results.equal("nothing is left", wait_nothing_left(session), "")
    results.equal("no mount is left", mounts() - before, set())
    results.equal("no helper is left", wait_for(lambda: not helpers()) and {}, {}, helpers())
    facts = session.properties("ActiveState", "Result")
    results.equal("it was no failure", facts, {"ActiveState": "inactive", "Result": "success"}, session.journalctl())
    outcome = session.outcome()
    results.ok("the outcome says what happened", outcome and outcome.stage == "ended", outcome and vars(outcome))
    agent("demo", "python3", "-c", "import time; print('meek', flush=True); time.sleep(1000)")
    status, text, _ = session.start()
    results.equal("the same can be started again", status, 0, text)
    results.ok("an agent that SIGTERM ends", session.wait_said("meek"), session.journalctl())
    session.stop()
    facts = session.properties("ActiveState", "Result")
    results.equal("stopping it is no failure either", facts, {"ActiveState": "inactive", "Result": "success"},
                  session.journalctl())


def statuses(results, model):
    """What ends how: the operator sees it in the unit."""
    agent("demo", "sh", "-c", "echo to stdout; echo to stderr >&2; exit 3")
    session = Session("demo-three")
    session.start()
    session.wait_end()
    facts = session.properties("ActiveState", "ExecMainStatus", "Result")
    results.equal("an agent's exit status is the unit's", facts,
                  {"ActiveState": "failed", "ExecMainStatus": "3", "Result": "exit-code"}, session.journalctl())
    results.ok("both its streams are in the journal", "to stdout" in session.said() and "to stderr" in session.said(),
               session.journalctl())
    lines = [record for record in session.records() if record.get("MESSAGE") in ("to stdout", "to stderr")]
    results.ok("with a fixed priority each", len({record["PRIORITY"] for record in lines}) in (1, 2) and
               all(int(record["PRIORITY"]) >= 5 for record in lines), lines)
    agent("demo", "python3", "-c", r'print("<0>emergency\x1b[31m\x07", flush=True)')
    session = Session("demo-loud")
    session.start()
    session.wait_end()
    loud = [record for record in session.records() if "emergency" in str(record.get("MESSAGE"))]
    results.ok("a priority that the run writes is text", loud and all(int(record["PRIORITY"]) >= 5 for record in loud),
               loud)
    results.ok("control bytes are escaped", loud and "\x1b" not in str(loud[0]["MESSAGE"]), loud)


def test(results):
    with Model(script=SCRIPT, side_text="Hello.") as model:
        for part in (to_the_reply, stop_in_the_middle, refused_requests, statuses):
            with results.under(part.__name__.replace("_", " ") + ": "):
                part(results, model)


run_test(test)

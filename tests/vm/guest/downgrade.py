#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: suite=bookworm timeout=600
"""Whatever changes while a session starts, its agent runs in the boundary that it was
saved with, or not at all: the agent leaves a mark that tells where it ran."""
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from units import CONFIG, Session, agent, cursor, of_sessions, systemctl  # noqa: E402
from vm import read, run_test, wait_for  # noqa: E402
import records  # noqa: E402

DROP_INS = "/run/systemd/system"
SCRIPTS = "/run/anet-test-scripts"
MARKS = "/srv/anet-test-marks"
SETTINGS = os.path.join(CONFIG, "config.json")
BWRAP, HELPERS = "/usr/bin/bwrap", "/usr/libexec/anet"
# /var/log is there outside and not in the sandbox.
TELLS = "if [ -d /var/log ]; then echo outside; else echo inside; fi >mark"
# As the unit has them, with a step of the test's between or behind.
BETWEEN = """[Service]
ExecStartPre=
ExecStartPre={helpers}/anet-strategies --refresh
ExecStartPre=+/bin/sh {script}
ExecStartPre=+{helpers}/anet-prepare{option} %i
"""
BEHIND = "[Service]\nExecStartPre=+/bin/sh {script}\n"
SET_STRATEGY = """python3 - <<'END'
import os, struct
at, new = {at}, {new}
with open("policy", "rb") as file:
    data = bytearray(file.read())
data[at:at + 2] = struct.pack("=H", new)
with open("p", "wb") as file:
    file.write(data)
os.chmod("p", 0o444)
os.rename("p", "policy")
END
"""
# Ignores what it is asked for, and executes the command that comes after it.
NO_BOUNDARY = """#!/bin/sh
while [ $# -gt 0 ] && [ "$1" != "--" ] && [ "${1#/usr/libexec/anet/}" = "$1" ]; do shift; done
[ "$1" != "--" ] || shift
exec "$@"
"""


class Case:
    """`codes`: it is refused for one of these reasons; none: it starts, inside.
    `undo`: what makes the machine whole again; without it, it concerns this session
    alone."""

    def __init__(self, name, text, script, *codes, strategy="srt", undo="", template="anet-session"):
        self.name, self.text, self.script, self.codes, self.undo = name, text, script, codes, undo
        self.strategy, self.template = strategy, template


def settings(value):
    return "cat >%s <<'END'\n%s\nEND\n" % (SETTINGS, json.dumps(value))


def saved(instance, strategy):
    """Writes the agent's file anew, as an editor would."""
    return "sed 's/\"strategy\": \"[a-z]*\"/\"strategy\": \"%s\"/' %s/agents.d/%s.json >/run/a && cat /run/a >%s/agents.d/%s.json\n" % (
        strategy, CONFIG, instance, CONFIG, instance)


def of_policy(instance, strategy):
    """Root's own record says another strategy."""
    at = records.POLICY.pack(strategy=0x5a5a).index(b"\x5a\x5a")
    return "cd /run/anet/sessions/%s-main\n" % instance + SET_STRATEGY.format(at=at, new=strategy)


def cases():
    gone = "rm -f %s\n" % SETTINGS
    yield Case("control: nothing happens between the steps", BETWEEN, "exit 0\n")
    yield Case("control: without a boundary the mark tells it", BETWEEN, "exit 0\n", strategy="host", template="anet-host")
    yield Case("the strategy goes before the preparation", BETWEEN, settings({"sandbox": {"srt": False}}), "strategy_off", undo=gone)
    yield Case("the strategy goes after it", BEHIND, settings({"sandbox": {"srt": False}}), undo=gone)
    yield Case("the settings become nonsense before it", BETWEEN, "echo '{ x' >%s\n" % SETTINGS, "config_invalid", undo=gone)
    yield Case("the agent is saved for host before it", BETWEEN, saved("{}", "host"), "wrong_unit")
    yield Case("the agent is saved for host after it", BEHIND, saved("{}", "host"))
    yield Case("the agent is saved for what is not there", BETWEEN, saved("{}", "docker"), "strategy_unknown")
    yield Case("the agent's file goes", BETWEEN, "rm %s/agents.d/{}.json\n" % CONFIG, "agent_unknown")
    yield Case("the agent has no strategy saved, and srt goes", BETWEEN, settings({"sandbox": {"srt": False}}), "strategy_off",
               strategy=None, undo=gone)
    yield Case("the table of strategies goes", BETWEEN, "rm /run/anet/strategies.json\n", "no_strategy", undo="true")
    yield Case("bubblewrap goes before it", BETWEEN, "mv %s /run/b\n" % BWRAP, "no_bwrap", undo="cp -p /run/b %s; rm /run/b\n" % BWRAP)
    yield Case("bubblewrap goes after it", BEHIND, "mv %s /run/b\n" % BWRAP, "no_bwrap", "sandbox_start_failed",
               undo="cp -p /run/b %s; rm /run/b\n" % BWRAP)
    yield Case("bubblewrap is one without a boundary", BEHIND, "mv %s /run/b; cp %s/no-boundary %s\n" % (BWRAP, SCRIPTS, BWRAP),
               "mount_changed", undo="rm %s; cp -p /run/b %s; rm /run/b\n" % (BWRAP, BWRAP))
    init = os.path.join(HELPERS, "anet-init")
    yield Case("anet-init goes before it", BETWEEN, "mv %s /run/h\n" % init, "helper_missing", undo="mv /run/h %s\n" % init)
    yield Case("anet-init goes after it", BEHIND, "mv %s /run/h\n" % init, "helper_missing", "system", undo="mv /run/h %s\n" % init)
    yield Case("root's own record says host", BEHIND, of_policy("{}", records.STRATEGY_HOST), "policy_invalid", "record_unsafe",
               "wrong_unit")
    yield Case("... says microsandbox", BEHIND, of_policy("{}", records.STRATEGY_MICROSANDBOX), "policy_invalid", "record_unsafe")
    yield Case("... says none", BEHIND, of_policy("{}", 0), "policy_invalid", "record_unsafe")


def undo(case):
    if case.undo:
        subprocess.run(["sh", "-c", case.undo], check=True)


def prepare(n, case):
    """The session of a case, with its drop-in and its agent."""
    instance = "d%d" % n
    workspace = os.path.join(MARKS, instance)
    os.makedirs(workspace)
    os.chmod(workspace, 0o777)
    more = {"strategy": case.strategy} if case.strategy else {}
    agent(instance, "/bin/sh", "-c", TELLS, runtime="command", workspace=workspace, **more)
    script = os.path.join(SCRIPTS, instance)
    with open(script, "w") as file:
        file.write(case.script.replace("{}", instance))
    directory = "%s/%s@%s.service.d" % (DROP_INS, case.template, instance)
    os.makedirs(directory)
    option = " --host" if case.template == "anet-host" else ""
    with open(os.path.join(directory, "test.conf"), "w") as file:
        file.write(case.text.format(helpers=HELPERS, script=script, option=option))
    session = Session(instance)
    session.unit = "%s@%s.service" % (case.template, instance)
    return session, os.path.join(workspace, "mark")


def judge(results, case, session, mark):
    reasons, failed = set(session.reasons()), session.active() == "failed"
    want = "outside\n" if case.strategy == "host" else "" if case.codes else "inside\n"
    results.equal("the agent %s" % {"": "did not start", "inside\n": "ran inside", "outside\n": "ran outside"}[want],
                  read(mark), want, session.said())
    if case.codes:
        results.ok("the start fails for the reason %s" % " or ".join(case.codes), failed and reasons & set(case.codes),
                   (failed, reasons, session.said()))
    else:
        results.ok("the start succeeds", not failed, session.said())


def together(results, todo):
    """All that do not concern each other, since calls of systemctl are dear in here."""
    since = cursor()
    systemctl("start", *(session.unit for _, session, _ in todo), timeout=200)
    for case, session, mark in todo:
        session.since = since
        session.wait_end()
        undo(case)
        with results.under(case.name + ": "):
            judge(results, case, session, mark)


def test(results):
    os.makedirs(SCRIPTS, exist_ok=True)
    os.makedirs(MARKS, exist_ok=True)
    with open(SCRIPTS + "/no-boundary", "w") as file:
        file.write(NO_BOUNDARY)
    os.chmod(SCRIPTS + "/no-boundary", 0o755)
    todo = [(case, *prepare(n, case)) for n, case in enumerate(cases())]
    systemctl("daemon-reload")
    together(results, [each for each in todo if not each[0].undo])
    for each in todo:
        if each[0].undo:
            together(results, [each])
    results.ok("nothing of all that has left a process", wait_for(lambda: not of_sessions(), 10), of_sessions())
    with results.under("afterwards: "):
        session, mark = todo[0][1:]
        os.unlink(mark)
        session.start()
        session.wait_end()
        results.equal("the agent ran inside", read(mark), "inside\n", session.said())
    for _, session, _ in todo:
        shutil.rmtree("%s/%s.d" % (DROP_INS, session.unit))
    systemctl("daemon-reload")
    shutil.rmtree(SCRIPTS)


run_test(test)

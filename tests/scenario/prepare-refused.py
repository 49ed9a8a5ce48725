#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What cannot be prepared is refused with its reason, in the journal, in the
unit's status and as the session's outcome, and leaves nothing."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import records  # noqa: E402
from harness import HELPERS, private, product_test  # noqa: E402
from unit_session import CONFIG, OUTCOMES, RUN, WORK, Machine, look, overlays  # noqa: E402

# (what, instance as execve(2) gets it, how it is shown)
NAMES = (
    ("empty", "", '""'), ("a dash", "-", '"-"'), ("two dots", "..", '".."'), ("dots as interaction", "demo-..", "demo-.."),
    ("a slash", "demo/../../etc", "demo/../../etc"), ("an absolute path", "/etc/passwd", "/etc/passwd"),
    ("a specifier", "demo%n", "demo%n"), ("a unit's escape", "demo\\x2fmain", "demo\\\\x2fmain"),
    ("an escaped dash", "demo\\x2dmain", "demo\\\\x2dmain"), ("two dashes", "demo-a-b", "demo-a-b"),
    ("no interaction", "demo-", '"demo-"'), ("no agent", "-main", '"-main"'), ("capitals", "Demo", "Demo"),
    ("a digit first", "0demo", "0demo"), ("a blank", "demo main", "demo main"), ("a line's end", "demo\nMAINPID=1", "demo\\x0aMAINPID=1"),
    ("an escape sequence", "demo\x1b[31m", "demo\\x1b[31m"), ("no UTF-8", b"demo\xff", "demo\\xff"),
    ("a long agent", "a" * 33, "a" * 33), ("a long interaction", "demo-" + "x" * 65, "demo-" + "x" * 65),
    ("a very long name", "a" * 4000, "a" * 200))


def check(results, machine, what, instance, code, *parts, session=None, status=None):
    """Refused with the code and the parts of a sentence everywhere, and nothing is left."""
    result = machine.prepare(instance)
    results.ok(what + ": refused", result.status == (status or result.status) and result.status != 0 and
               "[%s]" % code in result.errors and all(part in result.errors for part in parts), result)
    results.ok(what + ": in the unit's status", result.status_text.startswith("refused: ") and
               result.status_text.count("\n") == 0 and "[%s]" % code in result.status_text, result.status_text)
    record = result.journal[0] if len(result.journal) == 1 else {}
    results.ok(what + ": one record in the journal", record.get("ANET_REASON") == code and
               record.get("ANET_HELPER") == "anet-prepare" and record.get("ANET_SESSION") == session, result.journal)
    if session:
        outcome = machine.recorded(session)
        results.ok(what + ": as outcome", outcome and outcome["reason"] == records.reason(code) and
                   outcome["stage"] == records.ENDED and outcome["detail"].decode()[:100] in result.errors, outcome)
        results.equal(what + ": nothing else is left", (machine.sessions(), machine.reserved()), ([], {}))
    return result


def check_names(results, machine):
    for what, instance, shown in NAMES:
        check(results, machine, what, instance, "session_name_invalid", shown, status=64)
    results.equal("no name has left anything", (machine.sessions(), os.listdir(OUTCOMES) if os.path.isdir(OUTCOMES)
                                                 else []), ([], []))
    check(results, machine, "no agent of this name", "nobody", "agent_unknown", '"nobody"', "demo", session="nobody-main",
          status=78)


def check_configuration(results, machine):
    machine.config("agents.d/bad.json", {"runtime": "command", "colour": "red"})
    check(results, machine, "a key that is none", "bad", "config_invalid", "colour", session="bad-main", status=78)
    path = machine.config("agents.d/open.json", {"runtime": "command", "arguments": ["true"]})
    os.chmod(path, 0o666)
    check(results, machine, "a file that others write", "open", "config_unreadable", path, session="open-main")
    os.chmod(path, 0o644)
    os.chown(path, private.USER_ID, private.USER_ID)
    check(results, machine, "a file of somebody else", "open", "config_unreadable", path, session="open-main")
    machine.agent("idle", runtime="command")
    check(results, machine, "nothing to run", "idle", "config_invalid", '"idle"', "`arguments`", session="idle-main")
    machine.agent("coder", runtime="claude")
    machine.key()
    check(results, machine, "a program that is not there", "coder", "runtime_not_installed", session="coder-main")


def check_strategies(results, machine):
    sentence = 'agent "demo" runs its sessions in the srt strategy, which this machine cannot run: '
    machine.strategies(available=False, code="userns_blocked", reason="bwrap said: no")
    check(results, machine, "a strategy that cannot run", "demo", "userns_blocked", sentence + "bwrap said: no",
          session="demo-main", status=69)
    path = machine.strategies()
    os.chown(path, private.USER_ID, 0)
    check(results, machine, "a table of somebody else", "demo", "record_unsafe", path, session="demo-main", status=77)
    os.unlink(path)
    os.symlink("/run/elsewhere", path)
    machine.strategies()
    check(results, machine, "a link to a table", "demo", "record_unsafe", path, session="demo-main")
    os.unlink(path)
    check(results, machine, "no table", "demo", "no_strategy", "anet-probe", session="demo-main", status=69)
    machine.strategies()
    path = machine.config("config.json", {"sandbox": {"srt": False}})
    check(results, machine, "a strategy that is off", "demo", "strategy_off",
          sentence + "sandbox.srt is off on this machine", session="demo-main", status=77)
    os.unlink(path)


def check_credentials(results, machine):
    machine.model_agent()
    path = machine.key()
    os.unlink(path)
    check(results, machine, "no key", "coder", "no_api_key", path, CONFIG + "/credentials.sealed/anthropic",
          "`anet credential set anthropic`", session="coder-main", status=78)
    # The environment of a manager is nobody's key.
    result = machine.prepare("coder", ANTHROPIC_API_KEY="sk-ant-in-the-environment")
    results.ok("a variable is no key", "[no_api_key]" in result.errors, result)
    for what, make in (("a key that others can read", lambda: machine.key(mode=0o640)),
                       ("an empty key", lambda: machine.key(text="")),
                       ("a key of somebody else", lambda: os.chown(machine.key(), private.USER_ID, 0)),
                       ("a link to a key", lambda: (os.rename(machine.key(), path + ".real"),
                                                    os.symlink(path + ".real", path))),
                       ("a directory", lambda: (os.unlink(path), os.mkdir(path, 0o700)))):
        make()
        check(results, machine, what, "coder", "credential_unsafe", path, session="coder-main", status=78)
    os.rmdir(path)
    machine.key(directory="credentials.sealed")
    result = machine.prepare("coder")
    results.equal("a sealed key will do", result.status, 0, result)
    results.equal("and ends", machine.outcome("coder").status, 0)


def check_places(results, machine):
    # A run could leave a link there, by which the mount point is made elsewhere the next time.
    os.makedirs("/home/agent/a/project")
    os.makedirs("/home/agent/bin")
    with open("/home/agent/bin/claude", "w") as file:
        file.write("#!/bin/sh\n")
    os.chmod(file.name, 0o755)
    machine.agent("coder", runtime="claude")
    machine.key()
    before, machine.env["PATH"] = machine.env["PATH"], "/home/agent/bin:/usr/bin:/bin"
    check(results, machine, "a program below a run's home", "coder", "workspace_invalid", "the program /home/agent/bin",
          session="coder-main")
    machine.env["PATH"] = before
    for what, workspace, code, part in (
            ("`~`", "~/project", "workspace_invalid", "whole path"), ("a user's home", "~bob/x", "workspace_invalid", "whole path"),
            ("a relative path", "project", "workspace_invalid", "whole path"),
            ("not there", "/srv/none/such", "workspace_invalid", "No such file"),
            ("a file", "/etc/hostname", "workspace_invalid", "Not a directory"),
            ("the system's", "/usr/share", "workspace_invalid", "lies in /usr"),
            ("the configuration", CONFIG if CONFIG.startswith("/etc") else "/etc", "workspace_invalid", "lies in /etc"),
            ("that of another session", WORK + "/demo/main", "never_visible", WORK),
            ("the root", "/", "never_visible", WORK),
            ("what contains them", "/var/cache", "never_visible", WORK),
            ("a home of another session", "/var/lib/anet/homes", "never_visible", "/var/lib/anet/homes"),
            ("a link to one", "/home/trap", "never_visible", WORK),
            ("what a run's home hides", "/home/agent", "workspace_invalid", "inside /home/agent,"),
            ("one below it", "/home/agent/a/project", "workspace_invalid", "inside /home/agent,"),
            ("what hides it", "/home", "workspace_invalid", "inside /home/agent,")):
        machine.agent("placed", runtime="command", arguments=["true"], workspace=workspace)
        check(results, machine, "workspace: " + what, "placed", code, part, '"placed"', session="placed-main")


def check_assigned(results, machine):
    """Somebody has put something else where anet's directories are."""
    trap = "/home/%s/trap" % private.USER_NAME
    os.mkdir(trap)
    os.chown(trap, private.USER_ID, private.USER_ID)
    os.chmod(trap, 0o777)
    before = look(trap)
    for path in (WORK + "/demo/trap", WORK + "/trap", "/var/lib/anet/homes/demo-trap"):
        os.symlink(trap, path)
        instance = "trap" if path.endswith("work-sandbox/trap") else "demo-trap"
        machine.agent("trap", runtime="command", arguments=["true"])
        check(results, machine, "a link at " + path, instance, "directory_unsafe", path, "symbolic link",
              session=instance if "-" in instance else instance + "-main")
        os.unlink(path)
    results.equal("nothing was made behind the links", (look(trap), os.listdir(trap)), (before, []))
    os.makedirs(WORK + "/demo/owned")
    os.chown(WORK + "/demo/owned", private.OTHER_ID, 0)
    check(results, machine, "a workspace of somebody else", "demo-owned", "directory_unsafe", "belongs neither",
          session="demo-owned")
    for path, mode, owner, part in ((WORK + "/demo", 0o700, private.USER_ID, "does not belong to root"),
                                    (WORK + "/demo", 0o770, 0, "can be written by others"),
                                    (WORK, 0o777, 0, "can be written by others"),
                                    ("/var/cache/anet", 0o755, private.USER_ID, "does not belong to root"),
                                    ("/var/lib/anet", 0o775, 0, "can be written by others")):
        mode_before, uid, gid = look(path)
        os.chown(path, owner, gid)
        os.chmod(path, mode)
        check(results, machine, "%s %o of %d" % (path, mode, owner), "demo-new", "directory_unsafe", path, part,
              session="demo-new")
        os.chown(path, uid, gid)
        os.chmod(path, int(mode_before, 8) & 0o7777)


def check_accounts(results, machine):
    machine.accounts(anet=False)
    check(results, machine, "no account", "demo", "account_missing", "`anet`", "systemd-sysusers", session="demo-main",
          status=78)
    machine.accounts(anet=True)
    machine.ranges("anet:700000000:2\n")
    os.makedirs(RUN + "/uids", exist_ok=True)
    with open(RUN + "/uids/700000000", "w") as file:
        file.write("other-main")
    result = machine.prepare("demo")
    results.ok("no uids left", result.status == 75 and "[uids_exhausted]" in result.errors, result)
    results.equal("no session", machine.sessions(), [])
    os.unlink(RUN + "/uids/700000000")
    machine.ranges("anet:1000:64\n")
    check(results, machine, "uids of people", "demo", "config_invalid", "65536", session="demo-main", status=78)
    machine.ranges("root:100000:65536\n")


def check_callers(results):
    program = os.path.join(HELPERS, "anet-prepare")
    for what, argv, user in (("no instance", [program], 0), ("two", [program, "demo", "demo"], 0),
                             ("somebody who is not root", [program, "demo"], private.USER_ID),
                             ("the last step, by the same", [os.path.join(HELPERS, "anet-outcome"), "demo"], private.USER_ID)):
        result = subprocess.run(argv, capture_output=True, text=True, user=user)
        results.ok(what, result.returncode == 64 and "[usage]" in result.stderr, result)


def test(results):
    machine = Machine()
    check_names(results, machine)
    check_configuration(results, machine)
    check_strategies(results, machine)
    check_credentials(results, machine)
    results.equal("the workspace of a session", machine.prepare("demo").status, 0)
    results.equal("which ends", machine.outcome("demo").status, 0)
    os.symlink(WORK + "/demo/main", "/home/trap")
    check_places(results, machine)
    check_assigned(results, machine)
    check_accounts(results, machine)
    check_callers(results)
    results.equal("and after all that it can start", machine.prepare("demo").status, 0)
    results.equal("what was refused before is no outcome of it", machine.recorded("demo-main"), None)


product_test(test, overlays=overlays())

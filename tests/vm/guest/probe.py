#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=600
"""The probe at boot and before a session: what it writes, who may start when a
strategy is gone, and that a start is refused when none is left (SPEC S1.4)."""
import json
import os
import stat
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from units import CONFIG, RUN_ANET, Session, agent, cursor, journal, of_sessions, run, systemctl, words  # noqa: E402
from vm import read, run_test, wait_for  # noqa: E402

TABLE = RUN_ANET + "/strategies.json"
PROBE = "anet-probe.service"
SYSCTL = "/proc/sys/user/max_user_namespaces"


def probe():
    """(status, output, what it told as text)."""
    # Its start limit is not what is tested.
    systemctl("reset-failed", PROBE)
    since = cursor()
    status, text = systemctl("restart", PROBE, timeout=200)
    return status, text, "\n".join(words(record) for record in journal("_SYSTEMD_UNIT=" + PROBE, "+", "UNIT=" + PROBE,
                                                                      since=since)), since


def table():
    return json.loads(read(TABLE) or "{}")


def row(name):
    """One strategy, wherever the table has it."""
    rows = table().get("strategies")
    rows = rows if isinstance(rows, list) else [dict(value, name=key) for key, value in (rows or {}).items()]
    return next((each for each in rows if each.get("name") == name or each.get("strategy") == name), {})


def at_boot(results):
    results.equal("it ran at boot", systemctl("is-enabled", PROBE)[1].strip(), "enabled")
    results.equal("and succeeded", systemctl("show", PROBE, "--property=Result", "--value")[1].strip(), "success")
    info = os.stat(TABLE) if os.path.exists(TABLE) else None
    results.ok("the table is there, root's and for all to read", info and info.st_uid == 0 and
               stat.S_IMODE(info.st_mode) == 0o644, info)
    results.note(read(TABLE))
    results.ok("srt is available", row("srt").get("available") is True or row("srt").get("state") == "available", table())
    results.ok("microsandbox is not", row("microsandbox").get("available") is False or
               row("microsandbox").get("state") == "unavailable", table())
    status, text, told, since = probe()
    results.equal("it can be run again", (status, text), (0, ""), told)
    found = [record for record in journal(since=since) if record.get("ANET_REASON")]
    results.ok("an unavailable strategy leaves a record with its reason",
               any("microsandbox is not part of this build" in words(record) for record in found), told)


def gone(results):
    """The kernel refuses user namespaces."""
    before = read(SYSCTL)
    session = Session("demo-probed")
    with open(SYSCTL, "w") as file:
        file.write("0")
    status, text, told, since = probe()
    results.ok("srt is unavailable", row("srt").get("available") is False or row("srt").get("state") == "unavailable",
               table())
    results.contains("with its reason", read(TABLE), "userns_unavailable")
    results.ok("told in the journal", wait_for(lambda: any(record.get("ANET_REASON") == "userns_unavailable"
                                                          for record in journal(since=since))), told)
    status, text, _ = session.start()
    results.ok("its sessions are refused", status != 0, session.journalctl())
    results.ok("with the reason", {"strategy_unavailable", "userns_unavailable", "no_strategy"} & set(session.reasons()),
               session.journalctl())
    results.equal("no run", (session.scopes(), of_sessions()), ([], {}))
    with open(SYSCTL, "w") as file:
        file.write(before)
    status, text, told, _ = probe()
    results.equal("available again after a new probe", status, 0, told)
    status, text, _ = session.start()
    results.equal("sessions start again", (status, text), (0, ""), session.journalctl())
    session.stop()


def old_table(results):
    """A table older than 5 minutes is made anew before a session."""
    session = Session("demo-probed")
    when = os.stat(TABLE).st_mtime
    old = read(TABLE)
    fields = json.loads(old)
    stamp = next((key for key, value in fields.items() if isinstance(value, (int, float)) and value > 1e9), None)
    if not results.ok("the table says when it was made", stamp, old):
        return
    fields[stamp] -= 301
    with open(TABLE, "w") as file:
        json.dump(fields, file)
    status, text, _ = session.start()
    results.equal("a session starts", (status, text), (0, ""), session.journalctl())
    results.ok("the table is new", table().get(stamp, 0) > json.loads(old)[stamp] and os.stat(TABLE).st_mtime >= when,
               read(TABLE))
    session.stop()
    os.unlink(TABLE)
    status, text, _ = session.start()
    results.ok("without a table it is made", (status, os.path.exists(TABLE)) == (0, True), session.journalctl())
    session.stop()


def none_left(results):
    config = os.path.join(CONFIG, "config.json")
    before = read(config)
    with open(config, "w") as file:
        json.dump({"sandbox": {"host": False, "srt": False, "microsandbox": False}}, file)
    status, text, told, _ = probe()
    results.ok("everything off: the probe's unit fails", status != 0, told)
    results.contains("in the words of SPEC S1.4", told,
                     "startup refused: no execution strategy can run on this machine (host: sandbox.host is off on this "
                     "machine; srt: sandbox.srt is off on this machine; microsandbox: sandbox.microsandbox is off on "
                     "this machine)")
    session = Session("demo-probed")
    status, text, _ = session.start()
    results.ok("sessions cannot start", status != 0, session.journalctl())
    results.ok("with a reason", {"no_strategy", "strategy_off", "strategy_unavailable"} & set(session.reasons()),
               session.journalctl())
    results.equal("no run", (session.scopes(), of_sessions()), ([], {}))
    status, text = run("/usr/bin/anet", "status")
    results.contains("anet status tells it", text, "is off on this machine")
    if before:
        with open(config, "w") as file:
            file.write(before)
    else:
        os.unlink(config)
    status, text, told, _ = probe()
    results.equal("back on: the probe succeeds", status, 0, told)
    status, text, _ = session.start()
    results.equal("sessions start again", (status, text), (0, ""), session.journalctl())
    session.stop()


def test(results):
    agent("demo", "/usr/bin/sleep", "1000", runtime="command")
    for part in (at_boot, gone, old_table, none_left):
        with results.under(part.__name__.replace("_", " ") + ": "):
            part(results)


run_test(test)

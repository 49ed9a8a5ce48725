#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The last step of a session's unit records how it ended, whatever happened, and
leaves nothing but that."""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import records  # noqa: E402
from harness import product_test  # noqa: E402
from unit_session import OUTCOMES, WORK, Machine, look, overlays  # noqa: E402

# (what, $SERVICE_RESULT, $EXIT_CODE, $EXIT_STATUS, the supervisor's last words, code, part, whether it was told)
ENDS = (
    ("an agent that ends well", "success", "exited", "0", dict(stage=records.ENDED, flags=records.AGENT_EXITED), "ok",
     "status 0", True),
    ("an agent that fails", "exit-code", "exited", "3",
     dict(stage=records.ENDED, flags=records.AGENT_EXITED, agent_status=3 << 8), "ok", "status 3", True),
    ("a limit", "exit-code", "exited", "75", dict(stage=records.ENDED, reason=records.reason("limit_memory"),
                                                  detail=b"it reached 2048 MiB"), "limit_memory", "it reached 2048 MiB", True),
    ("systemctl stop", "success", "exited", "0", dict(stage=records.ENDED, reason=records.reason("interrupted"),
                                                      detail=b"by signal 15"), "interrupted", "by signal 15", True),
    ("kill -9", "signal", "killed", "KILL", dict(stage=records.RUNNING), "supervisor_killed", "signal KILL while the run",
     False),
    ("kill -9 at once", "signal", "killed", "KILL", None, "supervisor_killed", "before it had said anything", False),
    ("no memory", "oom-kill", "killed", "KILL", dict(stage=records.RUNNING), "supervisor_oom", "memory", False),
    ("the watchdog", "watchdog", "dumped", "ABRT", dict(stage=records.RUNNING), "supervisor_hung", "sign of life", False),
    ("a stop that hangs", "timeout", "killed", "KILL", dict(stage=records.ENDING), "supervisor_hung", "in time", False),
    ("no program", "exit-code", "exited", "203", None, "helper_missing", "203/EXEC", False),
    ("a last word that is none", "signal", "killed", "SEGV", dict(stage=records.ENDED, size=7), "supervisor_killed",
     "SEGV", False))


def check_end(results, machine, what, service_result, code, status, words, reason, part, told):
    results.equal(what + ": prepared", machine.prepare("demo").status, 0)
    if words is not None:
        machine.say("demo-main", **words)
    before = time.time()
    result = machine.outcome("demo", service_result, code, status)
    results.equal(what + ": its status", (result.status, result.errors if told else ""), (0, ""), result)
    outcome = machine.recorded("demo-main")
    results.ok(what + ": recorded", outcome and records.REASONS[outcome["reason"]] == reason and
               outcome["stage"] == records.ENDED and part in outcome["detail"].decode() and
               before - 1 <= outcome["updated_usec"] / 1e6 <= time.time() + 1, outcome)
    results.ok(what + ": in the unit's status", result.status_text.startswith("ended: ") and part in result.status_text and
               "[%s]" % reason in result.status_text, result.status_text)
    wanted = [] if told else [(reason, "demo-main", "demo", "anet-outcome")]
    results.equal(what + ": in the journal once", [tuple(record.get(name) for name in (
        "ANET_REASON", "ANET_SESSION", "ANET_AGENT", "ANET_HELPER")) for record in result.journal], wanted)
    results.equal(what + ": nothing is left", (machine.sessions(), machine.reserved()), ([], {}))
    results.ok(what + ": but its workspace", os.path.isdir(WORK + "/demo/main"))


def check_numbers(results, machine):
    machine.prepare("demo")
    machine.say("demo-main", requests=7, response_bytes=1 << 40, refused=2, started_usec=1234)
    machine.outcome("demo", "signal", "killed", "KILL")
    outcome = machine.recorded("demo-main")
    results.equal("counters are those of the supervisor", [outcome[name] for name in (
        "requests", "response_bytes", "refused", "started_usec")], [7, 1 << 40, 2, 1234])
    results.equal("the outcome is for everybody", look(OUTCOMES + "/demo-main"), ("0o100644", 0, 0))
    results.equal("as is the directory", look(OUTCOMES), ("0o40755", 0, 0))


def check_refusals(results, machine):
    """A start that anet-prepare refused has its outcome already."""
    machine.agent("later", runtime="none")
    refused = machine.prepare("later")
    results.ok("it is refused", refused.status != 0, refused)
    before = machine.recorded("later-main")
    result = machine.outcome("later", "exit-code", None)
    results.equal("that stays", (result.status, machine.recorded("later-main"), result.journal, result.status_text),
                  (0, before, [], ""))
    os.unlink(OUTCOMES + "/later-main")
    result = machine.outcome("later", "exit-code", None)
    outcome = machine.recorded("later-main")
    results.ok("one that said nothing is told of", result.status == 0 and outcome["reason"] ==
               records.reason("helper_died") and "preparation" in result.errors, (result, outcome))
    result = machine.outcome("later", "timeout", None)
    results.ok("one that hung as well", result.status == 0 and machine.recorded("later-main")["reason"] ==
               records.reason("supervisor_hung"), result)
    result = machine.outcome("demo%n", "exit-code", None)
    results.equal("a name that is none has no outcome", (result.status, result.errors, sorted(os.listdir(OUTCOMES))),
                  (0, "", ["demo-main", "later-main"]))


def check_cut_off(results, machine):
    """Killed between its steps: the uids are taken, and half the records are there."""
    machine.prepare("demo")
    os.rename("/run/anet/sessions/demo-main", "/run/anet/sessions/.demo-main")
    os.unlink("/run/anet/sessions/.demo-main/policy")
    result = machine.outcome("demo", "signal", None)
    results.equal("half a preparation is removed", (result.status, machine.sessions(), machine.reserved()), (0, [], {}), result)
    results.equal("and told of", machine.recorded("demo-main")["reason"], records.reason("supervisor_killed"))


def check_full(results, machine):
    results.equal("prepared", machine.prepare("demo").status, 0)
    os.unlink(OUTCOMES + "/demo-main") if os.path.exists(OUTCOMES + "/demo-main") else None
    with open("/run/filler", "wb") as file:
        file.write(b"x" * (os.statvfs("/run").f_bfree * 4096))
    result = machine.outcome("demo", "signal", "killed", "KILL")
    os.unlink("/run/filler")
    results.ok("a full /run: said", result.status == 71 and "No space left on device" in result.errors and
               OUTCOMES in result.errors, result)
    results.equal("and removed all the same", (machine.sessions(), machine.reserved()), ([], {}))


def test(results):
    machine = Machine(run_options="mode=0755,size=1m")
    result = machine.outcome("demo", "exit-code", None)
    results.ok("where nothing was ever made", result.status == 0 and machine.recorded("demo-main") is not None, result)
    for end in ENDS:
        check_end(results, machine, *end)
    check_numbers(results, machine)
    check_refusals(results, machine)
    check_cut_off(results, machine)
    check_full(results, machine)


product_test(test, overlays=overlays())

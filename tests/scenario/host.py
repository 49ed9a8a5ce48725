#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The strategy `host`: no boundary, and never by accident; what runs, ends and is
limited as in a sandbox (SPEC S1.5, S1.7; issue 4)."""
import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import Terminal, process, product_test, worlds  # noqa: E402
from machine import Journal  # noqa: E402

OPTIONS = ["--agent", "free"]


def sh(world, script, options=(), **popen):
    return world.sh(script, options=[*OPTIONS, *options], **popen)


def ordinary(results, world):
    """A process like any other of its caller."""
    result = sh(world, "id -u; pwd; echo \"$HOME\"; readlink /proc/self/ns/net /proc/self/ns/mnt /proc/self/ns/pid; exit 7")
    own = [os.readlink("/proc/self/ns/" + name) for name in ("net", "mnt", "pid")]
    results.equal("status", result.status, 7, result)
    results.equal("account, directory, home, namespaces", result.text.splitlines(),
                  [str(world.uid), world.workspace, world.home, *own])
    results.equal("it is said once that there is no boundary", result.errors.count("[no_boundary]"), 1, result)
    path = world.file("elsewhere/file", "as it was")
    results.equal("it can write elsewhere", sh(world, "echo changed >%s" % path).status, 0)
    with open(path) as file:
        results.equal("... and has", file.read(), "changed\n")
    result = sh(world, "kill -TERM $$")
    results.equal("a death by a signal", result.status, 143, result)
    result = sh(world, "cat; echo error >&2", input=b"from standard input")
    results.ok("streams are not mixed", result.text == "from standard input" and "error\n" in result.errors, result)


def environment(results, world):
    env = {"OPENAI_API_KEY": "sk-another-service", "ANTHROPIC_API_KEY": "sk-of-the-service", "GITHUB_TOKEN": "gh-x",
           "ANET_SESSION": "forged", "EDITOR": "vi"}
    result = sh(world, "env", env=env)
    values = dict(line.split("=", 1) for line in result.text.splitlines() if "=" in line)
    results.equal("no credential of the caller", [name for name in env if values.get(name) == env[name]], ["EDITOR"])
    results.ok("the session's own names", values.get("ANET_SESSION", "").startswith("free-") and
               values.get("ANET_AGENT") == "free", values)
    results.equal("what the agent's file says", values.get("FLAVOUR"), "plain")
    results.equal("PATH is the caller's", values.get("PATH"), world.env["PATH"])


def refused(results, world):
    """Nowhere does it run where it may not, whatever was saved."""
    mark = os.path.join(world.workspace, "started")
    sentence = 'agent "free" runs its sessions in the host strategy, which this machine cannot run: '
    result = sh(world, "touch started", ["--require-sandbox"])
    results.ok("--require-sandbox", result.status == 77 and "[sandbox_required]" in result.errors and sentence in result.errors,
               result)
    results.equal("... and it did not start", os.path.exists(mark), False)
    for name, config in (("sandbox.host: false", {"sandbox": {"host": False}}),
                         ("security.requireSandbox", {"security": {"requireSandbox": True}, "sandbox": {"host": True}})):
        path = world.config(config)
        result = sh(world, "touch started")
        results.ok(name, result.status == 77 and "[strategy_off]" in result.errors and
                   sentence + "sandbox.host is off on this machine" in result.errors, result)
        results.equal("... and it did not start", os.path.exists(mark), False)
        os.unlink(path)
    result = world.sh("id -u; touch started", options=["--agent", "boxed"])
    results.equal("an agent without a strategy is in a sandbox", (result.status, result.text), (0, "1000\n"), result)
    os.unlink(mark)
    # A strategy that cannot be had is no reason to take this one.
    path = world.config({"sandbox": {"srt": False}})
    result = world.sh("touch started", options=["--agent", "boxed"])
    results.ok("srt is off: no other takes its place", result.status == 77 and
               'agent "boxed" runs its sessions in the srt strategy, which this machine cannot run: '
               "sandbox.srt is off on this machine" in result.errors, result)
    results.equal("... and it did not start", os.path.exists(mark), False)
    os.unlink(path)
    result = world.sh("touch started", options=["--agent", "virtual"])
    results.ok("microsandbox: not in the foreground, and no other", result.status != 0 and not os.path.exists(mark) and
               'agent "virtual" runs its sessions in the microsandbox strategy, which this machine cannot run: '
               "microsandbox is not part of this build" in result.errors, result)
    result = world.sh("touch started", options=["--agent", "odd"])
    results.ok("a strategy that there is not", result.status == 78 and "[strategy_unknown]" in result.errors and
               'this machine has no "hsot" execution strategy' in result.errors and not os.path.exists(mark), result)


def ends(results, world):
    """The session's processes end with it, as far as an account lets them."""
    before = process.everything()
    result = sh(world, "setsid sleep 613 & (sleep 614 & setsid sh -c 'sleep 615 & sleep 616' &) ; sleep 0.5; echo on", timeout=20)
    results.ok("the agent's end is that of the run", result.status == 0 and result.seconds < 15, result)
    results.equal("nothing of it is left", process.show(process.left_after(before)), "")
    for name, number in (("SIGKILL", signal.SIGKILL), ("SIGTERM", signal.SIGTERM)):
        running = world.begin("sh", "-c", "setsid sleep 617 & echo on; sleep 618", options=OPTIONS)
        running.stdout.readline()
        running.send_signal(number)
        running.communicate(timeout=20)
        results.equal("%s to the supervisor ends all of it" % name, process.show(process.left_after(before)), "")
    world.agent("free", {"runtime": "command", "strategy": "host", "limits": {"wall_clock_seconds": 1}, "env": {"FLAVOUR": "plain"}})
    result = sh(world, "sleep 619", timeout=20)
    results.ok("the wall clock is watched", result.status == 75 and "[limit_wall_clock]" in result.errors, result)
    world.agent("free", {"runtime": "command", "strategy": "host", "env": {"FLAVOUR": "plain"}})
    result = sh(world, "sleep 0.3; kill -9 $PPID; exec sleep 25", timeout=20)
    results.ok("who kills the session's first process keeps nobody waiting", result.status == 71 and result.seconds < 15 and
               "the first process of the run was killed" in result.errors, result)


def terminal(results, world):
    shell = Terminal(world.argv(["sh", "-c", "test -t 0 && test -t 1 && tty; read x; echo got:$x"], OPTIONS),
                     cwd=world.workspace, env=world.env, **world.identity())
    results.ok("a terminal of its own", shell.expect("/dev/pts/"), shell.output)
    shell.type("words\n")
    results.ok("... that takes what is typed", shell.expect("got:words"), shell.output)
    results.equal("... and its status", shell.wait(), 0)
    shell.close()


def records(results, world):
    journal = Journal()
    sh(world, "true")
    found = [record for record in journal.records() if record.get("ANET_REASON") == "no_boundary"]
    results.ok("one record in the journal", len(found) == 1 and "without a boundary" in found[0]["MESSAGE"] and
               found[0]["ANET_AGENT"] == "free", found)
    journal.close()


def test(results):
    for world in worlds():
        with results.under("as %s: " % world.user):
            world.agent("free", {"runtime": "command", "strategy": "host", "env": {"FLAVOUR": "plain"}})
            world.agent("boxed", {"runtime": "command"})
            world.agent("virtual", {"runtime": "command", "strategy": "microsandbox"})
            world.agent("odd", {"runtime": "command", "strategy": "hsot"})
            for part in (ordinary, environment, refused, terminal, records, ends):
                part(results, world)


product_test(test)

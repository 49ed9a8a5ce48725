#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=240
"""Interactive use: a terminal of its own for the run, its size, Ctrl-C and
Ctrl-Z's kin, and the caller's terminal as it was afterwards (SPEC S2.9)."""
import os
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import Terminal, product_test, wait_for, worlds  # noqa: E402


def begin(world, *command, **keywords):
    return Terminal(world.argv(command), cwd=world.workspace, env=world.env, **keywords, **world.identity())


def plain(results, world):
    terminal = begin(world, "sh", "-c", "test -t 0 && test -t 1 && test -t 2 && echo all three; tty; echo end; exit 3")
    results.equal("exit status", terminal.wait(20), 3, terminal.read())
    text = terminal.read()
    results.contains("0, 1 and 2 are a terminal", text, "all three\r\n")
    results.contains("of its own", text, "/dev/pts/")
    results.equal("the terminal is as before", terminal.attributes(), terminal.first)
    terminal.close()

    terminal = begin(world, "sh", "-c", "echo ready; read line; echo got:$line; exit 4")
    ready = terminal.expect("ready")
    terminal.type("typed text\r")
    results.ok("what is typed arrives", ready and terminal.expect("got:typed text"), terminal.read())
    results.equal("... and its status", terminal.wait(20), 4)
    results.equal("what is typed is echoed once", terminal.read().count("typed text"), 2, terminal.read())
    terminal.close()

    terminal = begin(world, "sh", "-c", "echo ready; cat; echo end of file; exit 5")
    ready = terminal.expect("ready")
    terminal.type("\x04")
    results.equal("Ctrl-D is the end of file", (ready, terminal.wait(20)), (True, 5), terminal.read())
    terminal.close()


def size(results, world):
    script = "stty size; trap 'stty size' WINCH; echo ready; while :; do sleep 0.1; done"
    terminal = begin(world, "sh", "-c", script, rows=31, columns=97)
    results.ok("the size at the start", terminal.expect("31 97"), terminal.read())
    ready = terminal.expect("ready")
    terminal.resize(50, 132)
    results.ok("a new size is told by SIGWINCH", ready and terminal.expect("50 132"), terminal.read())
    terminal.type("\x03")
    terminal.wait(20)
    terminal.close()


def interrupts(results, world):
    # exec: dash can miss an interrupt while it forks.
    terminal = begin(world, "sh", "-c", "echo ready; exec sleep 60")
    ready = terminal.expect("ready")
    terminal.type("\x03")
    results.ok("Ctrl-C ends a program", ready and terminal.wait(15) == 130, (terminal.process.returncode, terminal.read()))
    results.equal("... and the terminal is as before", terminal.attributes(), terminal.first)
    terminal.close()

    terminal = begin(world, "sh", "-c", "trap 'echo caught; exit 7' INT; echo ready; while :; do sleep 0.1; done")
    ready = terminal.expect("ready")
    terminal.type("\x03")
    results.equal("Ctrl-C is the agent's to handle", (ready, terminal.wait(15)), (True, 7), terminal.read())
    terminal.close()

    terminal = begin(world, "sh", "-c", "trap 'echo quit; exit 8' QUIT; echo ready; while :; do sleep 0.1; done")
    ready = terminal.expect("ready")
    terminal.type("\x1c")
    results.equal("Ctrl-\\ too", (ready, terminal.wait(15)), (True, 8), terminal.read())
    terminal.close()

    script = ("import termios, sys, os, tty\n"
              "tty.setraw(0)\nos.write(1, b'raw ready')\n"
              "data = os.read(0, 10)\nos.write(1, b'<' + data.hex().encode() + b'>')\n")
    terminal = begin(world, "/usr/bin/python3", "-c", script)
    ready = terminal.expect("raw ready")
    terminal.type(b"\x03")
    results.ok("Ctrl-C is a byte to a program in raw mode", ready and terminal.expect("<03>"), terminal.read())
    results.equal("... which leaves it so, yet the caller's terminal is as before",
                  (terminal.wait(20), terminal.attributes()), (0, terminal.first))
    terminal.close()

    terminal = begin(world, "bash", "-i")
    terminal.expect("$")
    terminal.type("sleep 60\r")
    time.sleep(0.5)
    terminal.type("\x1a")
    results.ok("Ctrl-Z stops a job of a shell inside", terminal.expect("Stopped"), terminal.read())
    terminal.type("kill %1; exit 9\r")
    terminal.expect("exit")
    results.ok("... which goes on", terminal.wait(20) in (9, 1) or terminal.type("exit 9\r") or
               terminal.wait(20) == 9, (terminal.process.returncode, terminal.read()))
    terminal.close()


def is_raw_after_start(terminal):
    return terminal.expect("ready") and wait_for(terminal.is_raw, 5)


def ends(results, world):
    """However the supervisor ends, somebody has a usable terminal again."""
    for name, number, ignored in (("SIGTERM", signal.SIGTERM, "TERM HUP INT"), ("SIGHUP", signal.SIGHUP, "TERM HUP INT"),
                                  ("SIGINT", signal.SIGINT, "HUP")):
        terminal = begin(world, "sh", "-c", "trap '' %s; echo ready; sleep 60; sleep 60" % ignored)
        raw = is_raw_after_start(terminal)
        terminal.process.send_signal(number)
        status = terminal.wait(15)
        results.ok("%s to the supervisor ends it" % name, raw and status is not None and status != 0,
                   (raw, status, terminal.read()))
        results.equal("... the terminal is as before", terminal.attributes(), terminal.first)
        terminal.close()

    terminal = begin(world, "sh", "-c", "echo ready; kill -9 $$")
    results.equal("an agent that is killed", terminal.wait(20), 137, terminal.read())
    results.equal("... the terminal is as before", terminal.attributes(), terminal.first)
    terminal.close()


def stopped_output(results, world):
    """Ctrl-S by the user must not stop limits and ends."""
    world.config({"limits": {"wall_clock_seconds": 3}})
    terminal = begin(world, "sh", "-c", "echo ready; while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done")
    terminal.expect("ready")
    begin_time = time.monotonic()
    while terminal.process.poll() is None and time.monotonic() - begin_time < 15:
        time.sleep(0.1)  # the terminal's buffer fills: nobody reads
    results.ok("the wall clock ends a run whose terminal takes nothing", terminal.process.poll() is not None,
               "still there after 15 s")
    terminal.close()
    os.unlink(os.path.join(world.home, ".config/anet/config.json"))


def mixed(results, world):
    """Only one of the three is a terminal, or it is somebody's in the background."""
    terminal = Terminal(["sh", "-c", '"$@" < /dev/null | cat; echo "end"', "sh",
                         *world.argv(["sh", "-c", "test -t 0 || echo no; echo piped; exit 0"])],
                        cwd=world.workspace, env=world.env, **world.identity())
    results.ok("in a pipe line on a terminal", terminal.expect("piped") and terminal.expect("end"), terminal.read())
    terminal.wait(10)
    results.equal("... the terminal is as before", terminal.attributes(), terminal.first)
    terminal.close()


def background(results, world):
    """A job of a shell: it takes no terminal that is another's, and waits."""
    terminal = Terminal(["sh", "-i"], cwd=world.workspace, env=dict(world.env, PS1="shell> "), **world.identity())
    ready = terminal.expect("shell> ")
    terminal.type(" ".join(world.argv(["sh", "-c", "'test -t 1 && echo inner terminal; exit 6'"])) + " &\n")
    time.sleep(1)
    before = terminal.attributes()
    stopped = False
    for attempt in range(20):
        terminal.type("jobs; echo asked-$((1 + 1))\n")
        stopped = terminal.expect("asked-2") and "Stopped" in terminal.read(0.2)
        if stopped:
            break
        terminal.forget()
        time.sleep(0.5)
    results.ok("in the background it is stopped", ready and stopped, terminal.read())
    results.equal("... and leaves the terminal alone", terminal.attributes(), before)
    terminal.forget()
    terminal.type("fg\n")
    results.ok("... until it is in front", terminal.expect("inner terminal", 15), terminal.read())
    terminal.expect("shell> ")
    terminal.type("echo status-$?\n")
    results.ok("... its status", terminal.expect("status-6"), terminal.read())
    terminal.type("exit\n")
    terminal.wait(5)
    terminal.close()


def test(results):
    for world in worlds():
        for part in (plain, size, interrupts, ends, mixed, background, stopped_output):
            with results.under("as %s: " % world.user):
                part(results, world)


product_test(test)

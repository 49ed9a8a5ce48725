#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=240
"""anet credential set asks on a terminal without showing what is typed, and leaves
the terminal as it was however it ends; from a pipe it takes one line; what is no
key, or no name, changes nothing."""
import os
import select
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ANET, Terminal, private, product_test, wait_for, worlds  # noqa: E402
from machine import config_directory, config_overlays  # noqa: E402

KEY = "sk-typed-and-never-shown-0123456789"
ECHO = 0o10

# A shell in little: its child has the terminal; says when it stopped, then lets it go on.
SHELL = r"""
import os, signal, sys, termios
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    os.execv(sys.argv[1], sys.argv[1:])
while True:
    _, status = os.waitpid(child, os.WUNTRACED)
    os.tcsetpgrp(0, os.getpgrp())
    if not os.WIFSTOPPED(status):
        break
    print("stopped echo=%d" % bool(termios.tcgetattr(0)[3] & termios.ECHO), flush=True)
    os.tcsetpgrp(0, child)
    os.kill(child, signal.SIGCONT)
sys.exit(os.waitstatus_to_exitcode(status) & 255)
"""


def place(world):
    if world.user == "root":
        return config_directory() + "/credentials/anthropic"
    return world.home + "/.config/anet/credentials/anthropic"


def kept(world):
    try:
        with open(place(world), "rb") as file:
            return file.read()
    except OSError:
        return None


def begin(world, *before):
    terminal = Terminal([*before, ANET, "credential", "set", "--plain", "anthropic"], cwd=world.workspace, env=world.env,
                        **world.identity())
    asked = terminal.expect("not shown: ")
    return terminal, asked and wait_for(lambda: not terminal.attributes()[3] & ECHO, 5)


def forget(world):
    if kept(world) is not None:
        os.unlink(place(world))


def typed(results, world):
    forget(world)
    terminal, asked = begin(world)
    results.ok("it asks, and does not echo", asked and "Key for `anthropic`" in terminal.read(), terminal.read())
    terminal.type(KEY + "\n")
    results.equal("exit status", terminal.wait(20), 0, terminal.read())
    results.equal("the key is kept", kept(world), KEY.encode())
    results.lacks("it is not shown", terminal.read(), KEY[:8])
    results.contains("where is", terminal.read(), place(world))
    results.equal("the terminal is as before", terminal.attributes(), terminal.first)
    terminal.close()

    forget(world)
    terminal, asked = begin(world)
    terminal.type("wrong\x15" + KEY + "xy\x7f\x7f\n")
    results.equal("what is typed can be corrected", (asked, terminal.wait(20), kept(world)), (True, 0, KEY.encode()),
                  terminal.read())
    terminal.close()


def pasted(results, world):
    """The rest of a paste would be commands for the shell."""
    terminal, asked = begin(world)
    terminal.type(KEY + "\nrm -rf something\nand more\n")
    results.equal("two lines: the first", (asked, terminal.wait(20), kept(world)), (True, 0, KEY.encode()), terminal.read())
    ready, _, _ = select.select([terminal.slave], [], [], 0.3)
    results.equal("nothing is left for who reads next", ready, [])
    terminal.close()
    forget(world)
    terminal, asked = begin(world)
    terminal.type("x" * 3000 + "\n")
    results.equal("a line that is too long", (asked, terminal.wait(20), kept(world)), (True, 78, None), terminal.read())
    results.equal("the terminal is as before", terminal.attributes(), terminal.first)
    ready, _, _ = select.select([terminal.slave], [], [], 0.3)
    results.equal("and nothing of it is left", ready, [])
    terminal.close()


def ended(results, world):
    forget(world)
    for name, end, want in (("Ctrl-C", lambda t: t.type("sk-half\x03"), -signal.SIGINT),
                            ("Ctrl-\\", lambda t: t.type("\x1c"), -signal.SIGQUIT),
                            ("SIGTERM", lambda t: t.process.send_signal(signal.SIGTERM), -signal.SIGTERM),
                            ("SIGHUP", lambda t: t.process.send_signal(signal.SIGHUP), -signal.SIGHUP),
                            ("Ctrl-D", lambda t: t.type("\x04"), 78), ("an empty line", lambda t: t.type("\n"), 78)):
        terminal, asked = begin(world)
        end(terminal)
        results.equal(name + " ends it", (asked, terminal.wait(20)), (True, want), terminal.read())
        results.equal("... with the terminal as before", terminal.attributes(), terminal.first)
        results.equal("... and nothing kept", kept(world), None)
        terminal.close()


def stopped(results, world):
    forget(world)
    terminal, asked = begin(world, "/usr/bin/python3", "-c", SHELL)
    terminal.type("sk-half\x1a")
    results.ok("Ctrl-Z stops it, and the terminal echoes again", asked and terminal.expect("stopped echo=1"), terminal.read())
    again = wait_for(lambda: terminal.read().count("not shown: ") == 2 and not terminal.attributes()[3] & ECHO, 10)
    terminal.type(KEY + "\n")
    results.equal("then it asks again", (again, terminal.wait(20), kept(world)), (True, 0, KEY.encode()), terminal.read())
    results.equal("the terminal is as before", terminal.attributes(), terminal.first)
    results.lacks("it is not shown", terminal.read(), KEY[:8])
    terminal.close()


def ignored(results, world):
    """A signal that the caller ignores stays ignored."""
    forget(world)
    terminal, asked = begin(world, "/bin/sh", "-c", 'trap "" INT; exec "$@"', "sh")
    terminal.type("\x03")
    again = wait_for(lambda: terminal.read().count("not shown: ") == 2 and not terminal.attributes()[3] & ECHO, 10)
    terminal.type(KEY + "\n")
    results.equal("it asks again", (asked, again, terminal.wait(20), kept(world)), (True, True, 0, KEY.encode()),
                  terminal.read())
    terminal.close()


def piped(results, world):
    def set_key(data, **popen):
        forget(world)
        return world.run([ANET, "credential", "set", "--plain", "anthropic"], input=data, **popen)

    for name, data in (("a line", KEY + "\n"), ("no newline", KEY), ("the shortest", "8-bytes!"), ("the longest", "k" * 512),
                       ("the longest line", "k" * 512 + "\n")):
        result = set_key(data.encode())
        results.equal("taken: " + name, (result.status, kept(world)), (0, data.rstrip("\n").encode()), result)
        results.lacks("... and not shown", result.text + result.errors, data[:7])
    for name, data in (("nothing", b""), ("an empty line", b"\n"), ("two lines", (KEY + "\nx\n").encode()),
                       ("a line too many", (KEY + "\n\n").encode()), ("a blank", (KEY + " x").encode()),
                       ("a blank before", (" " + KEY).encode()), ("CR LF", (KEY + "\r\n").encode()),
                       ("a NUL", KEY.encode() + b"\0"), ("seven bytes", b"7-bytes"), ("513 bytes", b"k" * 513),
                       ("more", b"k" * 100000), ("a quote", (KEY + '"').encode()), ("a backslash", (KEY + "\\").encode()),
                       ("another script", (KEY + "\u0430").encode()), ("bytes", KEY.encode() + b"\xff")):
        result = set_key(data)
        # What is refused may end this while we still write.
        results.ok("refused: " + name, result.status == 78 and kept(world) is None and "nothing was changed" in result.errors
                   and KEY[:8] not in result.errors + result.text, result)
    endless = os.open("/dev/zero", os.O_RDONLY)
    result = world.run([ANET, "credential", "set", "anthropic"], stdin=endless)
    os.close(endless)
    results.equal("refused: input without end", (result.status, kept(world)), (78, None), result)
    result = world.run(["/bin/sh", "-c", '"$@" <&-', "sh", ANET, "credential", "set", "anthropic"])
    results.equal("refused: no standard input", (result.status, kept(world)), (78, None), result)
    result = world.run(["/bin/sh", "-c", '"$@" </', "sh", ANET, "credential", "set", "anthropic"])
    results.equal("refused: a directory", (result.status, kept(world)), (71, None), result)
    set_key(KEY.encode())
    before = os.stat(place(world)).st_ino
    world.run([ANET, "credential", "set", "--plain", "anthropic"], input=b"no key")
    results.equal("a key that is there stays", (os.stat(place(world)).st_ino, kept(world)), (before, KEY.encode()))


def words(results, world):
    def refused(name, words, part, status=64):
        result = world.run([ANET, "credential", *words], input=KEY.encode())
        results.ok("refused: " + name, result.status == status and part in result.errors and not result.out and
                   kept(world) is None, result)

    forget(world)
    for name in ("", "Anthropic", "1st", "a-b", "a.b", "../anthropic", "a/b", ".a", "a b", "a" * 33, "\u00e4", "a\n"):
        refused("the name %r" % name, ["set", name], "not the name of a key")
        refused("removing %r" % name, ["remove", name], "not the name of a key")
    refused("no verb", [], "set, list, remove")
    refused("an unknown verb", ["lst"], "did you mean `list`?")
    refused("no name", ["set"], "needs a name")
    refused("no name to remove", ["remove"], "needs a name")
    refused("both kinds", ["set", "--plain", "--sealed", "anthropic"], "do not go together")
    refused("a kind for another verb", ["remove", "--plain", "anthropic"], "are for `anet credential set`")
    refused("--json for another verb", ["set", "--json", "anthropic"], "is for `anet credential list`")
    refused("an unknown option", ["set", "--sealt", "anthropic"], "did you mean `--sealed`?")
    if world.user != "root":
        refused("sealing by others than root", ["set", "--sealed", "anthropic"], "only root's keys are sealed")
    result = world.run([ANET, "credential", "--help"])
    results.ok("--help", result.status == 0 and "--sealed" in result.text and not result.err, result)
    result = world.run([ANET, "credential", "set", "a" * 32], input=KEY.encode())
    results.equal("the longest name", result.status, 0, result)
    result = world.run([ANET, "credential", "remove", "a" * 32])
    results.equal("... is removed", result.status, 0, result)


def own(results, world):
    """The key of another user is his own, and his runs use it."""
    if world.user == "root":
        return
    home = world.home + "/.config/anet/credentials"
    forget(world)
    world.any_claude()
    world.run([ANET, "credential", "set", "anthropic"], input=KEY.encode())
    results.equal("modes", ["%o" % (os.stat(path).st_mode & 0o777) for path in (home + "/anthropic", home)], ["600", "700"])
    result = world.run([ANET, "run", "--agent", "claude", "--", "true"])
    results.equal("a run takes it", result.status, 0, result)
    if private.is_root:
        results.equal("nothing went to the machine's", os.path.exists(config_directory() + "/credentials/anthropic"), False)
    result = world.run([ANET, "credential", "list"])
    results.ok("it is listed", home + "/anthropic" in result.text and "claude" in result.text and KEY not in result.text, result)
    os.chmod(home, 0o777)
    result = world.run([ANET, "credential", "set", "anthropic"], input=KEY.encode())
    results.ok("a directory that others write is refused", result.status == 78 and "others can write" in result.errors, result)
    os.chmod(home, 0o700)
    result = world.run([ANET, "credential", "remove", "anthropic"])
    results.equal("it is removed", (result.status, kept(world)), (0, None), result)
    result = world.run([ANET, "credential", "set", "anthropic"], input=KEY.encode(), env={"HOME": "/nonexistent"})
    results.ok("a home that cannot be written", result.status == 71 and "/nonexistent" in result.errors, result)


def test(results):
    for world in worlds():
        for part in (typed, pasted, ended, stopped, ignored, piped, words, own):
            with results.under("as %s: %s: " % (world.user, part.__name__)):
                part(results, world)


product_test(test, overlays=config_overlays())

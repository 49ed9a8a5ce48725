#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=240
"""A runtime is a file of data: its program is found, seen with what it needs and
no more of the home, and started with its arguments and environment."""
import json
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ANET, private, product_test, worlds  # noqa: E402

RUNTIMES = os.path.join(private.PREFIX, "share", "anet", "runtimes")
BASE = {"name": "tool", "program": {"names": ["tool"], "search": ["~/v/*/bin", "~/bin"], "skip": ["shim"],
                                    "install": "npm install -g tool"}}
# Says what it is started with and what it sees.
SCRIPT = """echo "args: $*"; echo "path: $PATH"; echo "model: ${MODEL-none}"; echo "url: $URL"
for path in "$HOME_OF_CALLER/diary" "$HOME_OF_CALLER/lib/node_modules/other" "$HOME_OF_CALLER/.claude"; do
    [ -e "$path" ] && echo "sees $path"
done
[ -e "$SIBLING" ] && echo "sibling"
touch "$0" 2>/dev/null && echo "may write its program"
true
"""


def define(name, **changes):
    """Puts a runtime where those are that came with anet."""
    value = dict(BASE, name=name, **changes)
    with open(os.path.join(RUNTIMES, name + ".json"), "w") as file:
        json.dump(value, file)


def run(world, agent, *words, **popen):
    return world.run([ANET, "run", "--agent", agent, *words], **popen)


def interpreter(world, path):
    """A program that is no part of the system: the shell under another name."""
    shutil.copy(os.path.realpath("/bin/sh"), path)
    world.own(path)


def script_of_a_package(results, world):
    package = world.directory("lib/node_modules/@scope/tool")
    world.file("lib/node_modules/@scope/tool/cli.js", "#!/usr/bin/env interp\n" + SCRIPT, 0o755)
    sibling = world.file("lib/node_modules/@scope/tool-linux/native", "x")
    world.file("lib/node_modules/other/x", "x")
    world.file("diary", "x")
    world.directory("v/v9.0/bin")
    newest = world.directory("v/v10.1/bin")
    interpreter(world, newest + "/interp")
    os.symlink("../../../lib/node_modules/@scope/tool/cli.js", newest + "/tool")
    world.file("v/v9.0/bin/tool", "#!/bin/sh\necho old\n", 0o755)
    define("tool", arguments=["--first", "two words"],
           env={"HOME_OF_CALLER": world.home, "SIBLING": sibling, "MODEL": "${MODEL}", "URL": "${ENDPOINT}/x"})
    result = run(world, "tool", "--", "three", "--agent")
    lines = result.text.splitlines()
    results.equal("it runs", (result.status, result.errors.count("anet: ") <= 1), (0, True), result)
    results.equal("its arguments come first", lines[:1], ["args: --first two words three --agent"], result)
    results.ok("its directories are in front of PATH", any(line.startswith("path: %s:%s:" % (package, newest)) for line
                                                           in lines), result)
    results.ok("names in values are replaced, empty ones left out",
               "url: " in lines and "model: none" in lines, result)
    results.ok("the native sibling is there", "sibling" in lines, result)
    results.lacks("nothing else of the home is", result.text, "sees ")
    results.lacks("the program cannot be written", result.text, "may write")


def other_forms(results, world):
    define("tool", env={"HOME_OF_CALLER": world.home, "SIBLING": ""})
    native = world.file("opt/versions/1.0", "", 0o755)
    interpreter(world, native)
    os.chmod(native, 0o755)
    world.directory("bin")
    os.symlink(native, os.path.join(world.home, "bin", "tool"))
    result = run(world, "tool", "--", "-c", "echo $0; ls %s %s/opt/versions" % (world.home, world.home))
    results.equal("a native program, by its own path", (result.status, result.text.split()[:1]), (0, [native]), result)
    results.equal("alone", sorted(result.text.split()[1:]),
                  sorted(["%s:" % world.home, "opt", "work", "%s/opt/versions:" % world.home, "1.0"]), result)
    os.unlink(os.path.join(world.home, "bin", "tool"))

    world.file("bin/tool", "#!/bin/sh\nexec echo by the shell: \"$@\"\n", 0o755)
    result = run(world, "tool", "a b")
    results.equal("a script of the system's shell", (result.status, result.text), (0, "by the shell: a b\n"), result)

    workspace_tool = world.file("work/tool", "#!/bin/sh\necho in the workspace\n", 0o755)
    result = run(world, "tool", env={"PATH": world.workspace + ":" + world.env["PATH"]})
    results.equal("one in the workspace, where runs write, is passed over", (result.status, result.text), (0, "by the shell:\n"),
                  result)
    result = run(world, "tool", env={"PATH": ".:" + world.env["PATH"]})
    results.equal("a relative PATH does not count", (result.status, result.text), (0, "by the shell:\n"), result)
    os.unlink(workspace_tool)


def refusals(results, world):
    def refused(name, code, status, *parts, **popen):
        result = run(world, "tool", **popen)
        missing = [part for part in ("[%s]" % code,) + parts if part not in result.errors]
        results.ok("refused: " + name, result.status == status and not missing, "missing %r\n%r" % (missing, result))

    define("tool")
    os.unlink(os.path.join(world.home, "bin", "tool"))
    refused("not installed", "runtime_not_installed", 69, "looked in PATH, ~/v/*/bin, ~/bin", "npm install -g tool")
    world.file("bin/tool", "just text\n", 0o755)
    refused("a stub of text", "runtime_not_installed", 69, "bin/tool is neither an ELF program nor a script")
    world.file("bin/tool", "#!/usr/bin/env no-such-interp\n", 0o755)
    refused("no interpreter", "runtime_not_installed", 69, "needs no-such-interp")
    world.file("bin/shim", "#!/bin/sh\n", 0o755)
    os.unlink(os.path.join(world.home, "bin", "tool"))
    os.symlink("shim", os.path.join(world.home, "bin", "tool"))
    refused("a launcher", "runtime_not_installed", 69, "only the launcher shim")
    define("tool", env={"X": "${HOMES}"})
    os.unlink(os.path.join(world.home, "bin", "tool"))
    world.file("bin/tool", "#!/bin/sh\n", 0o755)
    refused("a name that is not replaced", "config_invalid", 78, "${HOMES}", "ENDPOINT")
    define("tool", wire="anthropic", host="example.com", scheme="http", credential={"name": "k"})
    refused("http to another machine", "config_invalid", 78, "loopback")
    define("tool", wire="smtp")
    refused("an unknown wire", "config_invalid", 78, "anthropic")
    define("tool", colour="red")
    refused("an unknown key", "config_invalid", 78, "`colour`", "line 1")
    with open(os.path.join(RUNTIMES, "tool.json"), "w") as file:
        json.dump(dict(BASE, name="another"), file)
    refused("the name of another", "config_invalid", 78, "`name` must be that of the file")


def test(results):
    ours = os.path.join(private.directory, "runtimes")
    shutil.copytree(RUNTIMES, ours)
    private.mount(ours, RUNTIMES, flags=private.MS_BIND)
    for world in worlds():
        with results.under("as %s: " % world.user):
            script_of_a_package(results, world)
            shutil.rmtree(os.path.join(world.home, "v"))
            other_forms(results, world)
            refusals(results, world)
            shutil.rmtree(os.path.join(world.home, "bin"))


product_test(test)

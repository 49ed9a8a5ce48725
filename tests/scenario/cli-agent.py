#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=300
"""anet agent add, set, show and list: what is written was checked before, and changes
nothing that the line does not name."""
import os
import stat
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import machine  # noqa: E402
from agents import COMMENTED, ESCAPE, agent, clean, directory, left, path_of, read, refused, value, without_comments, write  # noqa: E402
from harness import ANET, product_test, worlds  # noqa: E402


def adding(results, world):
    clean(world)
    result = agent(world, "add", "demo", "--runtime", "command", "--", "make", "a \"test\"")
    path = path_of(world, "demo")
    info = os.stat(path)
    results.equal("exit status", result.status, 0, result)
    results.contains("the file is named", result.text, path)
    results.equal("its members, the first ones first", list(value(world, "demo").items()),
                  [("runtime", "command"), ("strategy", "host"), ("arguments", ["make", "a \"test\""])])
    results.equal("owner and mode", (info.st_uid, stat.S_IMODE(info.st_mode)), (world.uid, 0o644))
    results.equal("nothing else is there", left(world), [".lock"])
    for part in ("host", "no boundary", "no strategy was named", "--strategy srt"):
        results.contains("what was chosen, and why: " + part, " ".join(result.text.split()), part)
    result = agent(world, "add", "claude")
    results.equal("a runtime's own name says its runtime", value(world, "claude")["runtime"], "claude", result)
    results.ok("what is missing is a warning", result.status == 0 and "[runtime_not_installed]" in result.errors and
               "[no_api_key]" in result.errors, result)
    result = agent(world, "add", "boxed", "--runtime", "command", "--strategy", "srt", "--workspace", ".", "--home", "kept",
                   "--protect", "false", "--limit", "tasks=64", "--limit", "requests=0", "--env", "A=b=c", "--env", "B=",
                   "--egress", "none", "--mount", "/usr/share", "--mount", "/usr/lib:writable", "--server-tool", "web_search",
                   "--server-tool", "web_fetch", "--model", "agent")
    results.equal("all options", value(world, "boxed"), {
        "runtime": "command", "strategy": "srt", "workspace": world.workspace, "home": "kept", "protect": False,
        "limits": {"tasks": 64, "requests": 0}, "env": {"A": "b=c", "B": ""}, "egress": "none",
        "mounts": [{"source": "/usr/share"}, {"source": "/usr/lib", "mode": "writable"}],
        "server_tools": ["web_search", "web_fetch"], "model": "agent"}, result)
    agent(world, "set", "boxed", "--unset", "mounts", "--unset", "home")
    result = world.run([ANET, "run", "--agent", "boxed", "--", "sh", "-c", "echo $A"])
    results.ok("it runs", result.status == 0 and result.text == "b=c\n", result)
    refused(results, world, "a name that is taken", ["add", "demo", "--runtime", "command"], "agent_exists", path, status=73)


def workspaces(results, world):
    """SPEC S2.3: none lies inside another's."""
    clean(world)
    outer, inner = world.directory("outer"), world.directory("outer/inner")
    agent(world, "add", "one", "--runtime", "command", "--workspace", outer)
    refused(results, world, "inside another's", ["add", "two", "--runtime", "command", "--workspace", inner], "workspace_invalid",
            inner, outer, '"one"')
    result = agent(world, "add", "two", "--runtime", "command", "--workspace", outer)
    results.equal("the same one is shared", (result.status, value(world, "two")["workspace"]), (0, outer), result)
    agent(world, "set", "one", "--workspace", inner, "--unset", "workspace")
    result = agent(world, "set", "two", "--workspace", inner)
    results.equal("what is not named any more is free", result.status, 0, result)
    refused(results, world, "around another's", ["set", "one", "--workspace", outer], "workspace_invalid", inner, outer, '"two"')


def bad_values(results, world):
    """Refused by the readers of configuration, before anything is written."""
    clean(world)
    agent(world, "add", "demo", "--runtime", "command")
    add = ["add", "new", "--runtime", "claude"]
    for name, words, code, part in (
            ("no runtime", ["add", "new"], "usage", "there are: claude, codex, command"),
            ("a runtime that is none", ["add", "new", "--runtime", "claud"], "agent_unknown", "did you mean `claude`?"),
            ("a strategy that is none", [*add, "--strategy", "docker"], "strategy_unknown",
             'this machine has no "docker" execution strategy'),
            ("a strategy that cannot run", [*add, "--strategy", "microsandbox"], "strategy_not_built",
             "microsandbox is not part of this build"),
            ("set to one", ["set", "demo", "--strategy", "microsandbox"], "strategy_not_built", "not part of this build"),
            ("a limit that is none", [*add, "--limit", "taks=3"], "config_invalid", "did you mean `tasks`?"),
            ("a limit too small", [*add, "--limit", "tasks=1"], "config_invalid", "from 8 to"),
            ("a limit that is no number", [*add, "--limit", "tasks=many"], "config_invalid", "must be a whole number"),
            ("a number of JSON's", [*add, "--limit", "tasks=1e2"], "config_invalid", "must be a whole number"),
            ("more than a number", [*add, "--limit", 'tasks=64, "memory_mib": 0'], "config_invalid", "must be a whole number"),
            ("no value", [*add, "--limit", "tasks"], "usage", "NAME=NUMBER"),
            ("no name", [*add, "--env", "=x"], "usage", "NAME=VALUE"),
            ("a variable that loads code", [*add, "--env", "LD_PRELOAD=x"], "config_invalid", "LD_PRELOAD"),
            ("a model", [*add, "--model", "a b"], "config_invalid", "a model has"),
            ("an empty model", [*add, "--model", ""], "config_invalid", "not empty"),
            ("a home", [*add, "--home", "sweet"], "config_invalid", "ephemeral"),
            ("a truth", [*add, "--protect", "maybe"], "config_invalid", "true or false"),
            ("a server tool", [*add, "--server-tool", "web"], "config_invalid", "web_search"),
            ("another api_base", [*add, "--api-base", "https://other.example"], "config_invalid", "another `api_base` is refused"),
            ("an api_base that is none", [*add, "--api-base", "http://other.example"], "config_invalid", "loopback"),
            ("a service without a model", ["add", "new", "--runtime", "command", "--api-base", "https://other.example"],
             "no_model", "other.example"),
            ("what the runtime sets itself", [*add, "--env", "ANTHROPIC_MODEL=x"], "config_invalid", "sets itself"),
            ("a workspace that is not there", [*add, "--workspace", "/nonexistent"], "workspace_invalid", "No such file"),
            ("a workspace that is a file", [*add, "--workspace", "/etc/passwd"], "workspace_invalid", "not a directory"),
            ("one of anet's own", [*add, "--workspace", directory(world)], "never_visible", "keeps its own"),
            ("egress: a port", [*add, "--egress", "a.example:443"], "host_invalid", "without port"),
            ("egress: nothing", [*add, "--egress", ""], "host_invalid", "`none` is the word"),
            ("egress without a boundary", [*add, "--strategy", "host", "--egress", "public"], "egress_unsupported", "host"),
            ("a mount that is not there", ["set", "demo", "--strategy", "srt", "--mount", "/nonexistent"], "mount_invalid",
             "/nonexistent"),
            ("a mount that srt cannot make", [*add, "--strategy", "srt", "--mount", "/usr/share:/opt/x"], "mount_unsupported",
             "/opt/x"),
            ("what is no option", [*add, "--memory", "3"], "usage", "--memory"),
            ("a word", [*add, "make"], "usage", "behind `--`"),
            ("nothing to set", ["set", "demo"], "usage", "something to set"),
            ("what cannot be unset", ["set", "demo", "--unset", "modell"], "usage", "did you mean `model`?"),
            ("what must be there", ["set", "demo", "--unset", "runtime"], "config_invalid", "no `runtime`"),
            ("no such agent", ["set", "demoo", "--model", "x"], "agent_unknown", "did you mean `demo`?"),
            ("a runtime", ["set", "claude", "--model", "x"], "agent_unknown", "anet agent add claude"),
            ("half a character", [*add, "--env", b"A=\xff"], "config_invalid", "UTF-8"),
            ("a name", ["add", "../demo", "--runtime", "command"], "usage", "no agent can be called"),
            ("a capital", ["add", "Demo", "--runtime", "command"], "usage", "no agent can be called"),
            ("a name of nothing", ["add", "", "--runtime", "command"], "usage", "no agent can be called"),
            ("a long one", ["add", "a" * 33, "--runtime", "command"], "usage", "at most 32"),
            ("an escape", ["add", ESCAPE, "--runtime", "command"], "usage", "\\x1b]0;x\\x07"),
            ("another verb", ["edit", "demo"], "usage", "no `edit`"),
            ("too many names", ["show", "demo", "demo"], "usage", "`demo`"),
            ("too few", ["rename", "demo"], "usage", "two names"),
            ("what is for others", ["show", "demo", "--model", "x"], "usage", "--model"),
            ("JSON of what has none", ["set", "demo", "--json", "--model", "x"], "usage", "--json")):
        refused(results, world, name, words, code, part)


def editing(results, world):
    """Only what is named changes; the rest stays byte for byte."""
    clean(world)
    path = write(world, "demo", COMMENTED, 0o600)
    inode = os.stat(path).st_ino
    result = agent(world, "set", "demo", "--model", "two", "--limit", "tasks=64")
    results.equal("values are replaced where they stand", read(path),
                  COMMENTED.replace('"one"', '"two"').replace("99", "64"), result)
    results.ok("as a whole, its mode kept", os.stat(path).st_ino != inode and stat.S_IMODE(os.stat(path).st_mode) == 0o600)
    agent(world, "set", "demo", "--env", "A=b")
    results.equal("a new one comes last", read(path), COMMENTED.replace('"one"', '"two"').replace("99", "64").replace(
        '"/srv/a b" // last\n', '"/srv/a b", // last\n  "env": {"A": "b"}\n'))
    agent(world, "set", "demo", "--unset", "env.A")
    results.equal("and goes again", read(path), COMMENTED.replace('"one"', '"two"').replace("99", "64"))
    agent(world, "set", "demo", "--unset", "limits", "--unset", "model", "--unset", "workspace")
    text = read(path)
    results.equal("what is left", without_comments(text), {"runtime": "command"})
    for part in ("// Who works", "// any program", '/* not "model": "x" */', "// the first", "// last", "// the end"):
        results.contains("comments stay: " + part, text, part)
    inode = os.stat(path).st_ino
    result = agent(world, "set", "demo", "--unset", "model")
    results.ok("nothing to change: the file is not touched", result.status == 0 and os.stat(path).st_ino == inode and
               "has no `model`" in result.text and "Nothing is changed" in result.text, result)
    write(world, "demo", '{"runtime": "command", "limits": 3}')
    refused(results, world, "a section that is none", ["set", "demo", "--limit", "tasks=64"], "config_invalid", "limits")
    write(world, "demo", '{"runtime": "command", "modell": "x"}')
    refused(results, world, "a file with a mistake elsewhere", ["set", "demo", "--model", "x"], "config_invalid", "modell")
    write(world, "demo", '{"runtime": "nope", "model": "x"}')
    result = agent(world, "set", "demo", "--runtime", "command")
    results.equal("a mistake that the line corrects", (result.status, value(world, "demo")["runtime"]), (0, "command"), result)
    write(world, "demo", '{"runtime": "command", "strategy": "microsandbox"}')
    result = agent(world, "set", "demo", "--model", "x")
    results.equal("a saved choice that cannot run stays", (result.status, value(world, "demo")["strategy"]),
                  (0, "microsandbox"), result)


def showing(results, world):
    clean(world)
    write(world, "demo", '{"runtime": "command", "strategy": "srt",\n"limits": {"tasks": 99}, "env": {"A": "%s"}}'
          % ESCAPE.encode("unicode_escape").decode().replace("\\x", "\\u00"))
    write(world, "odd", '{"runtime": "command", "strategy": "microsandbox", "workspace": "/srv/x"}')
    write(world, "broken", '{"runtim": "command"}')
    write(world, "No Agent", '{"runtime": "command"}')
    write(world, ESCAPE, '{"runtime": "command"}')
    result = agent(world, "show", "demo")
    results.equal("show", result.status, 0, result)
    for part in (path_of(world, "demo") + ":2", "default", "no boundary", "saved", 'Sessions of agent "demo" run in srt.'):
        results.contains("show has: " + part, result.text, part)
    results.lacks("show does nothing to a terminal", result.text, "\033")
    result, shown = world.run_json([ANET, "agent", "show", "demo"], {})
    values = {row["key"]: row for row in shown.get("values", ())}
    results.equal("as JSON", (shown["schema"], shown["name"], shown["file"], shown["saved"], shown["can_run"]),
                  ("anet.agent/1", "demo", path_of(world, "demo"), "srt", True), result)
    results.equal("where a value comes from", [(values[key]["value"], values[key]["file"], values[key]["line"])
                                               for key in ("limits.tasks", "runtime", "protect")],
                  [(99, path_of(world, "demo"), 2), ("command", path_of(world, "demo"), 1), (True, None, None)])
    result = agent(world, "list")
    results.equal("list", result.status, 0, result)
    results.lacks("list does nothing to a terminal", result.text, "\033")
    rows = {line.split()[0]: line.split() for line in result.text.split("\n\n")[0].splitlines()}
    results.equal("its columns", rows["NAME"], ["NAME", "RUNTIME", "STRATEGY", "STATE", "MODEL", "WORKSPACE"])
    results.equal("one that runs", rows["demo"][:4], ["demo", "command", "srt", "available"])
    results.equal("one that cannot", rows["odd"], ["odd", "command", "microsandbox", "strategy_not_built", "/srv/x"])
    results.equal("one that cannot be read", rows["broken"][1], "config_invalid")
    for part in ("microsandbox is not part of this build", "did you mean `runtime`?", "no agent can be called \"No Agent\""):
        results.contains("and why: " + part, " ".join(result.text.split()), part)
    result, listed = world.run_json([ANET, "agent", "list"], {})
    by_name = {row["name"]: row for row in listed.get("agents", ())}
    results.equal("as JSON: the list", (listed["schema"], by_name["odd"]["can_run"], by_name["odd"]["code"], by_name["odd"]["detail"]),
                  ("anet.agents/1", False, "strategy_not_built", "microsandbox is not part of this build"), result)
    results.equal("and its files", by_name["demo"]["file"], path_of(world, "demo"))
    clean(world)
    result = agent(world, "list")
    results.ok("none", result.status == 0 and "anet agent add" in result.text, result)


def machine_config(results, world):
    """Strategies that are off: what a new agent gets, and what it cannot get."""
    clean(world)
    world.config({"sandbox": {"host": False}})
    result = agent(world, "add", "demo", "--runtime", "command")
    results.ok("the first that can run", value(world, "demo")["strategy"] == "srt" and "no strategy was named" in result.text, result)
    refused(results, world, "one that is off", ["set", "demo", "--strategy", "host"], "strategy_off",
            "sandbox.host is off on this machine", status=77)
    world.config({"sandbox": {"host": False, "srt": False}})
    refused(results, world, "none can run", ["add", "new", "--runtime", "command"], "no_strategy",
            "startup refused: no execution strategy can run on this machine (host: sandbox.host is off on this machine; "
            "srt: sandbox.srt is off on this machine; microsandbox: microsandbox is not part of this build)", status=69)
    world.config({})


def test(results):
    for world in worlds():
        for part in (adding, workspaces, bad_values, editing, showing, machine_config):
            with results.under("as %s: %s: " % (world.user, part.__name__)):
                part(results, world)
                clean(world)


product_test(test, overlays=machine.config_overlays())

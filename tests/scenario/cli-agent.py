#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=300
"""anet agent: what is written was checked before, is written whole or not at all, and
changes nothing that the line does not name; who may write what; what is shown."""
import json
import os
import re
import shutil
import stat
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import machine  # noqa: E402
from harness import ANET, Terminal, World, private, product_test, worlds  # noqa: E402

SYSTEM = os.path.join(machine.config_directory(), "agents.d")
ESCAPE = "\033]0;x\007"


def directory(world):
    return SYSTEM if world.user == "root" else os.path.join(world.home, ".config/anet/agents.d")


def path_of(world, name):
    return os.path.join(directory(world), name + ".json")


def agent(world, *words, **keywords):
    return world.run([ANET, "agent", *words], **keywords)


def read(path):
    with open(path) as file:
        return file.read()


def without_comments(text):
    return json.loads(re.sub(r'//[^\n]*|/\*.*?\*/', "", text, flags=re.DOTALL))


def value(world, name):
    return without_comments(read(path_of(world, name)))


def write(world, name, text, mode=0o644):
    if not os.path.isdir(directory(world)):
        os.makedirs(directory(world))
        world.own(directory(world))
    path = path_of(world, name)
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, mode)
    return world.own(path)


def clean(world):
    shutil.rmtree(directory(world), ignore_errors=True)


def left(world):
    """Names in the directory that are no agents: nothing but the lock may stay."""
    return sorted(name for name in os.listdir(directory(world)) if not name.endswith(".json"))


def refused(results, world, name, words, code, *parts, status=None, **keywords):
    before = {entry: read(os.path.join(directory(world), entry)) for entry in os.listdir(directory(world))}
    result = agent(world, *words, **keywords)
    after = {entry: read(os.path.join(directory(world), entry)) for entry in os.listdir(directory(world))}
    results.ok("refused: " + name, result.status != 0 and (status is None or result.status == status) and
               "[%s]" % code in result.errors and all(part in result.errors for part in parts) and
               b"\033" not in result.err, result)
    results.equal("refused: %s: nothing is written" % name, after, before)


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
    agent(world, "set", "boxed", "--unset", "mounts")
    result = world.run([ANET, "run", "--agent", "boxed", "--", "sh", "-c", "echo $A"])
    results.ok("it runs", result.status == 0 and result.text == "b=c\n", result)
    refused(results, world, "a name that is taken", ["add", "demo", "--runtime", "command"], "agent_exists", path, status=73)


def bad_values(results, world):
    """Refused by the readers of configuration, before anything is written."""
    clean(world)
    agent(world, "add", "demo", "--runtime", "command")
    add = ["add", "new", "--runtime", "claude"]
    for name, words, code, part in (
            ("no runtime", ["add", "new"], "usage", "there are: claude, command"),
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
            ("an api_base for nothing", ["add", "new", "--runtime", "command", "--api-base", "https://other.example"],
             "config_invalid", "uses no model service"),
            ("egress", [*add, "--egress", "public"], "egress_unsupported", "--egress public"),
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


COMMENTED = """// Who works on the project.
{
  "runtime": "command", // any program
  /* not "model": "x" */
  "model": "one", // the first
  "limits": { "tasks": 99 /* enough */, "requests": 5 },
  "workspace": "/srv/a b" // last
}
// the end
"""


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


def files(results, world):
    """What is in the place of the file, or of the directory."""
    clean(world)
    agent(world, "add", "demo", "--runtime", "command")
    path = path_of(world, "demo")
    target = world.file("elsewhere.json", '{"runtime": "command"}')
    os.unlink(path)
    os.symlink(target, path)
    world.own(path)
    result = agent(world, "set", "demo", "--model", "x")
    results.ok("a link is refused", result.status == 78 and "symbolic link" in result.errors and os.path.islink(path) and
               "model" not in read(target), result)
    os.unlink(path)
    write(world, "demo", '{"runtime": "command"}', 0o666)
    refused(results, world, "one that others can write", ["set", "demo", "--model", "x"], "config_unreadable", "others")
    os.unlink(path)
    os.mkfifo(path, 0o600)
    world.own(path)
    result = agent(world, "set", "demo", "--model", "x")
    results.ok("a FIFO", result.status == 78 and "[config_unreadable]" in result.errors, result)
    os.unlink(path)
    write(world, "demo", '{"runtime": "command"')
    refused(results, world, "no JSON", ["set", "demo", "--model", "x"], "config_invalid", "line 1")
    write(world, "demo", '{"runtime": "command"}')
    write(world, ".demo.json", "left by one that was killed")
    os.rename(path_of(world, ".demo.json"), os.path.join(directory(world), ".demo.json.new"))
    result = agent(world, "set", "demo", "--model", "x")
    results.equal("what a killed one has left goes", (result.status, value(world, "demo").get("model"), left(world)),
                  (0, "x", [".lock"]), result)
    os.chmod(directory(world), 0o777)
    refused(results, world, "a directory that others can write", ["set", "demo", "--model", "y"], "directory_unsafe", "others")
    os.chmod(directory(world), 0o755)
    elsewhere = directory(world) + ".moved"
    os.rename(directory(world), elsewhere)
    os.symlink(elsewhere, directory(world))
    refused(results, world, "a link to a directory", ["set", "demo", "--model", "y"], "directory_unsafe", "symbolic link")
    os.unlink(directory(world))
    os.rename(elsewhere, directory(world))
    if world.user != "root":
        os.chmod(directory(world), 0o555)
        refused(results, world, "a directory that cannot be written", ["set", "demo", "--model", "y"], "system",
                "Permission denied")
        os.chmod(directory(world), 0o755)


def full_disk(results, world):
    clean(world)
    agent(world, "add", "demo", "--runtime", "command")
    text = read(path_of(world, "demo"))
    private.mount("full", directory(world), "tmpfs", private.MS_NOSUID, "size=64k,mode=755,uid=%d,gid=%d" % (world.uid, world.gid))
    write(world, "demo", text)
    with open(os.path.join(directory(world), ".lock"), "w"):
        world.own(os.path.join(directory(world), ".lock"))
    ballast = os.open(os.path.join(directory(world), "ballast"), os.O_WRONLY | os.O_CREAT)
    try:
        while True:
            os.write(ballast, b"x" * 512)
    except OSError:
        os.close(ballast)
    result = agent(world, "set", "demo", "--env", "A=" + "b" * 8000)
    results.ok("a full disk is told", result.status == 71 and "No space left" in result.errors and "as it was" in result.errors,
               result)
    results.equal("the file is as it was, and nothing is left", (read(path_of(world, "demo")), left(world)),
                  (text, [".lock", "ballast"]))
    private.unmount(directory(world))


def two_writers(results, world):
    clean(world)
    agent(world, "add", "demo", "--runtime", "command")
    writers = [world.start([ANET, "agent", "set", "demo", "--env", "V%d=x" % i]) for i in range(12)]
    statuses = [writer.wait(60) for writer in writers]
    for writer in writers:
        writer.stdout.close()
        writer.stderr.close()
    results.equal("all succeed", statuses, [0] * 12)
    results.equal("none loses another's change", sorted(value(world, "demo")["env"]), sorted("V%d" % i for i in range(12)))
    makers = [world.start([ANET, "agent", "add", "once", "--runtime", "command", "--env", "V%d=x" % i]) for i in range(6)]
    statuses = sorted(maker.wait(60) for maker in makers)
    for maker in makers:
        maker.stdout.close()
        maker.stderr.close()
    results.equal("one of many adds it", statuses, [0] + [73] * 5)


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


def removing(results, world):
    clean(world)
    agent(world, "add", "demo", "--runtime", "command")
    refused(results, world, "without a terminal", ["remove", "demo"], "usage", "--yes")
    for answer, status, there in (("n\n", 0, True), ("\n", 0, True), ("y\n", 0, False)):
        terminal = Terminal([ANET, "agent", "remove", "demo"], env=world.env, **world.identity())
        terminal.read(0.3)
        terminal.type(answer)
        terminal.wait(10)
        text = terminal.read()
        terminal.close()
        results.ok("asked, and answered %r" % answer, os.path.exists(path_of(world, "demo")) == there and
                   "[y/N]" in text and path_of(world, "demo") in text, text)
    refused(results, world, "what is gone", ["remove", "demo", "--yes"], "agent_unknown")
    write(world, "broken", "{")
    result = agent(world, "remove", "broken", "--yes")
    results.ok("one that cannot be read", result.status == 0 and not os.path.exists(path_of(world, "broken")), result)
    target = world.file("elsewhere.json", "{}")
    os.symlink(target, path_of(world, "link"))
    result = agent(world, "remove", "link", "--yes")
    results.ok("of a link the link", result.status == 0 and os.path.exists(target) and
               not os.path.lexists(path_of(world, "link")), result)


def renaming(results, world):
    clean(world)
    write(world, "demo", COMMENTED)
    agent(world, "add", "other", "--runtime", "command")
    kept = world.directory(".local/share/anet/homes", 0o700)
    os.makedirs(kept + "/demo")
    for place in (".local", ".local/share", ".local/share/anet", ".local/share/anet/homes/demo"):
        world.own(os.path.join(world.home, place))
    world.file(".local/share/anet/homes/demo/note", "kept")
    refused(results, world, "a name that is taken", ["rename", "demo", "other"], "agent_exists", "other")
    refused(results, world, "a name that is none", ["rename", "demo", "Other"], "usage", "no agent can be called")
    refused(results, world, "no such agent", ["rename", "nobody", "new"], "agent_unknown")
    os.mkdir(kept + "/new")
    refused(results, world, "what another of that name has left", ["rename", "demo", "new"], "agent_exists", kept + "/new")
    results.ok("what was kept is where it was", os.path.exists(kept + "/demo/note"))
    os.rmdir(kept + "/new")
    result = agent(world, "rename", "demo", "new")
    results.ok("renamed", result.status == 0 and not os.path.exists(path_of(world, "demo")) and
               read(path_of(world, "new")) == COMMENTED, result)
    results.ok("with what it has kept", os.path.exists(kept + "/new/note") and not os.path.exists(kept + "/demo") and
               kept + "/new" in result.text, result)
    shutil.rmtree(os.path.join(world.home, ".local"))


def layers(results, root, user):
    """A user's file says over the machine's, key by key."""
    clean(root)
    clean(user)
    agent(root, "add", "demo", "--runtime", "command", "--strategy", "srt", "--model", "one", "--limit", "tasks=50")
    result = agent(user, "set", "demo", "--limit", "tasks=60")
    results.equal("a file of his own, with just that", value(user, "demo"), {"limits": {"tasks": 60}}, result)
    _, shown = user.run_json([ANET, "agent", "show", "demo"], {})
    values = {row["key"]: row for row in shown.get("values", ())}
    results.equal("both are seen", [(values[key]["value"], values[key]["file"]) for key in ("model", "limits.tasks")],
                  [("one", path_of(root, "demo")), (60, path_of(user, "demo"))])
    agent(root, "add", "only", "--runtime", "command")
    refused(results, user, "the machine's name is taken", ["add", "only", "--runtime", "command"], "agent_exists",
            path_of(root, "only"))
    for words in (["remove", "only", "--yes"], ["rename", "only", "mine"]):
        refused(results, user, "the machine's are root's: " + words[0], words, "not_permitted", path_of(root, "only"))
    result = agent(user, "remove", "demo", "--yes")
    results.ok("the machine's stays", result.status == 0 and path_of(root, "demo") in result.text and
               os.path.exists(path_of(root, "demo")), result)
    root.file(".config/anet/agents.d/demo.json", '{"model": "two"}')
    result = agent(root, "set", "demo", "--model", "three")
    results.contains("what says over it is named", result.text, "/root/.config/anet/agents.d/demo.json")
    shutil.rmtree("/root/.config")


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


def sessions(results, root):
    """What units keep goes along, but not while one runs."""
    clean(root)
    machine.anet_directory()
    os.makedirs("/run/anet/sessions")
    agent(root, "add", "demo", "--runtime", "command")
    kept = ["/var/cache/anet/work-sandbox/demo/main", "/var/lib/anet/homes/demo-main", "/var/lib/anet/homes/demo-x",
            "/var/lib/anet/homes/demos-main"]
    for path in kept:
        os.makedirs(path)
        os.chmod(os.path.dirname(path), 0o700)
    cgroup = "/sys/fs/cgroup"
    living = machine.Session("demo-x", cgroup="/.")
    result = agent(root, "rename", "demo", "new")
    if "is called" in result.text:
        results.note("%s has no control group to live in: a session that lives is not tried" % cgroup)
        agent(root, "rename", "new", "demo")
    else:
        results.ok("not while a session runs", result.status == 75 and "anet-session@demo-x" in result.errors and
                   os.path.exists(path_of(root, "demo")), result)
    shutil.rmtree(living.directory)
    os.chmod("/var/lib/anet/homes", 0o777)
    refused(results, root, "a place that others can write", ["rename", "demo", "new"], "directory_unsafe", "/var/lib/anet/homes")
    os.chmod("/var/lib/anet/homes", 0o700)
    os.makedirs("/var/lib/anet/homes/new-x")
    refused(results, root, "one of several is taken", ["rename", "demo", "new"], "agent_exists", "/var/lib/anet/homes/new-x")
    results.ok("then none is moved", all(os.path.isdir(path) for path in kept))
    os.rmdir("/var/lib/anet/homes/new-x")
    result = agent(root, "rename", "demo", "new")
    results.equal("all go along, those of others do not", (sorted(os.listdir("/var/lib/anet/homes")),
                                                           os.listdir("/var/cache/anet/work-sandbox")),
                  (["demos-main", "new-main", "new-x"], ["new"]), result)
    result = agent(root, "remove", "new", "--yes")
    results.ok("what stays is told", all(path in result.text for path in ("/var/lib/anet/homes/new-main", "/var/cache/anet/work-sandbox/new")) and
               "demos" not in result.text and os.path.isdir("/var/lib/anet/homes/new-main"), result)


def test(results):
    for world in worlds():
        for part in (adding, bad_values, editing, files, full_disk, two_writers, showing, removing, renaming, machine_config):
            with results.under("as %s: %s: " % (world.user, part.__name__)):
                part(results, world)
                clean(world)
    if private.is_root:
        with results.under("layers: "):
            layers(results, World("root"), World("user"))
        with results.under("sessions: "):
            sessions(results, World("root"))


product_test(test, overlays=(*machine.config_overlays(), "/var/lib", "/var/cache"))

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=300
"""anet agent and the files: written whole or not at all, by one at a time, never through
a link; who may write what; what goes along with a name, and what stays."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import machine  # noqa: E402
from agents import COMMENTED, agent, clean, directory, left, path_of, read, refused, value, write  # noqa: E402
from harness import ANET, Terminal, World, private, product_test, worlds  # noqa: E402


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
    if world.user == "root":
        above = os.path.dirname(directory(world))
        os.chmod(above, 0o775)
        refused(results, world, "one above it that others can write", ["set", "demo", "--model", "y"], "directory_unsafe", "above")
        os.chmod(above, 0o755)
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
        refused(results, user, "the machine's are root's: " + words[0], words, "needs_root", path_of(root, "only"))
    refused(results, user, "what is no agent on its own has no other name", ["rename", "demo", "mine"], "config_invalid",
            "nothing is renamed", "no `runtime`")
    result = agent(user, "remove", "demo", "--yes")
    results.ok("the machine's stays", result.status == 0 and path_of(root, "demo") in result.text and
               os.path.exists(path_of(root, "demo")), result)
    root.file(".config/anet/agents.d/demo.json", '{"model": "two"}')
    result = agent(root, "set", "demo", "--model", "three")
    results.contains("what says over it is named", result.text, "/root/.config/anet/agents.d/demo.json")
    shutil.rmtree("/root/.config")


def sessions(results, root):
    """What units keep goes along, but not while one runs."""
    clean(root)
    machine.anet_directory()
    os.makedirs("/run/anet/sessions")
    agent(root, "add", "demo", "--runtime", "command")
    kept = ["/var/cache/anet/work-sandbox/demo/main", "/var/lib/anet/homes/demo-main", "/var/lib/anet/homes/demo-x",
            "/var/lib/anet/homes/demos-main", "/var/cache/anet/work/demo/main"]
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
                                                           os.listdir("/var/cache/anet/work-sandbox"),
                                                           os.listdir("/var/cache/anet/work")),
                  (["demos-main", "new-main", "new-x"], ["new"], ["new"]), result)
    result = agent(root, "remove", "new", "--yes")
    results.ok("what stays is told", all(path in result.text for path in ("/var/lib/anet/homes/new-main", "/var/cache/anet/work-sandbox/new")) and
               "demos" not in result.text and os.path.isdir("/var/lib/anet/homes/new-main"), result)


def test(results):
    for world in worlds():
        for part in (files, full_disk, two_writers, removing, renaming):
            with results.under("as %s: %s: " % (world.user, part.__name__)):
                part(results, world)
                clean(world)
    if private.is_root:
        with results.under("layers: "):
            layers(results, World("root"), World("user"))
        with results.under("sessions: "):
            sessions(results, World("root"))


product_test(test, overlays=(*machine.config_overlays(), "/var/lib", "/var/cache"))

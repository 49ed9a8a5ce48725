#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""`anet config check` tells every problem of all files with its place, and `anet
config show` each value with where it comes from; what they refuse nothing starts
with; retired keys are told, by what starts sessions once after a boot."""
import json
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ANET, private, product_test, worlds  # noqa: E402
import machine  # noqa: E402

ETC = machine.config_directory()


def system(name, value):
    """A file of the machine's; None: it goes."""
    path = os.path.join(ETC, name)
    if value is None:
        os.unlink(path)
        return path
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(value if isinstance(value, str) else json.dumps(value))
    os.chmod(path, 0o644)
    return path


def own(world, name, text):
    return world.file(".config/anet/" + name, text, 0o600)


def clear(world):
    shutil.rmtree(os.path.join(world.home, ".config"), ignore_errors=True)
    if private.is_root:
        shutil.rmtree(ETC, ignore_errors=True)


def check(world):
    return world.run([ANET, "config", "check"])


def problems(world):
    result, found = world.run_json([ANET, "config", "check"], {"problems": [], "warnings": []})
    return result, [(each["code"], each["detail"]) for each in found["problems"]], [
        each["detail"] for each in found["warnings"]]


def values(world):
    result, found = world.run_json([ANET, "config", "show"], {"values": []})
    return result, {each["key"]: (each["value"], each["file"], each["line"]) for each in found["values"]}


def without_files(results, world):
    result = check(world)
    results.ok("no file is valid", result.status == 0 and "The configuration is valid: no file, so defaults, 0 agents" in
               result.text, result)
    result, found = values(world)
    results.equal("defaults come from nowhere", (found.get("sandbox.host"), found.get("limits.tasks"), found.get("host.user")),
                  ((True, None, None), (256, None, None), ("anet-host", None, None)), result)
    text = world.run([ANET, "config", "show"]).text
    results.ok("the columns line up", len({line.index("default") for line in text.splitlines()[1:]}) == 1, text)


def comments(results, world):
    path = own(world, "config.json", '// { "limits": 1 }\n{ /* "x":\n */ "limits": { // tasks\n "tasks": 77 },\n'
                                     ' "sandbox": { "mounts": [ { "source": "/usr" },\n { "source": "/opt" } ] } }\n')
    result, found = values(world)
    results.equal("a value behind comments, with its line", found.get("limits.tasks"), (77, path, 4), result)
    results.equal("each mount with its own", (found.get("sandbox.mounts[0]"), found.get("sandbox.mounts[1]")),
                  (({"source": "/usr", "mode": "readonly"}, path, 5), ({"source": "/opt", "mode": "readonly"}, path, 6)), result)
    results.contains("the same in the table", world.run([ANET, "config", "show"]).text, path + ":4")


# The file's text, and the sentence about it, word for word.
NONSENSE = (
    ("{", "line 1: this is not JSON"),
    ("[]", "line 1: the file is not one JSON object"),
    ('{"limits": {"tasks": 8,\n"tasks": 9}}', 'line 2: the object has the key "tasks" twice'),
    ('{"sandbox": {\n"hots": true}}', "line 2: `sandbox.hots` is not a key that anet knows; did you mean `host`?"),
    ('{"sandbox": {\n"host": "no"}}', "line 2: `sandbox.host` must be true or false"),
    ('{"sandbox": {"microsandbox": {\n"cpus": 256}}}', "line 2: `sandbox.microsandbox.cpus` must be from 1 to 255"),
    ('{"sandbox": {"mounts": [{"source": "/usr",\n"mode": "rw"}]}}',
     "line 2: `sandbox.mounts[0].mode` must be one of: readonly, writable, overlay"),
    ('{"security": {\n"sandboxReadRoots": []}}',
     "line 2: `security.sandboxReadRoots` is retired, and would give runs more than they have now"),
    ('{"security": {"sandboxWriteRoots": 1}}',
     "line 1: `security.sandboxWriteRoots` is retired, and would give runs more than they have now"),
    ('{"sandbox": {"mounts": [{"source": "/usr", "readOnly": true}]}}',
     "line 1: `sandbox.mounts[0].readOnly` is retired, and would give runs more than they have now"),
    ("{\"limits\": 1 // }", "line 1: this is not JSON"),
    ("{ /* }", "line 1: this comment has no end"),
)


def nonsense(results, world):
    for text, sentence in NONSENSE:
        path = own(world, "config.json", text)
        code = "key_refused" if "retired" in sentence else "config_invalid"
        want = "%s, %s" % (path, sentence)
        result, found, _ = problems(world)
        results.equal("%r: the sentence" % text, found, [(code, want)], result)
        results.equal("... and its exit status", result.status, 78)
        for command in (["run", "--", "touch", "started"], ["strategies"], ["config", "show"]):
            result = world.run([ANET, *command])
            results.ok("... refuses `anet %s`" % command[0], result.status == 78 and "anet: %s [%s]\n" % (want, code) in
                       result.errors, result)
        results.ok("... nothing started", not os.path.exists(os.path.join(world.workspace, "started")))


def everything_at_once(results, world):
    own(world, "config.json", '{"limit": {}, "limits": {"tasks": 1}}')
    own(world, "agents.d/one.json", '{"runtime": "command", "modell": "x", "home": "kep"}')
    own(world, "agents.d/two.json", '{"runtime": "comand"}')
    own(world, "agents.d/three.json", '{"runtime": "command", "strategy": "docker"}')
    own(world, "agents.d/four.json", '{"runtime": "claude", "model": "no such"}')
    own(world, "agents.d/five.json", '{"runtime": "claude", "api_base": "https://example.org"}')
    own(world, "agents.d/Six.json", '{"runtime": "command"}')
    result, found, _ = problems(world)
    text = "\n".join("%s: %s" % pair for pair in found)
    for part in ("`limit` is not a key that anet knows; did you mean `limits`?", "`limits.tasks` must be from 8",
                 "`modell` is not a key that anet knows; did you mean `model`?",
                 "`home` must be one of: ephemeral, kept; did you mean `kept`?",
                 'agent "two": there is no runtime "comand"', 'did you mean `command`?',
                 'agent "three": this machine has no "docker" execution strategy', '`model` is "no such"', 'agent "five": ',
                 'no agent can be called "Six"'):
        results.contains("one call tells: " + part, text, part)
    results.equal("... and no more", len(found), 9, text)
    results.equal("the exit status is that of the first", result.status, 78, result)
    result = check(world)
    results.contains("the table has the remedies", result.text, "correct the place named above")
    results.contains("... and how many there are", result.text, "\n9 problems, 0 warnings\n")


def mounts(results, world):
    own(world, "config.json", '{"sandbox": {"mounts": [{"source": "/usr/gone"}]}}')
    own(world, "agents.d/a.json", '{"runtime": "command"}')
    result, found, _ = problems(world)
    results.equal("a mount that is not there is told once, not for each agent", [code for code, _ in found], ["mount_invalid"],
                  result)
    own(world, "config.json", "{}")
    own(world, "agents.d/a.json", '{"runtime": "command", "mounts": [{"source": "/opt", "target": "/elsewhere"}]}')
    own(world, "agents.d/b.json", '{"runtime": "command", "mounts": [{"source": "/opt"}]}')
    result, found, _ = problems(world)
    results.equal("one that its agent's strategy cannot make, for that agent", [(code, text.split(":")[0]) for code, text in found],
                  [("mount_unsupported", 'agent "a"')], result)


def workspaces(results, world):
    outer, inner, alone = (world.directory(name) for name in ("outer", "outer/inner", "alone"))
    os.symlink(outer + "/inner", os.path.join(world.home, "link"))
    own(world, "agents.d/a.json", json.dumps({"runtime": "command", "workspace": outer}))
    own(world, "agents.d/b.json", json.dumps({"runtime": "command", "workspace": "~/link"}))
    result, found, _ = problems(world)
    results.equal("one inside another, by a link", found, [("workspace_invalid", 'the workspace %s of agent "b" lies inside %s, '
                                                            'the workspace of agent "a"' % (inner, outer))], result)
    own(world, "agents.d/b.json", json.dumps({"runtime": "command", "workspace": outer + "/."}))
    own(world, "agents.d/c.json", json.dumps({"runtime": "command", "workspace": alone}))
    result, found, _ = problems(world)
    results.equal("the same one may be shared", (result.status, found), (0, []), result)
    places = [("anet's own configuration", ".config/anet"), ("what holds it", "."), ("what runs keep", ".local/share/anet/x")]
    for what, path in places + ([("the cache", ".cache/anet/x")] if world.uid else []):
        path = os.path.normpath(os.path.join(world.home, path))
        os.makedirs(path, exist_ok=True)
        own(world, "agents.d/c.json", json.dumps({"runtime": "command", "workspace": path}))
        result, found, _ = problems(world)
        results.ok(what + " is no workspace", ("never_visible", path) in
                   [(code, text.split()[2]) for code, text in found], found)
    own(world, "agents.d/c.json", json.dumps({"runtime": "command", "workspace": alone + "/gone"}))
    result, found, _ = problems(world)
    results.equal("one that is not there", found, [("workspace_invalid", 'the workspace %s/gone of agent "c": No such file or '
                                                    'directory' % alone)], result)
    os.unlink(os.path.join(world.home, "link"))


def roots(results, world):
    """What sessions of the two strategies keep must lie apart."""
    private.mount("cache", "/var/cache", "tmpfs")
    os.makedirs("/var/cache/anet/work-sandbox/inside")
    os.symlink("work-sandbox/inside", "/var/cache/anet/work")
    result, found, _ = problems(world)
    results.equal("the root of one inside that of the other", [code for code, _ in found], ["directory_unsafe"], result)
    results.contains("... is told with where they lead", found[0][1] if found else "", "/var/cache/anet/work-sandbox/inside")
    private.unmount("/var/cache")


def precedence(results, world):
    """Later files win, but what the machine has switched off stays off."""
    first = system("config.json", '{"limits": {"tasks": 10, "requests": 1}, "sandbox": {"srt": false}}')
    second = system("config.d/10.json", '{"limits": {"tasks": 20}, "sandbox": {"srt": true},\n"security": '
                                        '{"requireSandbox": true}}')
    third = own(world, "config.json", '{"limits": {"requests": 3}, "sandbox": {"srt": true, "host": true}}')
    result, found = values(world)
    results.equal("a drop-in over the first", found.get("limits.tasks"), (20, second, 1), result)
    results.equal("the user's over both", found.get("limits.requests"), (3, third, 1), result)
    results.equal("off stays off", found.get("sandbox.srt"), (False, first, 1), result)
    results.equal("requireSandbox beats host", found.get("sandbox.host"), (False, second, 2), result)
    refused = world.sh("touch started")
    results.ok("... and refuses a run", refused.status == 77 and "sandbox.srt is off on this machine [strategy_off]" in
               refused.errors, refused)
    results.ok("... before it starts", not os.path.exists(os.path.join(world.workspace, "started")))


def retired(results, world):
    path = own(world, "config.json", '{"sandbox": {"backend": "srt"},\n"security": {"requireSandbox": true}}')
    warnings = ["%s, line 1: sandbox.backend is retired" % path,
                "%s, line 2: security.requireSandbox is retired and read as sandbox.host: false" % path]
    runtime = world.directory("xdg", 0o700)
    env = {"XDG_RUNTIME_DIR": runtime}
    for name, told in (("the first run after a boot", 1), ("the second", 0)):
        result = world.sh("exit 3", env=env)
        results.equal(name + " runs", result.status, 3, result)
        for warning in warnings:
            results.equal("%s %s of %s" % (name, "tells" if told else "is silent", warning.split(": ")[1]),
                          result.errors.count("anet: warning: " + warning), told, result)
    old = own(world, "agents.d/old.json", '{"runtime": "command", "runInSandbox": true}')
    result = world.run([ANET, "run", "--agent", "old", "--", "true"], env=env)
    results.ok("what is new is told, and only that", result.errors.count("[key_retired]") == 1 and
               "anet: warning: %s, line 1: runInSandbox is retired" % old in result.errors, result)
    for name in ("the first", "the second"):
        _, _, found = problems(world)
        results.ok("config check tells, %s time" % name, all(any(text.startswith(warning) for text in found) for warning in
                                                             warnings), found)
        result = world.run([ANET, "doctor"], env=env)
        results.ok("doctor tells, %s time" % name, all(warning in " ".join(result.text.split()) for warning in warnings), result)
    marker = os.path.join("/run/anet" if world.uid == 0 else runtime + "/anet", "retired-keys-told")
    os.unlink(marker)
    os.mkdir(marker)
    for name in ("once", "twice"):
        result = world.sh("exit 3", env=env)
        results.ok("where it cannot be noted it is told %s, and runs" % name, result.status == 3 and
                   warnings[0] in result.errors, result)
    os.rmdir(marker)


def usage(results, world):
    for words, part in (((), "needs one of: check, show"), (("chek",), "did you mean `check`?"),
                        (("check", "x"), "takes no argument `x`"), (("show", "--jsn"), "did you mean `--json`?")):
        result = world.run([ANET, "config", *words])
        results.ok("anet config %s" % " ".join(words), result.status == 64 and part in result.errors, result)


def test(results):
    for world in worlds():
        for part in (without_files, comments, nonsense, everything_at_once, mounts, workspaces, retired, usage):
            clear(world)
            with results.under("as %s: " % world.user):
                part(results, world)
        if private.is_root:
            for part in (precedence, roots):
                clear(world)
                with results.under("as %s: " % world.user):
                    part(results, world)
        clear(world)


product_test(test, overlays=machine.config_overlays() if private.is_root else ())

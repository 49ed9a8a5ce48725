#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=240
"""anet doctor tells what is, what is wrong and what to do, for people and as JSON;
it ends with a failure only on one, and changes nothing but the probe's cache."""
import ctypes
import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ANET, HELPERS, private, product_test, tree, worlds  # noqa: E402

STATUSES = {"ok", "info", "warn", "fail", "unknown"}
ASSERTIONS = ("loopback", "host_tcp", "host_abstract", "vsock", "keyring", "userns", "io_uring", "ptrace", "mount",
              "setid", "tiocsti", "i386", "x32", "caps", "proc_masked")
PROFILE = os.path.join(private.PREFIX, "share", "anet", "apparmor", "anet-bwrap")


def checks(world, **popen):
    """(the result, {id: check})"""
    result = world.run([ANET, "doctor", "--json"], **popen)
    try:
        value = json.loads(result.text)
    except ValueError:
        return result, {}
    return result, {check["id"]: check for check in value["checks"]}


def status_of(found, name):
    return found.get(name, {}).get("status")


def healthy(results, world):
    before = tree.snapshot(*tree.WATCHED, skip=(private.directory,))
    result, found = checks(world)
    value = json.loads(result.text or "{}")
    results.equal("exit status", result.status, 0, result)
    results.equal("schema", (value.get("schema"), value.get("status") in STATUSES), ("anet.doctor/1", True))
    results.ok("each check has its four members", found and all(
        set(check) == {"id", "status", "detail", "hint"} and check["status"] in STATUSES and check["detail"]
        for check in found.values()), found)
    results.equal("no id twice", len(found), len(value.get("checks", ())))
    results.equal("all assertions hold", {name: status_of(found, "srt." + name) for name in ASSERTIONS},
                  {name: "ok" for name in ASSERTIONS})
    results.equal("the parts are there", [status_of(found, name) for name in ("config", "helpers", "bwrap", "userns", "srt")],
                  ["ok"] * 5)
    changed = [line for line in tree.difference(before, tree.snapshot(*tree.WATCHED, skip=(private.directory,)))
               if "/anet" not in line and ".cache" not in line and "/run (" not in line and "changed /run:" not in line
               and "changed %s:" % world.home not in line]
    results.equal("nothing is changed", changed, [])

    table = world.run([ANET, "doctor"])
    lines = [line for line in table.text.splitlines() if line and not line.startswith(" ")]
    # The last line counts; in the others the third column begins in one place.
    columns = {re.match(r"(ok|info|warn|fail|unknown) +\S+ +", line).end() for line in lines[:-1]
               if re.match(r"(ok|info|warn|fail|unknown) +\S+ +\S", line)}
    results.equal("the table lines up", len(columns), 1, table.text)
    results.equal("no escape sequence outside a terminal", "\x1b" in table.text, False)
    results.ok("it counts at its end", re.match(r"\d+ ok, \d+ info, \d+ warn, 0 fail, \d+ unknown$", lines[-1]), lines[-1:])


def failures(results, world):
    config = world.file(".config/anet/config.json", '{"limits": {"task": 1}}', 0o600)
    result, found = checks(world)
    results.ok("a broken configuration fails, and the sandbox is not tried", result.status == 1 and
               status_of(found, "config") == "fail" and "did you mean `tasks`?" in found["config"]["detail"] and
               status_of(found, "srt") == "unknown", result)
    world.config({"sandbox": {"srt": False}})
    result, found = checks(world)
    results.ok("a strategy that is off is no failure", result.status == 0 and status_of(found, "srt") == "info" and
               "sandbox.srt is off on this machine" in found["srt"]["detail"], result)
    os.unlink(config)
    agent = world.agent("odd", {"runtime": "command", "colour": "red"})
    result, found = checks(world)
    results.ok("an agent's file is checked", result.status == 1 and status_of(found, "agent.odd") == "fail" and
               "`colour`" in found["agent.odd"]["detail"], result)
    world.agent("odd", {"runtime": "command"})
    result, found = checks(world)
    results.equal("a good one", (result.status, status_of(found, "agent.odd")), (0, "ok"), result)
    os.unlink(agent)

    key = world.file(".config/anet/credentials/anthropic", "sk-not-to-be-shown\n", 0o644)
    result, found = checks(world)
    results.ok("a key file that others read", result.status == 1 and status_of(found, "key.claude") == "fail", result)
    os.chmod(key, 0o600)
    result, found = checks(world)
    results.ok("a good one, which is not shown", status_of(found, "key.claude") == "ok" and
               "sk-not-to-be-shown" not in result.text, result)
    os.unlink(key)
    result, found = checks(world, env={"ANTHROPIC_API_KEY": "sk-not-to-be-shown"})
    results.ok("the variable, which is not shown", "ANTHROPIC_API_KEY" in found.get("key.claude", {}).get("detail", "") and
               "sk-not-to-be-shown" not in result.text, result)

    private.mount("/dev/null", os.path.join(HELPERS, "anet-probe"), flags=private.MS_BIND)
    result, found = checks(world)
    private.unmount(os.path.join(HELPERS, "anet-probe"))
    results.ok("a missing helper", result.status == 1 and status_of(found, "helpers") == "fail" and
               "anet-probe" in found["helpers"]["detail"] and status_of(found, "srt") == "fail", result)

    bwrap = shutil.which("bwrap")
    private.mount("/dev/null", bwrap, flags=private.MS_BIND)
    result, found = checks(world)
    private.unmount(bwrap)
    results.ok("no bubblewrap", result.status == 1 and status_of(found, "bwrap") == "fail" and
               "[no_bwrap]" in found["srt"]["detail"] and "apt install bubblewrap" in found["srt"]["hint"], result)


def no_user_namespaces(results, world):
    """In a user namespace of its own, where the number of further ones is 0."""
    uid, gid = world.uid, world.gid

    def enter():
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(4, 1, 0, 0, 0)  # PR_SET_DUMPABLE: else its own /proc files are root's
        if libc.unshare(private.CLONE_NEWUSER):
            raise OSError(ctypes.get_errno(), "unshare")
        for name, text in (("setgroups", "deny"), ("uid_map", "%d %d 1" % (uid, uid)), ("gid_map", "%d %d 1" % (gid, gid))):
            with open("/proc/self/" + name, "w") as file:
                file.write(text)
        with open("/proc/sys/user/max_user_namespaces", "w") as file:
            file.write("0")

    result, found = checks(world, preexec_fn=enter)
    results.ok("user namespaces that are used up", result.status == 1 and status_of(found, "userns") == "fail" and
               "user.max_user_namespaces is 0" in found["userns"]["detail"] and
               "sysctl" in found["userns"]["hint"] and status_of(found, "srt") == "fail", result)
    results.contains("the sandbox says so too", found.get("srt", {}).get("detail", ""), "[userns_unavailable]")


def profile(results, world):
    result = world.run([ANET, "doctor", "--apparmor-profile"])
    with open(PROFILE, "rb") as file:
        results.equal("the profile is printed as it is", (result.status, result.out), (0, file.read()), result)
    if not os.path.isdir("/etc/apparmor.d"):
        results.skip("another profile", "this machine has no /etc/apparmor.d")
        return
    ours = os.path.join(private.directory, "apparmor-" + world.user)
    os.makedirs(ours)
    private.mount(ours, "/etc/apparmor.d", flags=private.MS_BIND)
    with open(ours + "/anet-bwrap", "w") as file:
        file.write("profile anet-bwrap /usr/bin/bwrap {\n}\n")
    with open(ours + "/harmless", "w") as file:
        file.write("# /usr/bin/bwrap {\nprofile x /usr/bin/x {\n  /usr/bin/bwrap px,\n}\n")
    results.equal("our own is no hindrance", world.run([ANET, "doctor", "--apparmor-profile"]).status, 0)
    with open(ours + "/somebody", "w") as file:
        file.write("abi <abi/4.0>,\nprofile bwrap /usr/bin/bwrap flags=(unconfined) {\n  userns,\n}\n")
    result = world.run([ANET, "doctor", "--apparmor-profile"])
    results.ok("another that attaches is named, and nothing printed", result.status == 78 and not result.out and
               "/etc/apparmor.d/somebody" in result.errors and "[apparmor_profile_exists]" in result.errors, result)
    result, found = checks(world)
    results.ok("both together are a failure", status_of(found, "apparmor") == "fail", found.get("apparmor"))
    private.unmount("/etc/apparmor.d")


def usage(results, world):
    for name, words, part in (("an argument", ["x"], "`x`"), ("an unknown option", ["--jsn"], "did you mean `--json`?"),
                              ("a value", ["--json=1"], "takes no value"),
                              ("both", ["--json", "--apparmor-profile"], "do not go together")):
        result = world.run([ANET, "doctor", *words])
        results.ok("refused: " + name, result.status == 64 and part in result.errors and not result.out, result)
    result = world.run([ANET, "doctor", "--help"])
    results.ok("--help", result.status == 0 and "--apparmor-profile" in result.text, result)
    results.equal("anet help doctor is the same", world.run([ANET, "help", "doctor"]).text, result.text)
    full = os.open("/dev/full", os.O_WRONLY)
    result = world.run([ANET, "doctor", "--json"], stdout=full)
    os.close(full)
    results.ok("output that cannot be written is no success", result.status != 0, result)


def test(results):
    for world in worlds():
        for part in (healthy, failures, profile, usage):
            with results.under("as %s: " % world.user):
                part(results, world)
        if world.user == "user":
            with results.under("as %s: " % world.user):
                no_user_namespaces(results, world)


product_test(test)

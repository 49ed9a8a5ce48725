#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=300
"""What `anet why --path` says is what a run sees: one real run looks at all paths."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ANET, product_test, worlds  # noqa: E402

# In the run: for each path whether it is there, and what opening it says.
PROBE = r"""
import errno, json, os, stat, sys
def attempt(path, flags, mode=0o600):
    try:
        os.close(os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY, mode))
        return "ok"
    except OSError as error:
        return errno.errorcode[error.errno]
found = []
for path in json.load(open(sys.argv[1])):
    try:
        status = os.stat(path)
        there = "ok"
    except OSError as error:
        status, there = None, errno.errorcode[error.errno]
    row = {"stat": there, "read": attempt(path, os.O_RDONLY), "directory": bool(status and stat.S_ISDIR(status.st_mode))}
    if row["directory"]:
        name = path.rstrip("/") + "/anet-why-probe"
        row["write"] = attempt(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        if row["write"] == "ok":
            os.unlink(name)
    else:
        row["write"] = attempt(path, os.O_WRONLY)
    found.append(row)
print(json.dumps(found))
"""

HIDDEN = [".ssh/id_ed25519", ".ssh/config", ".aws/credentials", ".netrc", ".gnupg/pubring.kbx", ".docker/config.json",
          ".kube/config", ".npmrc", ".pypirc", ".git-credentials", ".claude.json", ".claude/settings.json",
          ".codex/auth.json", ".config/gcloud/x.db", ".config/gh/hosts.yml", ".bash_history", ".password-store/a.gpg"]

SYSTEM = [
    "/", "/bin", "/bin/sh", "/bin/sh/", "/bin/", "/bin/../bin/sh", "/usr", "/usr/", "/usr/bin", "/usr/bin/python3",
    "/usr/bin/env", "/usr/bin/nothing-of-this-name", "/usr/bin/env/", "/usr/bin/env/x", "/usr/bin/python3/..",
    "/usr/lib", "/usr/share", "/usr/local", "/usr/local/bin", "/usr/src", "/usr/include", "/usr/share/nothing/x",
    "/lib", "/lib64", "/lib64/ld-linux-x86-64.so.2", "/sbin", "/lib32", "/libx32", "//usr//bin//env", "/./usr/./bin/env",
    "/usr/../usr/bin/env", "/usr/bin/../../etc/passwd", "/../../usr/bin/env", "/usr/../../../bin/sh",
    "/etc", "/etc/", "/etc/passwd", "/etc/passwd/", "/etc/group", "/etc/hosts", "/etc/hostname", "/etc/nsswitch.conf",
    "/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssh", "/etc/ssh/sshd_config", "/etc/fstab",
    "/etc/resolv.conf", "/etc/machine-id", "/etc/anet", "/etc/anet/config.json", "/etc/ssl", "/etc/ssl/certs",
    "/etc/ssl/private", "/etc/ssl/private/key.pem", "/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf",
    "/etc/localtime", "/etc/os-release", "/etc/services", "/etc/protocols", "/etc/crontab", "/etc/cron.d", "/etc/pam.d",
    "/etc/../etc/hosts", "/etc/nothing", "/etc/alternatives/..", "/etc/ssl/..", "/etc/ssl/../shadow",
    "/home", "/home/", "/home/agent", "/home/agent/", "/home/agent/.ssh", "/home/agent/x", "/home/nobody", "/root",
    "/root/.ssh", "/root/.bashrc",
    "/tmp", "/tmp/", "/tmp/x", "/tmp/.X11-unix", "/tmp/.X11-unix/X0", "/tmp/..", "/tmp/../etc/shadow", "/var", "/var/",
    "/var/log", "/var/log/syslog", "/var/lib", "/var/lib/anet", "/var/lib/docker", "/var/run", "/var/run/docker.sock",
    "/var/run/", "/var/tmp", "/var/tmp/x", "/var/cache", "/var/spool/cron", "/var/run/../log",
    "/run", "/run/", "/run/docker.sock", "/run/dbus/system_bus_socket", "/run/systemd/private", "/run/anet",
    "/run/user", "/run/lock", "/run/..",
    "/boot", "/mnt", "/media", "/srv", "/opt", "/opt/x", "/sys", "/sys/kernel", "/sys/fs/cgroup", "/selinux",
    "/nothing", "/nothing/at/all", "/lost+found", "/.dockerenv", "/vmlinuz", "/initrd.img",
    "/proc", "/proc/", "/proc/cmdline", "/proc/config.gz", "/proc/kallsyms", "/proc/kcore", "/proc/keys",
    "/proc/key-users", "/proc/timer_list", "/proc/meminfo", "/proc/cpuinfo", "/proc/version", "/proc/sys",
    "/proc/sys/kernel/hostname", "/proc/sys/kernel/core_pattern", "/proc/nothing", "/proc/filesystems", "/proc/self",
    "/proc/self/status", "/proc/1/environ", "/proc/99999999",
    "/dev", "/dev/", "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/shm", "/dev/shm/x",
    "/dev/sda", "/dev/mem", "/dev/kmsg", "/dev/kvm", "/dev/fuse", "/dev/net/tun", "/dev/vsock", "/dev/loop0",
    "/dev/mapper", "/dev/input", "/dev/dri", "/dev/nothing",
]

WORKSPACE = [
    ".", "", "./", "file", "./file", "file/", "sub", "sub/", "sub/file", "sub/../file", "new", "sub/new", "new/deeper",
    "..", "../", "../beside", "../beside/secret", "sub/../../beside/secret", "inside-link", "outside-link", "absolute-link",
    "secret-link", "loop", "loop/x", "dangling", "up-link", "up-link/beside/secret", "system-link", "system-link/",
    "system-link/env", "etc-link", "proc-link", "sub-link", "sub-link/", "sub-link/file", "sub-link/../file", "chain",
    "read-only", ".git", ".git/config", ".git/hooks", ".git/hooks/post-commit", ".git/HEAD", ".envrc", ".vscode",
    ".vscode/tasks.json", "mount-link", "mount-link/data", "a b", "name\nwith newline", "\u00e4\u00f6",
]


def make_workspace(world):
    work = world.directory("place/work")
    world.file("place/beside/secret", "s")
    for name in ("file", "sub/file", ".git/config", ".git/hooks/post-commit", ".git/HEAD", ".envrc",
                 ".vscode/tasks.json", "a b", "name\nwith newline", "\u00e4\u00f6"):
        world.file("place/work/" + name, "x")
    world.file("place/work/read-only", "x", 0o400)
    for name, target in (
            ("inside-link", "file"), ("outside-link", "../beside/secret"), ("absolute-link", work + "/file"),
            ("secret-link", world.home + "/.ssh/id_ed25519"), ("loop", "loop"), ("dangling", "nowhere"),
            ("up-link", ".."), ("system-link", "/usr/bin"), ("etc-link", "/etc/passwd"), ("proc-link", "/proc/meminfo"),
            ("sub-link", "sub"), ("chain", "sub-link/../inside-link"), ("mount-link", world.home + "/tools")):
        path = os.path.join(work, name)
        if not os.path.islink(path):
            os.symlink(target, path)
        world.own(path)
    return work


def make_agent(world):
    for name in HIDDEN:
        world.file(name, "secret", 0o600)
    for name in ("tools/data", "tools/sub/data", "common/data", "plain/file", "unmounted/data"):
        world.file(name, "x")
    for link, target in (("tools/link", "data"), ("tools/to-common", "../common/data"), ("tools/out", "../unmounted/data")):
        path = os.path.join(world.home, link)
        if not os.path.islink(path):
            os.symlink(target, path)
        world.own(path)
    world.agent("looker", {"runtime": "command", "mounts": [
        {"source": "~/tools"}, {"source": "~/common", "mode": "writable"}, {"source": "~/plain/file"}]})


def mounted(world):
    names = ["tools", "tools/", "tools/data", "tools/sub", "tools/sub/data", "tools/none", "tools/link", "tools/to-common",
             "tools/out", "tools/..", "tools/../common/data", "common", "common/data", "common/new", "common/../tools/data",
             "plain", "plain/", "plain/file", "plain/other", "plain/file/x", "unmounted", "unmounted/data", "", "place",
             ".bashrc", ".ssh", ".aws", ".config", ".config/anet", ".config/anet/agents.d/looker.json", ".cache", "none"]
    return [os.path.join(world.home, name) for name in names + HIDDEN]


def why(world, path, *options):
    result, answer = world.run_json([ANET, "why", "--agent", "looker", "--workspace", world.home + "/place/work",
                                     "--path", path, *options], None)
    return result, answer


def check(results, world, path, seen):
    result, answer = why(world, path)
    name = "%r: " % path
    if not results.ok(name + "an answer", answer and answer["schema"] == "anet.why/1", result):
        return
    results.equal(name + "the exit status is the verdict", result.status, 0 if answer["allowed"] else 1, result)
    both = "%s\n%s" % (answer, seen)
    verdict, exists = answer["verdict"], answer["exists"]
    if verdict == "not visible":
        results.ok(name + "not visible", seen["stat"] in ("ENOENT", "ENOTDIR", "EACCES"), both)
        return
    if exists == "yes":
        results.equal(name + "it is there", seen["stat"], "ok", both)
    elif exists == "no":
        results.ok(name + "it is not there", seen["stat"] in ("ENOENT", "ENOTDIR", "ELOOP"), both)
        return
    else:
        return
    private = verdict == "private" and answer["of"] not in ("/proc", "/dev")
    if verdict == "writable" or private:
        results.ok(name + verdict, seen["write"] == "ok" or path.endswith("read-only"), both)
    elif verdict in ("read-only", "protected", "made by anet"):
        results.ok(name + verdict, seen["write"] in ("EROFS", "EACCES", "EPERM", "EISDIR"), both)


def masked(results, world):
    for path in ("/proc/cmdline", "/proc/keys", "/proc/kallsyms"):
        if os.path.exists(path):
            _, answer = why(world, path)
            text = world.sh('head -c 10 "$1" 2>/dev/null; true', path).text
            results.equal("masked: %s" % path, (answer["verdict"], text), ("masked", ""))


def reasons(results, world):
    home = world.home
    _, answer = why(world, home + "/.ssh/id_ed25519")
    results.equal("a key: the rule", (answer["verdict"], answer.get("code")), ("not visible", "never_visible"), answer)
    _, answer = why(world, home + "/unmounted/data")
    results.contains("what would show it", answer.get("remedy", ""), home + "/unmounted/data")
    _, answer = why(world, home + "/tools/data")
    results.contains("the line of a mount", answer["config"] or "", "looker.json:1")
    _, answer = why(world, ".git/config")
    results.equal("protected", answer["verdict"], "protected", answer)
    _, answer = why(world, "outside-link")
    results.equal("a link is followed as inside", (answer["verdict"], answer["inside"]),
                  ("not visible", home + "/place/beside"), answer)


def test(results):
    count = 0
    for world in worlds():
        with results.under("as %s: " % world.user):
            make_agent(world)
            work = make_workspace(world)
            paths = SYSTEM + [path if path else work for path in WORKSPACE] + mounted(world)
            world.file("place/work/paths.json", json.dumps(paths))
            run = world.run([ANET, "run", "--agent", "looker", "--workspace", work, "--", "/usr/bin/python3", "-c", PROBE,
                             "paths.json"])
            try:
                seen = json.loads(run.text)
            except ValueError:
                results.fail("the run", run)
                continue
            for path, row in zip(paths, seen):
                check(results, world, path, row)
            count += len(paths)
            masked(results, world)
            reasons(results, world)
    results.ok("at least 200 paths", count >= 200, count)


product_test(test)

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=240
"""A run sees none of the host's secrets and changes nothing outside its
workspace (SPEC S2.2, S2.4)."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from attack import BWRAP, ROOT, attempt_shell, plain_bwrap  # noqa: E402
from harness import private, product_test, tree, worlds  # noqa: E402

# Files in the operator's own home that open something.
CREDENTIALS = [".ssh/id_ed25519", ".gnupg/private-keys-v1.d/key", ".aws/credentials",
               ".config/gcloud/credentials.db", ".netrc", ".docker/config.json", ".kube/config", ".npmrc", ".pypirc",
               ".git-credentials", ".claude.json", ".claude/.credentials.json", ".codex/auth.json",
               ".cursor/mcp.json", ".config/anet/credentials/anthropic", ".config/gh/hosts.yml", ".bash_history",
               ".local/share/keyrings/login.keyring", "other-project/.env", "Documents/letter.txt"]

HOST_SECRETS = ["/etc/shadow", "/etc/gshadow", "/etc/anet/credentials/key", "/root/.ssh/id_ed25519",
                "/home/bob/diary.txt", "/var/lib/anet/state", "/run/anet/sessions/x/state", "/tmp/other-program.txt",
                "/var/tmp/other-program.txt", "/dev/shm/other-program", "/run/secrets/token"]

# Written into by the run; the control runs as root where an ordinary user may not.
WRITES = ["/usr/bin/attack", "/usr/local/bin/attack", "/etc/attack", "/etc/passwd", "/etc/hosts", "/bin/attack",
          "/lib/attack", "/opt/attack", "/var/lib/attack", "/srv/attack"]

# Kernel files that change the machine.  Opened for writing, never written.
KERNEL_WRITES = ["/proc/sys/kernel/core_pattern", "/proc/sys/kernel/domainname", "/proc/sys/vm/overcommit_memory",
                 "/proc/sys/net/ipv4/ip_forward", "/proc/sysrq-trigger", "/sys/kernel/uevent_helper",
                 "/sys/fs/cgroup/cgroup.procs"]

# Kernel files that tell about the machine.
KERNEL_READS = ["/proc/cmdline", "/proc/keys", "/proc/key-users", "/proc/kallsyms", "/proc/kcore", "/proc/config.gz"]

WORLD_READABLE = ["/proc/cmdline", "/proc/kallsyms", "/proc/config.gz"]


def plant(path, text, world=None):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    if world:
        world.own(path)


def credentials(results, world):
    for name in CREDENTIALS:
        world.file(name, "SECRET OF THE OPERATOR", 0o600)
        path = os.path.join(world.home, name)
        attempt_shell(results, world, "reads ~/" + name, "grep SECRET '%s'" % path)
    attempt_shell(results, world, "finds anything else in the operator's home",
                  "find '%s' -name letter.txt | grep ." % world.home)


def host_secrets(results, world):
    for path in HOST_SECRETS:
        if private.is_root:
            if not os.path.exists(path):
                plant(path, "SECRET OF THE HOST", world)
            attempt_shell(results, world, "reads " + path, "test -s %s && head -c 100 %s" % (path, path), ROOT)
        elif os.access(os.path.dirname(path), os.W_OK) and not os.path.exists(path):
            plant(path, "SECRET OF THE HOST")
            attempt_shell(results, world, "reads " + path, "grep SECRET " + path)


def writes(results, world):
    where = ROOT
    for path in WRITES:
        existed = os.path.exists(path)
        attempt_shell(results, world, "writes " + path, "test -d '%s' && (: >> %s) 2>&1" % (os.path.dirname(path), path),
                      where)
        if not existed and os.path.exists(path):
            os.unlink(path)
    for path in KERNEL_WRITES:
        if os.path.exists(path):
            attempt_shell(results, world, "opens %s for writing" % path,
                          "exec 2>&1; python3 -c 'import os; os.open(\"%s\", os.O_WRONLY)'" % path, where)
        else:
            results.skip("opens %s for writing" % path, "this kernel has no such file")
    for path in KERNEL_READS:
        if not os.path.exists(path):
            results.skip("reads " + path, "this kernel has no such file")
            continue
        # In plain bubblewrap all of /proc is there.
        attempt_shell(results, world, "reads " + path, "exec 2>&1; test -n \"$(head -c 40 %s | tr -d '\\0')\"" % path,
                      BWRAP if path in WORLD_READABLE else ROOT)


def links(results, world):
    """A link in the workspace leads nowhere that the run could not go by itself."""
    secret = world.file("outside/secret.txt", "SECRET OF THE OPERATOR", 0o600)
    for name, target in (("absolute", secret), ("relative", "../outside/secret.txt"),
                         ("through /proc", "/proc/self/root" + secret),
                         ("through the parent", "/proc/self/cwd/../outside/secret.txt")):
        path = os.path.join(world.workspace, "link")
        if os.path.lexists(path):
            os.unlink(path)
        os.symlink(target, path)
        world.own(path)
        attempt_shell(results, world, "follows a link out of the workspace, " + name, "grep SECRET link")
    attempt_shell(results, world, "leaves the workspace by ..", "grep -r SECRET ../outside")


def devices(results, world):
    raw = [name for name in ("kmsg", "mem", "port", "vda", "sda", "nvme0n1", "loop0", "fuse", "kvm", "vhost-net",
                             "net/tun", "input/event0", "dri/card0") if os.path.exists("/dev/" + name)]
    for name in raw:
        attempt_shell(results, world, "sees /dev/" + name, "test -e /dev/" + name)
    inside = world.sh("ls /dev")
    allowed = {"null", "zero", "full", "random", "urandom", "tty", "pts", "ptmx", "fd", "stdin", "stdout", "stderr",
               "shm", "core", "console", "mqueue"}
    results.ok("only the usual devices", set(inside.text.split()) <= allowed,
               inside)


def mounted_outside(results, world):
    """What the run mounts, makes or removes in its own places stays there."""
    # What anet itself keeps of a session is not the run's.
    skip = (private.directory, "/run/anet")
    before = tree.snapshot(*tree.WATCHED, skip=skip), tree.mounts()
    world.sh("mkdir -p /tmp/a /run/b $HOME/c /dev/shm/d; touch /tmp/x $HOME/.bashrc /dev/shm/y; true")
    after = tree.snapshot(*tree.WATCHED, skip=skip), tree.mounts()
    results.equal("its /tmp, /run, HOME and /dev/shm are its own", tree.difference(before[0], after[0]), [])
    results.equal("no mount appears outside", after[1], before[1])
    control = world.run(plain_bwrap("--unshare-pid", command=["sh", "-c", "touch /tmp/x"]))
    results.ok("its /tmp is its own (control)", os.path.exists("/tmp/x"), control)
    os.unlink("/tmp/x")


def test(results):
    for world in worlds():
        for part in (credentials, host_secrets, writes, links, devices, mounted_outside):
            with results.under("as %s: " % world.user):
                part(results, world)


# The control for writing writes.
product_test(test, overlays=("/etc", "/usr", "/opt", "/srv", "/var/lib"))

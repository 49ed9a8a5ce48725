#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=240
"""System calls that lead out of a run, or into parts of the kernel that no agent needs (SPEC S2.5)."""
import os
import platform
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from attack import BWRAP, CAPS, HOST, ROOT, attempt, build  # noqa: E402
from harness import product_test, worlds  # noqa: E402

USER, MOUNT, NET, PID, UTS, IPC, CGROUP, TIME = (
    0x10000000, 0x20000, 0x40000000, 0x20000000, 0x4000000, 0x8000000, 0x2000000, 0x80)
HIGH = 1 << 32  # the kernel ignores it, a careless filter does not

# name, arguments, where the control succeeds, what the refusal says
TABLE = [
    ("unshare: a user namespace", ["unshare", USER], HOST, "EPERM"),
    ("unshare: user and mount namespace", ["unshare", USER | MOUNT], HOST, "EPERM"),
    ("unshare: a mount namespace", ["unshare", MOUNT], CAPS, "EPERM"),
    ("unshare: a network namespace", ["unshare", NET], CAPS, "EPERM"),
    ("unshare: a PID namespace", ["unshare", PID], CAPS, "EPERM"),
    ("unshare: a UTS namespace", ["unshare", UTS], CAPS, "EPERM"),
    ("unshare: an IPC namespace", ["unshare", IPC], CAPS, "EPERM"),
    ("unshare: a cgroup namespace", ["unshare", CGROUP], CAPS, "EPERM"),
    ("unshare: a time namespace", ["unshare", TIME], CAPS, "EPERM"),
    ("clone: a user namespace", ["clone", USER], HOST, "EPERM"),
    ("clone: a user namespace, high bits set", ["clone", USER | HIGH], HOST, "EPERM"),
    ("clone: a mount namespace", ["clone", MOUNT], CAPS, "EPERM"),
    ("clone: a network namespace", ["clone", NET], CAPS, "EPERM"),
    ("clone: a PID namespace", ["clone", PID], CAPS, "EPERM"),
    ("clone3: a user namespace", ["clone3", USER], HOST, "ENOSYS"),
    ("clone3: nothing special", ["clone3", 0], HOST, "ENOSYS"),
    ("setns: the own UTS namespace", ["setns", "/proc/self/ns/uts"], CAPS, "EPERM"),
    ("setns: the mount namespace of PID 1", ["setns", "/proc/1/ns/mnt"], CAPS, ""),
    ("mount: a tmpfs", ["mount"], CAPS, "EPERM"),
    ("mount: a bind of /", ["bind"], CAPS, "EPERM"),
    ("umount2: /proc", ["umount", "/proc"], CAPS, "EPERM"),
    ("pivot_root", ["pivot_root"], CAPS, "EPERM"),
    ("chroot", ["chroot"], CAPS, "EPERM"),
    ("open_tree: a copy of all mounts", ["open_tree"], CAPS, "EPERM"),
    ("fsopen: a tmpfs", ["fsopen"], CAPS, "EPERM"),
    ("fspick: the root", ["fspick"], CAPS, "EPERM"),
    ("fsmount", ["fsmount"], CAPS, "EPERM"),
    ("move_mount", ["move_mount"], CAPS, "EPERM"),
    ("mount_setattr: the root", ["mount_setattr"], CAPS, "EPERM"),
    ("ptrace: a child", ["ptrace-child"], HOST, "EPERM"),
    ("ptrace: to be traced", ["ptrace-me"], HOST, "EPERM"),
    ("ptrace: PID 1", ["ptrace", 1], BWRAP, "EPERM"),
    ("process_vm_readv: a child", ["vm-read"], HOST, "EPERM"),
    ("process_vm_writev: a child", ["vm-write"], HOST, "EPERM"),
    ("pidfd_getfd: a descriptor of PID 1", ["pidfd_getfd", 1], BWRAP, "EPERM"),
    ("add_key", ["add_key"], HOST, "EPERM"),
    ("request_key", ["request_key"], HOST, "EPERM"),
    ("io_uring_setup: an errno, not a kill", ["io_uring"], HOST, "refused: io_uring_setup"),
    ("bpf: a map", ["bpf"], ROOT, "EPERM"),
    ("perf_event_open: the own clock", ["perf"], HOST, "EPERM"),
    ("userfaultfd", ["userfaultfd"], HOST, "EPERM"),
    ("fanotify_init", ["fanotify"], HOST, "EPERM"),
    ("open_by_handle_at: the own directory", ["file_handle", "."], ROOT, "EPERM"),
    ("a device node", ["device"], ROOT, "EPERM"),
    ("a file with capabilities", ["file-capability"], CAPS, "EPERM"),
    ("i386 system calls", ["i386"], HOST, "SIGSYS"),
    ("x32 system calls", ["x32"], HOST, "SIGSYS"),
]

# Calls by number that only the host's root may make: with bad arguments they
# get past the door and fail behind it.
PRIVILEGED = {
    "x86_64": [("init_module", 175), ("finit_module", 313), ("delete_module", 176), ("kexec_load", 246),
               ("kexec_file_load", 320), ("swapon", 167), ("swapoff", 168), ("reboot", 169)],
    "aarch64": [("init_module", 105), ("finit_module", 273), ("delete_module", 106), ("kexec_load", 104),
                ("kexec_file_load", 294), ("swapon", 224), ("swapoff", 225), ("reboot", 142)],
}


def session_key(results, world, program):
    """A key that the caller has in his session keyring is not found by the run."""
    name = "a key in the caller's session keyring"
    joined = ("import ctypes, os, sys\n"
              "c = ctypes.CDLL(None, use_errno=True)\n"
              "c.syscall.restype = ctypes.c_long\n"
              "assert c.syscall(%d, 1, None) >= 0\n"  # keyctl(KEYCTL_JOIN_SESSION_KEYRING, NULL)
              "assert c.syscall(%d, b'user', b'anet-secret', b'the secret', 10, -3) >= 0\n"
              "os.execvp(sys.argv[1], sys.argv[1:])\n" % {"x86_64": (250, 248), "aarch64": (219, 217)}[
                  platform.machine()])
    holder = ["/usr/bin/python3", "-c", joined]
    attack = [program, "keyctl", "anet-secret"]
    outside = world.run(holder + attack)
    if not results.ok(name + " (control)", outside.status == 0 and "the secret" in outside.text, outside):
        return
    inside = world.run(holder + world.argv(attack))
    results.ok(name, "refused" in inside.text and "the secret" not in inside.text, inside)


def test(results):
    for world in worlds():
        with results.under("as %s: " % world.user):
            program = build(world)
            results.ok("the attack program runs inside", world.anet(program).status == 2)
            for name, arguments, where, expect in TABLE:
                attempt(results, world, name, [program, *map(str, arguments)], where, expect)
            for name, number in PRIVILEGED.get(platform.machine(), ()):
                attempt(results, world, name, [program, "reach", str(number)], ROOT, "EPERM")
            session_key(results, world, program)


if __name__ == "__main__":
    product_test(test)

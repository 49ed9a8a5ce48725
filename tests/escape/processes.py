#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A run touches no process but its own, and none of its processes outlives it
(SPEC S2.5, S2.7)."""
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from attack import BWRAP, attempt_shell, build, plain_bwrap  # noqa: E402
from harness import process, product_test, wait_for, worlds  # noqa: E402

INIT_FILES = ["environ", "maps", "auxv", "stack", "syscall", "fd/0", "root/etc", "cwd/.", "map_files", "io"]


def init(results, world, _program):
    """PID 1 of the run is ours: the agent gets nothing out of it."""
    for name in INIT_FILES:
        path = "/proc/1/" + name
        if world.uid == 0 or name not in ("stack", "map_files"):
            attempt_shell(results, world, "looks into " + path,
                          "exec 2>&1; ls -d %s && { test -d %s && ls %s/ || head -c 1 %s; }" % (path, path, path, path),
                          BWRAP)
    # In a PID namespace nobody inside can kill PID 1; outside one, the program
    # that holds the run together dies of this.
    control = world.run(["sh", "-c", "sh -c 'kill -9 $PPID; sleep 0.3; echo still here'; true"], timeout=10)
    results.ok("kills what holds the run together (control)", control.status == -signal.SIGKILL, control)
    inside = world.sh("for n in 9 15 1 3 6; do kill -$n 1; kill -$n $PPID; done; sleep 0.3; exit 7",
                      start_new_session=True)
    results.equal("kills what holds the run together", inside.status, 7, inside)
    inside = world.sh("trap '' TERM; kill -STOP 1; kill -STOP $PPID; sleep 0.2; exit 8", timeout=10,
                      start_new_session=True)
    results.equal("stops what holds the run together", inside.status, 8, inside)


# Each keeps the process that ends the run from a processor; it has the run's uid.
STARVE = {
    "SCHED_IDLE": "chrt -i -p 0 1",
    "a busy processor": "taskset -p 1 1",
    "a low priority": "renice -n 19 -p 1",
    "a low priority by its user": "renice -n 19 -u $(id -u)",
    "the idle class of disks": "ionice -c 3 -p 1",
    "the idle class of disks by its user": "ionice -c 3 -u $(id -u)",
    "a limit of processor time": "prlimit --pid 1 --cpu=100:100",
}

# All busy, in front of whatever ends the run.
BUSY = """
import os
for change in (lambda: os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0)),
               lambda: os.setpriority(os.PRIO_USER, 0, 19), lambda: os.sched_setaffinity(1, {0})):
    try:
        change()
    except OSError:
        pass
open("busy", "w").close()
for n in range(60):
    if os.fork() == 0:
        break
while True:
    pass
"""


def starve(results, world, _program):
    """PID 1 of the run gets its turn, whatever the run does."""
    for name, command in STARVE.items():
        attempt_shell(results, world, "gives PID 1 " + name, "exec 2>&1; " + command, BWRAP)
    path = os.path.join(world.workspace, "busy")
    run = world.begin("/usr/bin/python3", "-c", BUSY)
    started = wait_for(lambda: os.path.exists(path), 20)
    time.sleep(1)
    begin = time.monotonic()
    run.send_signal(signal.SIGKILL)
    run.communicate()
    left = process.left_after([])
    results.ok("sixty busy processes end with their supervisor", started and not left and time.monotonic() - begin < 10,
               "started %r, %.1f s, left:\n%s" % (started, time.monotonic() - begin, process.show(left)))
    for pid in left:
        os.kill(pid, signal.SIGKILL)


def core_dumps(results, world, _program):
    """With a limit of 0 the kernel starts the host's handler of core dumps for a
    crashed process, with 1 it does not (core(5))."""
    looks = "grep -E 'core file size +0 ' /proc/self/limits"
    attempt_shell(results, world, "lets the host's handler have its core dumps", "ulimit -c 0; " + looks)
    attempt_shell(results, world, "lets the host's handler have its core dumps (prlimit)", "prlimit --core=0:0 " + looks)
    inside = world.sh("ulimit -c 0 && grep -E 'core file size +1 +1 ' /proc/self/limits")
    results.ok("a program may believe that it has switched them off", inside.status == 0, inside)


def others(results, world, program):
    """Processes of the same user outside."""
    victim = subprocess.Popen(["sleep", "300"], stdin=subprocess.DEVNULL, **world.identity())
    inside = world.anet(program, "kill", str(victim.pid))
    results.ok("kills a process of the host by its number", "refused" in inside.text and victim.poll() is None, inside)
    inside = world.sh("kill -9 -1; sleep 0.2; exit 9", start_new_session=True)
    results.ok("kills everything that it can", inside.status in (9, 137) and victim.poll() is None, inside)
    other = subprocess.Popen(["/usr/bin/python3", "-c", "import time; time.sleep(300)  # marker"],
                             stdin=subprocess.DEVNULL, **world.identity())
    attempt_shell(results, world, "sees a process of the host",
                  "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep 'sleep(300)  # [m]arker'")
    control = world.run([program, "kill", str(victim.pid)])
    wait_for(lambda: victim.poll() is not None, 3)
    results.ok("kills a process of the host by its number (control)", victim.returncode == -signal.SIGKILL, control)
    other.kill()
    other.wait()


def process_group(results, world, _program):
    """Signals to the process group reach the caller, whatever PID namespace the
    sender is in: the run needs a session of its own."""
    def caller_lives(argv):
        return world.run(["sh", "-c", '"$@"; echo the caller lives', "sh", *argv], start_new_session=True)

    command = ["sh", "-c", "echo begun; kill -9 0"]
    control = caller_lives(plain_bwrap("--unshare-all", command=command))
    results.ok("kills the process group of its caller (control)", control.status == -signal.SIGKILL, control)
    inside = caller_lives(world.argv(command))
    results.equal("kills the process group of its caller", inside.text, "begun\nthe caller lives\n", inside)


def beats(path):
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def goes_on(path):
    """Whether somebody still writes to the file."""
    before = beats(path)
    time.sleep(0.3)
    return beats(path) > before


def outlive(results, world, program):
    """Two forks, a session of its own, deaf to every signal."""
    path = os.path.join(world.workspace, "beat")
    argv = [program, "outlive", path]

    control = world.run(argv)
    wait_for(lambda: beats(path), 5)
    results.ok("outlives its end (control)", control.status == 0 and goes_on(path), control)
    for pid in process.everything():
        if process.name(pid) == "attack":
            os.kill(pid, signal.SIGKILL)
    os.unlink(path)

    inside = world.sh("%s outlive %s; while ! test -s %s; do sleep 0.01; done" % (program, path, path))
    results.ok("outlives its end", inside.status == 0 and beats(path) and not goes_on(path), inside)
    results.equal("outlives its end: no process", process.show(process.left_after([])), "")
    os.unlink(path)

    for name, number in (("SIGKILL", signal.SIGKILL), ("SIGTERM", signal.SIGTERM), ("SIGHUP", signal.SIGHUP)):
        run = world.begin("sh", "-c", "%s outlive %s; trap '' TERM HUP INT; sleep 300" % (program, path))
        started = wait_for(lambda: beats(path), 10)
        run.send_signal(number)
        try:
            run.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            pass
        left = process.left_after([])
        results.ok("outlives %s to its supervisor" % name, started and not left and not goes_on(path),
                   "started %r, left:\n%s" % (started, process.show(left)))
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        if os.path.exists(path):
            os.unlink(path)


def identity(results, world):
    """What the run is."""
    inside = world.sh("id -u; id -g; cat /proc/self/status; cat /proc/self/uid_map")
    lines = inside.text.splitlines()
    fields = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
    results.equal("uid and gid inside", lines[:2], ["1000", "1000"], inside)
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        results.equal("no capability: " + name, int(fields.get(name, "1"), 16), 0)
    results.equal("no new privileges", fields.get("NoNewPrivs"), "1")
    results.equal("a filter", fields.get("Seccomp"), "2")
    run = world.begin("sh", "-c", "echo begun; exec sleep 60")
    run.stdout.readline()
    sleepers = wait_for(lambda: process.named(run.pid, "sleep"))
    ids = [process.status_field(pid, field) for pid in sleepers for field in ("Uid", "Gid")]
    run.terminate()
    run.communicate()
    numbers = {number for text in ids for number in text.split()}
    if world.user == "root":
        results.ok("root's run is an unprivileged user of the host", len(ids) == 2 and
                   all(int(number) > 1879048192 for number in numbers), ids)
    else:
        results.equal("a user's run is that user", numbers, {str(world.uid), str(world.gid)})
    groups = world.sh("id -G").text.split()
    results.ok("no group of root", "0" not in groups, groups)


def test(results):
    for world in worlds():
        program = build(world)
        for part in (init, starve, core_dumps, others, process_group, outlive):
            with results.under("as %s: " % world.user):
                part(results, world, program)
        with results.under("as %s: " % world.user):
            identity(results, world)


product_test(test)

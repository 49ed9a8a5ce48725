#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The scope of a run: who makes it, that its limits hold and are told, and
what is said where it cannot be had (src/os/scope.h, scope-try.c)."""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from vm import MIB, Account, run_test, scopes, wait_for  # noqa: E402

DROP_IN = "/etc/systemd/system/anet-run-.scope.d"
# A bus that takes connections and never says anything.
DEAF = """
import socket, subprocess, sys
listener = socket.socket(socket.AF_UNIX)
listener.bind("/run/dbus/system_bus_socket")
listener.listen(8)
sys.exit(subprocess.run(sys.argv[1:]).returncode)
"""


def limits(results, account, session):
    """Each limit is in force, is hit, and is told by name."""
    facts = account.scope_try(session + "-m_1", 64 * MIB, 20, "memory")
    results.equal("the scope has its name", facts.get("unit"), "anet-run-%s-m_1.scope" % session, facts["text"])
    results.equal("memory.max as read back", facts.get("memory_max"), str(64 * MIB))
    results.equal("pids.max as read back", facts.get("tasks_max"), "20")
    results.equal("what takes more memory is killed", facts.get("memory"), "killed", facts["text"])
    results.equal("the memory limit is told", facts.get("limit"), "limit_memory", facts["text"])
    results.ok("it was noticed while the run went on", int(facts.get("noticed", 0)) > 0, facts["text"])

    facts = account.scope_try(session + "-t", 64 * MIB, 20, "tasks")
    results.equal("the 20th task is the last", facts.get("tasks"), "20", facts["text"])
    results.equal("the limit of tasks is told", facts.get("limit"), "limit_tasks", facts["text"])

    facts = account.scope_try(session + "-k", 64 * MIB, 50, "kill")
    results.equal("cgroup.kill ends daemons and other sessions too", facts.get("ended"), "31", facts["text"])
    facts = account.scope_try(session + "-n", 64 * MIB, 20, "none")
    results.equal("a run that meets no limit tells none", facts.get("limit"), "ok", facts["text"])
    facts = account.scope_try(session + "-u", 0, 0, "none")
    results.equal("no limit asked for: none in force", (facts.get("memory_max"), facts.get("tasks_max")),
                  (str(2**64 - 1), str(2**64 - 1)), facts["text"])
    results.equal("no scope stays behind", wait_for(lambda: not scopes()) and [], [], scopes())


def other_ways(results, root):
    """The bus may be missing or deaf."""
    without = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /run/dbus && exec "$@"', "sh"]
    facts = root.scope_try("nobus", 64 * MIB, 20, "tasks", before=without)
    results.equal("no bus: by the manager's own socket", (facts["status"], facts.get("limit")), (0, "limit_tasks"),
                  facts["text"])

    facts = root.scope_try("deaf", 64 * MIB, 20, "none", before=without + [sys.executable, "-c", DEAF])
    results.equal("a deaf bus: refused", (facts["status"], facts.get("errno")), (3, "ETIMEDOUT"), facts["text"])
    results.ok("within its 3 s", 2.9e6 < int(facts.get("start_usec", 0)) < 4e6, facts["text"])
    results.contains("and says so", facts.get("missing", ""), "within 3 s")

    facts = root.scope_try("elsewhere", 64 * MIB, 20, "none", before=["unshare", "-mpf", "--mount-proc"])
    results.equal("a manager of another PID namespace is not asked", facts.get("errno"), "EOPNOTSUPP", facts["text"])
    results.contains("and says so", facts.get("missing", ""), "another PID namespace")

    facts = root.scope_try("v1", 64 * MIB, 20, "none", before=[
        "unshare", "-m", "sh", "-c", 'mount -t tmpfs none /sys/fs/cgroup && exec "$@"', "sh"])
    results.contains("control groups of version 1: says so", facts.get("missing", ""), "version 2")

    first = subprocess.Popen(["systemd-run", "--quiet", "--scope", "--unit=anet-run-twice.scope", "sleep", "100"])
    wait_for(lambda: any("twice" in path for path in scopes()))
    facts = root.scope_try("twice", 64 * MIB, 20, "none")
    results.equal("a name that is taken: refused", facts.get("errno"), "EEXIST", facts["text"])
    first.kill()
    first.wait()


def drop_ins(results, root):
    """What the operator sets for all runs; systemd applies it silently."""
    def with_limit(limit, session):
        os.makedirs(DROP_IN, exist_ok=True)
        with open(os.path.join(DROP_IN, "limit.conf"), "w") as file:
            file.write("[Scope]\nMemoryMax=%s\n" % limit)
        subprocess.run(["systemctl", "daemon-reload"], check=True)
        return root.scope_try(session, 64 * MIB, 20, "none")

    facts = with_limit("16M", "stricter")
    results.equal("a stricter limit is taken as it is", facts.get("memory_max"), str(16 * MIB), facts["text"])
    for limit, session, text in (("1G", "wider", "reads 1073741824 instead of 67108864"),
                                 ("infinity", "widest", "reads max instead of 67108864")):
        facts = with_limit(limit, session)
        results.equal("a limit of %s instead of 64M is found out" % limit, facts.get("errno"), "ERANGE", facts["text"])
        results.contains("and told", facts.get("missing", ""), text)
    shutil.rmtree(DROP_IN)
    subprocess.run(["systemctl", "daemon-reload"], check=True)


def users(results):
    user = Account("with")
    facts = user.scope_try("noenv", 64 * MIB, 20, "none", env={})
    results.equal("the user's manager is found without XDG_RUNTIME_DIR", facts["status"], 0, facts["text"])
    facts = user.scope_try("where", 64 * MIB, 20, "none", env=dict(user.env, XDG_RUNTIME_DIR="/nonexistent"))
    results.equal("one that is set is believed", facts.get("errno"), "EOPNOTSUPP", facts["text"])
    results.contains("and named", facts.get("missing", ""), "/nonexistent/")
    facts = Account("without").scope_try("none", 64 * MIB, 20, "none")
    results.equal("no manager: refused", facts.get("errno"), "EOPNOTSUPP", facts["text"])
    results.contains("and says where none answers", facts.get("missing", ""), "no systemd manager answers at /run/user/")
    results.ok("at once", int(facts.get("start_usec", 10**9)) < 500000, facts["text"])


def test(results):
    for account in (Account("root"), Account("with")):
        with results.under("as %s: " % account.name):
            limits(results, account, "a-b")
    with results.under("as root: "):
        other_ways(results, Account("root"))
        drop_ins(results, Account("root"))
    with results.under("users: "):
        users(results)


run_test(test)

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=600
"""The operator's key under units, plain and sealed: only anet-upstream@ gets it.
It is in no other unit's environment or credentials, in no other process, not in
the run, the journal, a core dump or an error."""
import glob
import os
import signal
import stat
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from echo import Echo  # noqa: E402
from service import prepare_machine, set_key  # noqa: E402
from units import CONFIG, Session, agent, cursor, helpers, name_of, run, wait_nothing_left  # noqa: E402
from vm import ANET, read, run_test, wait_for  # noqa: E402

PLAIN = "sk-ant-test-plain-4hT9mQp2LonelyKeyInAFile8Xw1"
SEALED = "sk-ant-test-sealed-7Bd3kRf6LonelyKeyEncrypted5Yz0"
# Keeps its connection, so that gateway and upstream live; looks for the key, which it gets in two pieces.
PROGRAM = r"""
import glob, http.client, os, sys, time
c = http.client.HTTPConnection("127.0.0.1", 8118, timeout=100)
c.request("POST", "/v1/messages", '{"model":"m","max_tokens":10,"messages":[{"role":"user","content":"hi"}]}',
          {"content-type": "application/json"})
r = c.getresponse()
answer = r.read()
print("answer", r.status, flush=True)
needle = (sys.argv[1] + sys.argv[2]).encode()
found, looked = [], 0
paths = glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline") + glob.glob("/proc/[0-9]*/fd/*")
for top in ("/etc", "/run", "/tmp", "/var", "/home", "/root", "/dev/shm", os.path.expanduser("~")):
    for where, _, names in os.walk(top):
        paths += [os.path.join(where, name) for name in names]
for path in paths:
    try:
        if os.path.isfile(path):
            looked += 1
            if needle in open(path, "rb").read(1 << 20):
                found.append(path)
    except OSError:
        pass
print("looked", looked > 50, "found", found, flush=True)
time.sleep(1000)
"""


def memory_of(pid):
    """The writable memory of a process."""
    try:
        with open("/proc/%d/maps" % pid) as maps, open("/proc/%d/mem" % pid, "rb", 0) as memory:
            for line in maps:
                span, rights = line.split()[:2]
                low, high = (int(part, 16) for part in span.split("-"))
                if rights.startswith("rw") and high - low < 64 << 20:
                    try:
                        memory.seek(low)
                        yield memory.read(high - low)
                    except (OSError, ValueError):
                        continue
    except OSError:
        return


def processes_with(key, names=None):
    """[(name, where)] of processes that hold it; memory only of those named."""
    found = set()
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        pid, name = int(entry), name_of(int(entry))
        for file in ("environ", "cmdline"):
            if key in read("/proc/%d/%s" % (pid, file)):
                found.add((name, file))
        if names and name in names and any(key.encode() in part for part in memory_of(pid)):
            found.add((name, "memory"))
    return found


def files_with(key, *tops):
    """Files below the directories whose contents have it."""
    found = []
    for top in tops:
        for where, _, names in os.walk(top):
            for name in names:
                path = os.path.join(where, name)
                try:
                    if stat.S_ISREG(os.lstat(path).st_mode) and path != os.path.abspath(__file__):
                        with open(path, "rb") as file:
                            if key.encode() in file.read(16 << 20):
                                found.append(path)
                except OSError:
                    pass
    return found


def one(results, service, key, instance, where):
    """A session with that key, looked at from within and without."""
    since = cursor()
    half = len(key) // 2
    agent("keyed", "/usr/bin/python3", "-c", PROGRAM, key[:half], key[half:], runtime="echo")
    session = Session(instance)
    if not session.starts(results):
        return
    results.ok("the agent works", session.wait_said("answer 200"), session.journalctl())
    results.ok("the service got the key", service.keys[-1:] == [key], service.keys)
    results.ok("the run looks for it", session.wait_said("looked True"), session.journalctl())
    results.contains("and finds nothing", session.said(), "found []")

    holders = processes_with(key, ("anet-gateway", "anet-upstream", "anet-session", "anet-init", "anet-files", "bwrap"))
    results.ok("the upstream has it in its memory (control)", ("anet-upstream", "memory") in holders, holders)
    results.equal("nobody else has it anywhere", holders - {("anet-upstream", "memory")}, set())
    places = [path for path in glob.glob("/run/credentials/*/*")]
    results.equal("credentials are those of upstreams", sorted({path.split("/")[3].split("@")[0] for path in places}),
                  ["anet-upstream"] if places else [], places)
    others = files_with(key, "/run", "/var/lib", "/var/cache", "/var/log", "/tmp", "/etc", "/dev/shm")
    own = [path for path in others if path in where or path.startswith("/run/credentials/anet-upstream@")]
    results.equal("it is in no other file", sorted(set(others) - set(own)), [])
    if where:
        results.ok("it is in its own file (control)", set(where) <= set(others), others)

    core_dumps(results, session, key)
    session.stop()
    journal = run("journalctl", "--all", "--output=verbose", "--no-pager", "--after-cursor=" + since)[1]
    results.lacks("not in the journal", journal, key)
    results.contains("... which tells of the session (control)", journal, session.id)
    units = run("systemctl", "show", "--no-pager", "--all", "anet-upstream@*", "anet-gateway@*", session.unit)[1]
    results.lacks("not in what systemctl show says", units, key)


def core_dumps(results, session, key):
    """A helper that crashes leaves no core, on a machine that wants one of everybody."""
    for pid, name in helpers().items():
        try:
            os.kill(pid, signal.SIGSEGV)
        except ProcessLookupError:
            pass
    wait_for(lambda: not any(os.path.isdir("/proc/%d" % pid) for pid in helpers()), 5)
    results.equal("no core of a helper", glob.glob("/var/tmp/core.anet*"), [])
    results.ok("its crash is told", wait_for(lambda: "helper_died" in session.reasons()), session.journalctl("-n", "20"))


def core_pattern():
    """Every core dump is written to a file; shows that one is."""
    with open("/proc/sys/kernel/core_pattern", "w") as file:
        file.write("/var/tmp/core.%e.%p")
    subprocess.run(["sh", "-c", "ulimit -c unlimited; kill -SEGV $$"])
    found = glob.glob("/var/tmp/core.sh.*")
    for path in found:
        os.unlink(path)
    return found


def modes(results):
    for name, mode in (("credentials", 0o700), ("credentials.sealed", 0o700)):
        path = os.path.join(CONFIG, name)
        info = os.stat(path) if os.path.isdir(path) else None
        results.ok("%s is root's alone" % path, info and stat.S_IMODE(info.st_mode) == mode and info.st_uid == 0, info)
        for file in os.listdir(path) if info else ():
            info = os.stat(os.path.join(path, file))
            results.ok("so is %s in it" % file, stat.S_IMODE(info.st_mode) == 0o600 and info.st_uid == 0, info)


def clear():
    for path in glob.glob(os.path.join(CONFIG, "credentials*", "*")):
        os.unlink(path)


def sealed(results, service):
    """Encrypted by systemd-creds with this machine's key."""
    clear()
    # The machine's key is made by systemd-creds itself.
    run("systemd-creds", "setup")
    status, text = run(ANET, "credential", "set", "anthropic", input=SEALED + "\n")
    results.equal("anet credential set", status, 0, text)
    files = glob.glob(os.path.join(CONFIG, "credentials*", "*"))
    results.equal("it is sealed", files, [os.path.join(CONFIG, "credentials.sealed", "anthropic")], text)
    results.equal("and not to be read", files_with(SEALED, CONFIG), [])
    one(results, service, SEALED, "keyed-sealed", [])


def plain(results, service):
    clear()
    path = os.path.join(CONFIG, "credentials", "anthropic")
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
        file.write(PLAIN + "\n")
    one(results, service, PLAIN, "keyed-plain", [path])


def commands(results):
    status, text = run(ANET, "credential", "list")
    results.ok("anet credential list names it and does not show it", status == 0 and "anthropic" in text
               and PLAIN not in text and SEALED not in text, text)
    status, text = run(ANET, "credential", "remove", "anthropic")
    results.equal("anet credential remove", status, 0, text)
    results.equal("it is gone", glob.glob(os.path.join(CONFIG, "credentials*", "*")), [])
    session = Session("keyed-without")
    status, text, _ = session.start()
    results.ok("a session without a key is refused", status != 0, session.journalctl())
    results.contains("with the reason", " ".join(session.reasons()), "no_api_key")
    results.equal("and no run", (session.scopes(), wait_nothing_left(session)), ([], ""))


def test(results):
    prepare_machine()
    results.ok("a program that crashes leaves a core (control)", core_pattern())
    with Echo() as service:
        for part in (plain, sealed):
            with results.under(part.__name__ + ": "):
                part(results, service)
                modes(results)
        commands(results)
    set_key("sk-ant-test-back-again-1Nn5LonelyKeyForTheOthers2")


run_test(test)

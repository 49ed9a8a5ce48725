#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=240
"""The operator's key is nowhere that a run can look, and in no process outside
but the upstream helper (SPEC S7): not in environments, arguments, descriptors,
files, memory of the run, nor in an answer that echoes it."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import KEY, PLACEHOLDER, Model, process, product_test, wait_for, worlds  # noqa: E402

# Looks for the key in everything that the run can read.  It gets the key in two
# pieces, so that it does not find itself.
SEARCH = r"""
import os, re, sys
needle = (sys.argv[1] + sys.argv[2]).encode()
own = {os.getpid()}
found = []

def look(name, data):
    if needle in data:
        found.append(name)

for pid in os.listdir("/proc"):
    if not pid.isdigit():
        continue
    for name in ("environ", "cmdline", "auxv", "status", "maps", "comm"):
        try:
            data = open("/proc/%s/%s" % (pid, name), "rb").read()
        except OSError:
            continue
        if int(pid) not in own or name == "environ":
            look("/proc/%s/%s" % (pid, name), data)
    try:
        descriptors = os.listdir("/proc/%s/fd" % pid)
    except OSError:
        descriptors = []
    for number in descriptors:
        path = "/proc/%s/fd/%s" % (pid, number)
        try:
            look(path + " -> " + os.readlink(path), os.fsencode(os.readlink(path)))
            if os.path.isfile(path):
                look(path, open(path, "rb").read(1 << 20))
        except OSError:
            pass
    if int(pid) not in own:
        try:
            memory = open("/proc/%s/mem" % pid, "rb", 0)
            for line in open("/proc/%s/maps" % pid):
                low, high = (int(x, 16) for x in line.split()[0].split("-"))
                try:
                    memory.seek(low)
                    look("/proc/%s/mem %s" % (pid, line.strip()), memory.read(high - low))
                except (OSError, ValueError, OverflowError):
                    pass
        except OSError:
            pass
for top in sys.argv[3:]:
    for where, names, files in os.walk(top):
        for name in files:
            path = os.path.join(where, name)
            try:
                if os.path.isfile(path):
                    look(path, open(path, "rb").read(1 << 20))
            except OSError:
                pass
print("searched", len(os.listdir("/proc")), flush=True)
for name in found:
    print("FOUND", name, flush=True)
"""

REQUEST = r"""
import http.client, sys
c = http.client.HTTPConnection("127.0.0.1", 8118, timeout=20)
c.request("POST", "/v1/messages", '{"model":"claude-x","max_tokens":100,"messages":[{"role":"user","content":"hi"}]}',
          {"content-type": "application/json", "x-api-key": "anet-placeholder-key"})
r = c.getresponse()
print(r.status, r.headers, r.read().decode(), flush=True)
"""


def inside(results, world):
    half = len(KEY) // 2
    pieces = KEY[:half], KEY[half:], "/etc", "/run", "/tmp", "/home", "/root", "/var", "/dev/shm", world.workspace
    control = world.run(["sh", "-c", 'exec "$@"', "sh", "/usr/bin/python3", "-c", SEARCH, *pieces[:2]],
                        env={"ANTHROPIC_API_KEY": KEY})
    results.contains("the search finds it where it is (control)", control.text, "FOUND /proc/")
    # With live helpers: a request goes through before, another program sleeps beside.
    script = REQUEST + SEARCH
    result = world.agent_python(script, *pieces, timeout=60)
    results.ok("a request was answered and the search was made",
               result.text.startswith("200 ") and "searched" in result.text, result)
    results.lacks("not in environments, arguments, descriptors, memory, files", result.text, "FOUND")
    results.lacks("not in what the service answered", result.text, KEY)
    results.lacks("not on standard error", result.errors, KEY)
    result = world.run(world.agent_argv("env"), env={"ANTHROPIC_API_KEY": KEY})
    results.contains("in its place is a placeholder", result.text, "ANTHROPIC_API_KEY=" + PLACEHOLDER)

    # A process that the run cannot even see may not help either.
    path = world.file(".config/anet/credentials/anthropic", KEY + "\n", 0o600)
    result = world.run(world.agent_argv("/usr/bin/python3", "-c", script, *pieces), timeout=60)
    results.ok("from a file: a request was answered", result.text.startswith("200 "), result)
    results.lacks("from a file: not found either", result.text, "FOUND")
    os.unlink(path)


def outside(results, world):
    """Who on the host has it while a session works."""
    run = world.begin_agent("/usr/bin/python3", "-c", REQUEST + "import time; time.sleep(60)")
    answered = run.stdout.readline().startswith(b"200 ")
    holders, arguments = {}, []
    for pid in process.descendants(os.getpid()):
        if KEY.encode() in process.read(pid, "environ"):
            holders.setdefault("environ", []).append(process.name(pid))
        if KEY.encode() in process.read(pid, "cmdline"):
            arguments.append(process.name(pid))
    results.ok("a session works", answered)
    results.equal("in no environment", holders.get("environ", []), [])
    results.equal("in no arguments", arguments, [])
    if os.geteuid() == 0:
        names = sorted({process.name(pid) for pid in process.descendants(run.pid) + [run.pid] if holds(pid)})
        results.equal("in no memory but the upstream's", [name for name in names if name != "anet-upstream"], [])
        results.ok("the upstream has it (control)", "anet-upstream" in names, names)
    run.terminate()
    run.communicate()


def holds(pid):
    """Whether the key is in the writable memory of a process."""
    try:
        with open("/proc/%d/maps" % pid) as maps, open("/proc/%d/mem" % pid, "rb", 0) as memory:
            for line in maps:
                span, rights = line.split()[:2]
                if not rights.startswith("rw"):
                    continue
                low, high = (int(part, 16) for part in span.split("-"))
                try:
                    memory.seek(low)
                    if KEY.encode() in memory.read(high - low):
                        return True
                except (OSError, ValueError):
                    continue
    except OSError:
        pass
    return False


def echo(results, world, model):
    """A service that sends the key back, in an error or in an answer."""
    for name, fault in (
            ("in an answer", {"fault": "echo_secret", "text": "your key is %s." % KEY}),
            ("in a 401", {"fault": "status", "status": 401, "message": "invalid key " + KEY}),
            ("in a 403", {"fault": "status", "status": 403, "message": "invalid key " + KEY}),
            ("in a 500", {"fault": "status", "status": 500, "message": "invalid key " + KEY}),
            ("in a header", {"fault": "status", "status": 500, "message": "x", "headers": {"request-id": KEY}})):
        model.faults = [dict(fault, times=0)]
        model.hits.clear()
        result = world.agent_python(REQUEST, timeout=60)
        results.lacks("echoed by the service %s" % name, result.text + result.errors, KEY)
        results.ok("... which did so", bool(model.requests()) and "fault" in model.requests()[-1])
    model.faults = []


def cores(world):
    return {os.path.join(where, name) for top in (world.workspace, "/tmp", "/var/tmp", world.home)
            for where, _, names in os.walk(top) for name in names if re.fullmatch(r"core(\.\d+)?", name)}


def core(results, world):
    """A crash of the upstream leaves no core file with it."""
    before = cores(world)
    run = world.begin_agent("/usr/bin/python3", "-c", REQUEST + "import time; time.sleep(60)")
    run.stdout.readline()
    for pid in process.named(run.pid, "anet-upstream"):
        os.kill(pid, 11)
    wait_for(lambda: not process.named(run.pid, "anet-upstream"), 5)
    run.terminate()
    run.communicate()
    results.equal("no core file", sorted(cores(world) - before), [])


def test(results):
    with Model(script=[{"text": "fine"}]) as model:
        for world in worlds():
            world.any_claude()
            for part in (inside, outside, core):
                with results.under("as %s: " % world.user):
                    part(results, world)
            with results.under("as %s: " % world.user):
                echo(results, world, model)
        results.ok("the service saw the key in every request",
                   set(model.headers("x-api-key")) == {KEY} and not model.headers("authorization"),
                   set(model.headers("x-api-key")))
        results.lacks("and never the placeholder", repr(model.records), PLACEHOLDER)


product_test(test)

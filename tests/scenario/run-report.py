#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=300
"""anet run --report: what it tells, that it changes nothing for the agent, and that
a hostile run harms only itself."""
import json
import os
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ANET, Model, has, product_test, wait_for, worlds  # noqa: E402
from world import with_key  # noqa: E402

ASKS = r"""
import os, socket, sys
for path in sys.argv[1:]:
    os.path.exists(path)
try:
    socket.getaddrinfo("registry.example.org", 443)
except OSError as error:
    print(type(error).__name__, error.errno)
s = socket.socket()
try:
    s.connect(("192.0.2.7", 443))
except OSError as error:
    print(type(error).__name__, error.errno)
print("out")
print("err", file=sys.stderr)
sys.exit(7)
"""

# What no filter lets through, and what the filter of the report looks at, too.
REFUSED = r"""
import ctypes, json, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(*arguments):
    ctypes.set_errno(0)
    r = libc.syscall(*[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    return r if r >= 0 else -ctypes.get_errno()
path = b"/tmp/x-report"
print(json.dumps({
    "unshare": call(272, 0x10000000), "mount": call(165, b"a", b"/tmp", b"tmpfs", 0, 0), "ptrace": call(101, 0, 0, 0, 0),
    "bpf": call(321, 0, 0, 0), "io_uring": call(425, 1, 0), "userfaultfd": call(323, 0), "keyctl": call(250, 0, 0),
    "handle": call(304, 0, 0, 0), "openat2": call(437, -100, path, 0, 0), "clone3": call(435, 0, 0),
    "setuid open": call(257, -100, path, 0o101, 0o4755), "setuid open there": os.path.exists(path),
    "setuid mkdir": call(258, -100, path, 0o4755), "setuid creat": call(85, path, 0o6755),
    "vsock": call(41, 40, 1, 0), "packet": call(41, 17, 3, 0), "vm_readv": call(310, os.getppid(), 0, 0, 0, 0, 0),
    "missing": call(257, -100, b"/nothing/x", 0, 0), "bad pointer": call(257, -100, 1, 0, 0),
    "etc": call(257, -100, b"/etc/shadow", 0, 0), "write usr": call(257, -100, b"/usr/x", 0o101, 0o644)}))
"""

HOSTILE = r"""
import ctypes, os, socket, struct, sys, threading
libc = ctypes.CDLL(None, use_errno=True)
for number in range(20000):
    os.path.exists("/none/%d/" % number + "x" * (number % 200))
os.path.exists("/" + "y" * 4000)
os.path.exists("/\x1b[2J\x07\n/\udcff\udcfe")
page = 4096
libc.mmap.restype = ctypes.c_void_p
where = libc.mmap(None, ctypes.c_size_t(2 * page), 3, 0x22, -1, ctypes.c_long(0))
libc.munmap(ctypes.c_void_p(where + page), ctypes.c_size_t(page))
ctypes.memset(where, ord("/"), page)
for pointer in (0, 1, where, where + page - 3, where + page, -1):
    for call in (2, 4, 6, 21, 59, 80, 89):
        libc.syscall(ctypes.c_long(call), ctypes.c_long(pointer), ctypes.c_long(0), ctypes.c_long(0))
    for call in (42, 44, 307):
        libc.syscall(ctypes.c_long(call), ctypes.c_long(3), ctypes.c_long(pointer), ctypes.c_long(100), ctypes.c_long(0))
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for data in (b"", b"\0" * 12, b"\0" * 512, b"\x12\x34\1\0\0\1\0\0\0\0\0\0\x3f" + b"a" * 30,
             b"\x12\x34\1\0\0\1\0\0\0\0\0\0\xc0\x0c\0\1\0\1", os.urandom(400)):
    try:
        s.sendto(data, ("127.0.0.1", 53))
    except OSError:
        pass
def many():
    for number in range(300):
        os.path.exists("/threads/%d" % number)
threads = [threading.Thread(target=many) for _ in range(20)]
[thread.start() for thread in threads]
for _ in range(10):
    if os.fork() == 0:
        os.setsid()
        while True:
            os.path.exists("/forever")
[thread.join() for thread in threads]
print("done", flush=True)
os._exit(3)
"""


def watchers():
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                # Empty of one that has ended and waits for its parent.
                with open("/proc/%s/cmdline" % entry, "rb") as file:
                    if file.read() == b"anet-watch\0":
                        found.append(int(entry))
            except OSError:
                pass
    return found


def tells(results, world):
    there = world.file("unmounted/data", "x")
    key = world.file(".ssh/id_ed25519", "x", 0o600)
    asked = [there, key, world.home + "/none", "/usr/bin/env"]
    plain = world.python(ASKS, *asked)
    told = world.python(ASKS, *asked, options=["--report"])
    report = told.errors
    results.equal("the exit status is the agent's", told.status, 7, told)
    results.equal("its output is the same as without", told.text, plain.text, told)
    results.contains("its standard error is there", report, "err\n")
    results.ok("nothing without --report", "did not get" not in plain.errors, plain)
    results.contains("a path that is there outside", report, "  %s\n" % there)
    results.contains("the line that would show it", report, '{ "source": "%s" }' % there)
    results.contains("a key is never visible", report, "%s\n      never visible" % key)
    results.lacks("and no line is told", report, '{ "source": "%s" }' % key)
    results.lacks("what is not there is not told", report, "/none")
    results.lacks("what was seen is not told", report, "/usr/bin/env\n")
    results.contains("a host by its name", report, "  registry.example.org\n")
    results.contains("and by its address", report, "  192.0.2.7:443\n")
    results.equal("nobody is left", wait_for(lambda: not watchers()), True)

    # The lines are what they are said to be: written there, the path is seen.
    lines = report[report.index("To show them to runs"):].split("\n\n")[0].splitlines()
    path = lines[0].rsplit(" in ", 1)[1].rstrip(":")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write("{\n%s\n}\n" % "\n".join(lines[1:]))
    world.own(path)
    result = world.anet("cat", there)
    results.equal("with these lines in that file it is seen", (result.status, result.text), (0, "x"), result)
    os.unlink(path)


def into_file(results, world):
    path = os.path.join(world.workspace, "report.txt")
    result = world.sh("ls /nothing; exit 4", options=["--report=report.txt"])
    with open(path, encoding="utf-8") as file:
        text = file.read()
    results.ok("into a file", result.status == 4 and "did not get" in text and "did not get" not in result.errors, result)
    results.equal("that nobody else reads", os.stat(path).st_mode & 0o777, 0o600)
    os.unlink(path)
    os.symlink(world.file("precious", "precious"), path)
    result = world.sh("true", options=["--report=report.txt"])
    with open(os.path.join(world.home, "precious"), encoding="utf-8") as file:
        results.equal("a link that a run left is not followed", (result.status, file.read()), (64, "precious"), result)
    os.unlink(path)
    result = world.sh("true", options=["--report=/nowhere/report"])
    results.equal("a file that cannot be written", result.status, 64, result)


def programs(results, world):
    for name, command in (("git", "git status; git config user.name"), ("curl", "curl -sS https://curl.example.org/"),
                          ("python3", "python3 -c 'import json, ssl, urllib.request'"), ("node", "node -e 'require(\"fs\")'")):
        if not has(name):
            continue
        plain, told = world.sh(command), world.sh(command, options=["--report"])
        results.equal("%s: the same result" % name, (told.status, told.text), (plain.status, plain.text), told)
        results.contains("%s: a report" % name, told.errors, "Watched: ")
    if has("curl"):
        results.contains("curl: the host", world.sh("curl -sS https://curl.example.org/", options=["--report"]).errors,
                         "  curl.example.org\n")


def refusals(results, world):
    plain, told = world.python(REFUSED), world.python(REFUSED, options=["--report"])
    results.equal("the run's own filter is in force", told.text, plain.text, told)
    said = json.loads(told.text or "{}")
    results.equal("calls that both filters know are refused", (said.get("setuid open"), said.get("setuid mkdir")), (-1, -1))
    results.equal("an errno is the kernel's own", (said.get("missing"), said.get("bad pointer")), (-2, -14))


def hostile(results, world):
    result = world.python(HOSTILE, options=["--report"], timeout=120)
    results.equal("a hostile run ends with its own status", (result.status, result.text), (3, "done\n"), result)
    results.contains("what found no room is counted", result.errors, "could not be read or kept")
    results.lacks("nothing of it reaches the terminal unescaped", result.errors, "\x1b[2J")
    results.equal("nobody is left after it", wait_for(lambda: not watchers()), True)


def killed(results, world):
    process = world.begin("sh", "-c", "while :; do ls / >/dev/null; done", options=["--report"])
    pids = wait_for(watchers)
    time.sleep(0.3)
    os.kill(pids[0], signal.SIGKILL)
    out, err = process.communicate(timeout=30)
    results.ok("when anet-watch ends so does the run", process.returncode == 70 and b"helper_died" in err, (out, err))
    process = world.begin("sleep", "60", options=["--report"])
    wait_for(watchers)
    time.sleep(0.3)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    results.equal("a run that is stopped", process.returncode, 143)
    results.equal("nobody is left after that", wait_for(lambda: not watchers()), True)


def requests(results, world):
    world.any_claude()
    ask = ("import urllib.request, urllib.error\n"
           "for body in (b'{\"mcp_servers\":[]}', b'no', b'no'):\n"
           "    try:\n        urllib.request.urlopen('http://127.0.0.1:8118/v1/messages', body)\n"
           "    except urllib.error.HTTPError as error:\n        print(error.code)\n")
    with Model():
        result = world.run([ANET, "run", "--report", "--agent", "claude", "--", "/usr/bin/python3", "-c", ask],
                           env=with_key(None))
    results.contains("requests that were refused", result.errors, "Requests that were refused:")
    results.contains("with their number and reason", result.errors, "2 × json_not_object")


def test(results):
    for world in worlds():
        with results.under("as %s: " % world.user):
            tells(results, world)
            into_file(results, world)
            programs(results, world)
            refusals(results, world)
            hostile(results, world)
            killed(results, world)
            requests(results, world)
    world.agent("open", {"runtime": "command", "strategy": "host"})
    result = world.run([ANET, "run", "--report", "--agent", "open", "--", "true"])
    results.equal("not without a boundary", result.status, 64, result)


product_test(test)

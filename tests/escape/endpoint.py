#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=300
"""The endpoint is no way to anything but the model service of the own session."""
import os
import socket
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from attack import BWRAP, attempt, build  # noqa: E402
from harness import Model, process, product_test, wait_for, worlds  # noqa: E402

# Sends bytes to the endpoint, prints what comes back.
RAW = r"""
import socket, sys
s = socket.create_connection(("127.0.0.1", 8118), timeout=10)
s.settimeout(10)
s.sendall(sys.argv[1].encode("latin-1").decode("unicode_escape").encode("latin-1"))
try:
    s.shutdown(socket.SHUT_WR)
except OSError:
    pass
data = b""
try:
    while True:
        piece = s.recv(65536)
        if not piece:
            break
        data += piece
except OSError:
    pass
print(data.decode("latin-1"))
"""

# Opens connections and holds them with a byte sent; says how many were taken up.
FLOOD = r"""
import socket, sys, time
held, refused = [], 0
for n in range(int(sys.argv[1])):
    s = socket.socket()
    s.settimeout(5)
    try:
        s.connect(("127.0.0.1", 8118))
        s.sendall(b"P")
        held.append(s)
    except OSError:
        refused += 1
print("held", len(held), flush=True)
time.sleep(2)
closed = 0
for s in held:
    s.setblocking(False)
    try:
        data = s.recv(4096)
        closed += 1
    except BlockingIOError:
        pass
    except OSError:
        closed += 1
print("closed", closed, flush=True)
sys.stdin.readline()
for s in held:
    s.close()
"""

CHURN = r"""
import socket, sys, time
end = time.monotonic() + float(sys.argv[1])
count = 0
while time.monotonic() < end:
    s = socket.socket()
    s.settimeout(5)
    try:
        s.connect(("127.0.0.1", 8118))
        if sys.argv[2] == "byte":
            s.sendall(b"GET / HTTP/1.1\r\n\r\n")
        count += 1
    except OSError:
        pass
    s.close()
print(count)
"""


def proxy(results, world, port, asked):
    """As an HTTP proxy, as a CONNECT proxy, with another host's name, to files."""
    table = [
        ("an absolute form to a host port", "GET http://127.0.0.1:%d/ HTTP/1.1\\r\\nHost: 127.0.0.1:%d\\r\\n\\r\\n"),
        ("a CONNECT to a host port", "CONNECT 127.0.0.1:%d HTTP/1.1\\r\\nHost: 127.0.0.1:%d\\r\\n\\r\\n"),
        ("the name of another host", "POST /v1/messages HTTP/1.1\\r\\nHost: 127.0.0.1:%d\\r\\nContent-Length: 2\\r\\n"
         "X: %d\\r\\n\\r\\n{}"),
        ("two hosts", "GET /v1/models HTTP/1.1\\r\\nHost: a:%d\\r\\nHost: b:%d\\r\\n\\r\\n"),
        ("SOCKS", "\\x05\\x01\\x00%d%d"),
        ("TLS", "\\x16\\x03\\x01\\x02\\x00\\x01%d%d"),
        ("an HTTP/2 preface", "PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n%d%d"),
        ("a path with ..", "GET /v1/messages/../../__stub/log HTTP/1.1\\r\\nHost: %d%d\\r\\n\\r\\n"),
        ("another endpoint of the service", "POST /v1/files HTTP/1.1\\r\\nHost: x%d%d\\r\\nContent-Length: 0\\r\\n\\r\\n"),
        ("batches", "POST /v1/messages/batches HTTP/1.1\\r\\nHost: x%d%d\\r\\nContent-Length: 2\\r\\n\\r\\n{}"),
        ("an upgrade", "GET /v1/responses HTTP/1.1\\r\\nHost: x%d%d\\r\\nConnection: Upgrade\\r\\n"
         "Upgrade: websocket\\r\\n\\r\\n"),
    ]
    for name, request in table:
        asked.clear()
        result = world.agent_python(RAW, request % (port, port), timeout=40)
        answer = result.text.split(" ")
        ok = not asked and (not result.text.strip() or (answer[0] == "HTTP/1.1" and answer[1][0] == "4") or
                            answer[1:2] == ["505"])
        results.ok("the endpoint as a proxy: " + name, ok and result.status == 0, (asked, result))


def others(results, world, program):
    """A run without a model service has no endpoint; one session's is not the
    other's."""
    result = world.anet(program, "tcp", "127.0.0.1", "8118")
    results.contains("no endpoint without a model service", result.text, "ECONNREFUSED")
    first = world.begin_agent("sh", "-c", "echo begun; exec sleep 60")
    begun = first.stdout.readline()
    result = world.anet(program, "tcp", "127.0.0.1", "8118")
    results.ok("nor while another session has one", begun and "ECONNREFUSED" in result.text, result)
    # Abstract names and files of the other session.
    pids = " ".join(str(pid) for pid in [first.pid] + process.descendants(first.pid))
    result = world.sh("cat /proc/net/unix; for p in %s; do kill -0 $p && test $p != $$ && test $p -gt 10 "
                      "&& echo reached $p; done; true" % pids)
    results.lacks("processes of the other session are not there", result.text, "reached")
    results.lacks("nor abstract names", result.text, "@")
    first.terminate()
    first.communicate()


def flood(results, world, model):
    """More than 32 at once, and thousands one after the other."""
    run = world.begin_agent("/usr/bin/python3", "-c", FLOOD, "80", stdin=-1)
    line = run.stdout.readline()
    closed = run.stdout.readline()
    helpers = [process.name(pid) for pid in process.descendants(run.pid)]
    # One pair may stand ready ahead of the next connection.
    results.ok("at most 32 connections have helpers (and one pair ahead)",
               0 < helpers.count("anet-gateway") <= 33 and helpers.count("anet-upstream") <= 33,
               (line, closed, {name: helpers.count(name) for name in set(helpers)}))
    run.stdin.write(b"\n")
    run.stdin.flush()
    run.communicate(timeout=30)
    results.equal("... and all end with it", process.show(process.left_after([])), "")
    for how in ("silent", "byte"):
        run = world.begin_agent("/usr/bin/python3", "-c", CHURN, "4", how)
        most, begun = 0, set()
        while run.poll() is None:
            here = process.named(run.pid, "anet-gateway")
            begun |= set(here)
            most = max(most, len(here))
            wait_for(lambda: False, 0.02)
        count = int(run.communicate()[0] or 0)
        # Silent ones get none; of the others a burst of 32 and 2 a second, and what stands ready.
        bound = 2 if how == "silent" else 32 + 2 * 6 + 4
        results.ok("churn, %s: helpers are not started for each" % how, count > 20 and len(begun) <= bound,
                   "%d connections, %d gateways, %d at once" % (count, len(begun), most))
    result = world.agent_python(RAW, "GET /v1/models HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n", timeout=40)
    results.contains("a new session is not the worse for it", result.text, "HTTP/1.1 ")


def test(results):
    asked = []
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            connection, _ = listener.accept()
            asked.append("a connection")
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhost!")
            connection.close()

    threading.Thread(target=serve, daemon=True).start()
    port = listener.getsockname()[1]
    with Model(script=[{"text": "fine"}]) as model:
        for world in worlds():
            world.any_claude()
            program = build(world)
            with results.under("as %s: " % world.user):
                attempt(results, world, "reaches the service itself", [program, "tcp", "127.0.0.1", str(port)], BWRAP)
                proxy(results, world, port, asked)
            with results.under("as %s: " % world.user):
                others(results, world, program)
            with results.under("as %s: " % world.user):
                flood(results, world, model)
        results.lacks("the service was never asked for anything else", repr(
            [record.get("path") for record in model.records]), "__stub")


product_test(test)

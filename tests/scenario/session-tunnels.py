#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=240
"""What a supervisor does with tunnels: counts, limits at once and in all, also together with connections to the
model service; records; `anet why`; a helper that is killed; a run without egress has no second endpoint."""
import json
import os
import re
import signal
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import machine  # noqa: E402
from harness import ANET, KEY, Model, process, product_test, wait_for, worlds  # noqa: E402
from internet import Internet  # noqa: E402

HOST, OTHER = "files.example.com", "other.example.com"

# Inside of the run.  Does what it is told by one JSON line each on its input and answers with one: open N tunnels
# and keep them (the answers), close N of them, begin N requests to the model service and keep them, open N tunnels
# later (nothing), how many of those are open.
CLIENT = r"""
import json, socket, ssl, sys, threading
held, models, late = [], [], []

def head(sock):
    data = b""
    while b"\r\n\r\n" not in data:
        try:
            more = sock.recv(4096)
        except ConnectionResetError:
            more = b""
        if not more:
            break
        data += more
    return data.decode()

def tunnel(host):
    sock = socket.create_connection(("127.0.0.1", 8119), 30)
    sock.sendall(("CONNECT %s:443 HTTP/1.1\r\nHost: %s:443\r\n\r\n" % (host, host)).encode())
    answer = head(sock)
    if " 200 " not in answer.split("\r\n")[0]:
        return answer, None
    context = ssl.create_default_context()
    return answer, context.wrap_socket(sock, server_hostname=host)

for line in sys.stdin:
    what, argument, count = json.loads(line)
    result = []
    for _ in range(count):
        if what == "tunnel":
            answer, sock = tunnel(argument)
            result.append(answer)
            if sock:
                sock.sendall(b"hello\r\n\r\n")
                result[-1] += sock.recv(100).decode()
                held.append(sock)
        elif what == "close":
            held.pop(0).close()
        elif what == "later":
            threading.Thread(target=lambda: late.append(tunnel(argument)), daemon=True).start()
        elif what == "late":
            result.append(len(late))
        elif what == "model":
            sock = socket.create_connection(("127.0.0.1", 8118), 30)
            sock.sendall(b"P")
            models.append(sock)
    print(json.dumps(result), flush=True)
"""


def echo(peer):
    while True:
        peer.send(b"got " + peer.head().strip())


class Run:
    """A run with CLIENT in it."""

    def __init__(self, world, *options, env=None):
        self.process = world.start([ANET, "run", *options, "--", "/usr/bin/python3", "-c", CLIENT],
                                   env=env or {}, stdin=-1)

    def do(self, what, argument="", count=1):
        try:
            self.process.stdin.write(json.dumps([what, argument, count]).encode() + b"\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = b""
        if not line:
            raise RuntimeError("the run has ended: %r" % (self.process.communicate(timeout=30),))
        return json.loads(line)

    def end(self):
        out, err = self.process.communicate(timeout=30)
        return self.process.returncode, out, err.decode("utf-8", "replace")

    def helpers(self):
        return [pid for pid in process.descendants(self.process.pid) if process.name(pid) == "anet-tunnel"]


class Records:
    """The journal's, taken in as they come: its socket has room for ten only."""

    def __init__(self):
        self.journal, self.list, self.lock = machine.Journal(), [], threading.Lock()
        threading.Thread(target=self._run, daemon=True).start()

    def _take(self):
        with self.lock:
            self.list += self.journal.records()

    def _run(self):
        while True:
            self._take()
            time.sleep(0.005)

    def records(self):
        self._take()
        with self.lock:
            taken, self.list = self.list, []
        return taken


def first_line(answer):
    return answer.split("\r\n")[0]


def why(world, session):
    _, value = world.run_json([ANET, "why", session], {})
    return {row["code"]: row for row in value.get("refusals", ())}, value


def served(results, world, journal):
    """One goes through, one is refused; both are told."""
    journal.records()
    run = Run(world, "--egress", HOST)
    answer, = run.do("tunnel", HOST)
    results.equal("an allowed host", (first_line(answer).split()[1], answer.endswith("got hello")), ("200", True), answer)
    answer, = run.do("tunnel", OTHER)
    results.ok("another", first_line(answer).startswith("HTTP/1.1 403 anet: this host is not one that this session may reach"),
               answer)
    run.do("close")
    status, _, err = run.end()
    results.ok("its end, and nothing of it on standard error", status == 0 and "tunnel" not in err, (status, err))
    records = journal.records()
    told = [record for record in records if record.get("ANET_HELPER") == "anet-tunnel"]
    results.equal("a record for each", sorted((record["ANET_REASON"] == "tunnel_host", record.get("ANET_DESTINATION"))
                                              for record in told), [(False, HOST), (True, OTHER)], records)
    carried = [record for record in told if record.get("ANET_DESTINATION") == HOST]
    results.ok("with bytes", carried and int(carried[0]["ANET_BYTES_IN"]) > 200 and int(carried[0]["ANET_BYTES_OUT"]) > 200, told)
    results.contains("and the run's", " ".join(record.get("MESSAGE", "") for record in records), "refused 1, tunnels 2")
    session = told[0]["ANET_SESSION"]
    rows, value = why(world, session)
    results.equal("anet why", (sorted(rows), value.get("refused")), (["tunnel_host"], 1), value)
    results.contains("names the host", rows["tunnel_host"]["detail"], OTHER)


def at_once(results, world, journal):
    """tunnels_at_once is answered at once; one that ends makes room."""
    journal.records()
    world.agent("few", {"runtime": "command", "egress": [HOST], "limits": {"tunnels_at_once": 2, "tunnels": 4}})
    run = Run(world, "--agent", "few")
    opened = run.do("tunnel", HOST, 2)
    results.equal("two are open", [first_line(answer).split()[1] for answer in opened], ["200", "200"])
    begin = time.monotonic()
    refused = run.do("tunnel", HOST, 3)
    results.equal("more are answered", {first_line(answer) for answer in refused},
                  {"HTTP/1.1 503 anet: the session has as many tunnels open as it may"})
    results.ok("at once", time.monotonic() - begin < 5, time.monotonic() - begin)
    results.contains("with the code", refused[0], "\r\nanet-reason: limit_tunnels_open\r\n")
    for _ in range(2):
        run.do("close")
        # Its helper has to end first.
        results.ok("one that ended makes room", wait_for(
            lambda: first_line(run.do("tunnel", HOST)[0]).split()[1] == "200"))
    run.do("close", count=2)
    answer = None

    def used_up():
        nonlocal answer
        answer, = run.do("tunnel", HOST)
        return " 403 " in first_line(answer)

    results.ok("then all are used up", wait_for(used_up), answer)
    results.equal("and it says so", first_line(answer), "HTTP/1.1 403 anet: the session has used all its tunnels")
    run.do("tunnel", HOST, 400)
    status, _, err = run.end()
    results.equal("its end", status, 0, err)
    records = [record for record in journal.records() if record.get("ANET_REASON") == "limit_tunnels"]
    results.equal("told once", len(records), 1, records)
    rows, value = why(world, records[0]["ANET_SESSION"])
    results.ok("and counted", rows["limit_tunnels"]["count"] > 400 and value["refused"] > 403, value)
    results.equal("the lines that raise the limits", [rows[code]["configuration"]["line"] for code in (
        "limit_tunnels", "limit_tunnels_open")], ['"limits": { "tunnels": 8 }', '"limits": { "tunnels_at_once": 4 }'], rows)


def flood(results, world, journal):
    """A run that asks for many hosts, and one that asks too often, leave room in the journal."""
    journal.records()
    world.agent("few", {"runtime": "command", "egress": [HOST], "limits": {"tunnels_at_once": 8}})
    run = Run(world, "--agent", "few")
    hosts = ["host%d.example.org" % i for i in range(34)]
    for host in hosts:
        # Those before it may be just ending.
        wait_for(lambda host=host: " 403 " in first_line(run.do("tunnel", host)[0]))
    told = [record for record in journal.records() if record.get("ANET_REASON") == "tunnel_host"]
    results.equal("each host is told", sorted(record["ANET_DESTINATION"] for record in told), sorted(hosts))
    results.ok("as many as may be open", wait_for(
        lambda: [first_line(run.do("tunnel", HOST)[0]).split()[1] for _ in range(9)][-1] == "503"))
    run.do("tunnel", HOST, 1500)
    status, _, err = run.end()
    records = journal.records()
    results.ok("records of 1 500 refusals", 0 < len(records) < 300, len(records))
    results.ok("its last one says that there were more", any(
        re.search(r"the run ended.*, refused 1\d\d\d, tunnels \d+, not told 1\d\d\d", record.get("MESSAGE", "")) for record in records),
        records[-1])
    rows, value = why(world, told[0]["ANET_SESSION"])
    results.ok("anet why has the last ones", rows["limit_tunnels_open"]["count"] >= 1500 and len(value["refusals"]) == 16, value)
    commands = [row["command"] for row in value["refusals"] if row["code"] == "tunnel_host"]
    results.equal("with the command that allows a host", commands[0], "anet agent set few --egress %s,%s" % (HOST, hosts[-1]))
    results.contains("for people, too", world.run([ANET, "why", told[0]["ANET_SESSION"]]).text, "\n  %s\n" % commands[0])
    world.agent("few", {"runtime": "command", "egress": [HOST, hosts[-1]]})
    row, *_ = [row for row in why(world, told[0]["ANET_SESSION"])[1]["refusals"] if row["code"] == "tunnel_host"]
    results.equal("one that is allowed by now", (row["command"], row["remedy"]),
                  (None, "the agent may reach it by now: its next session can"))


def reported(results, world):
    """The report names hosts that were refused, and what would allow them."""
    run = Run(world, "--report", "--egress", HOST)
    run.do("tunnel", OTHER, 2)
    run.do("tunnel", HOST)
    status, _, err = run.end()
    results.ok("the host, once", status == 0 and err.count("  %s:443\n" % OTHER) == 1, err)
    results.contains("and how to allow it", err, "anet run --agent command --egress %s,%s\n" % (HOST, OTHER))
    results.lacks("not what was served", err, "  %s" % HOST)
    results.contains("how often", err, "2 × tunnel_host: ")
    result = world.sh("curl -sS --noproxy '*' https://%s/; curl -sS https://10.0.0.1/" % HOST, options=["--report", "--egress", HOST])
    results.contains("what does not ask the proxy", result.errors,
                     "  %s, allowed to who asks the proxy that HTTPS_PROXY names\n" % HOST)


def together(results, world):
    """32 connections over both endpoints; tunnels beyond wait for a place, as those to the model service do."""
    world.agent("both", {"runtime": "claude", "egress": [HOST], "limits": {"connections_at_once": 4, "tunnels_at_once": 3}})
    with Model(cwd=world.workspace):
        run = Run(world, "--agent", "both", env={"ANTHROPIC_API_KEY": KEY})
        run.do("model", count=2)
        results.equal("two of each", [first_line(a).split()[1] for a in run.do("tunnel", HOST, 2)], ["200", "200"])
        run.do("later", HOST)
        time.sleep(1)
        results.equal("a fifth waits", run.do("late"), [0])
        run.do("close")
        results.ok("until there is a place", wait_for(lambda: run.do("late") == [1]))
        status, _, err = run.end()
        results.ok("and the run can end", status != "timeout", err)


def killed(results, world):
    """A helper that is killed gives its place back and is told."""
    run = Run(world, "--egress", HOST)
    run.do("tunnel", HOST)
    results.ok("one waits ahead", wait_for(lambda: len(run.helpers()) >= 3), run.helpers())
    for pid in run.helpers():
        os.kill(pid, signal.SIGKILL)
    results.ok("after that the next is served", wait_for(
        lambda: first_line(run.do("tunnel", HOST)[0]).split()[1:2] == ["200"]))
    status, _, err = run.end()
    results.equal("its end", status, 0, err)
    results.contains("it is told", err, "anet-tunnel ended in the middle of a connection [helper_died]")


def none(results, world):
    run = world.python("import os, socket\n"
                       "print(sorted(k for k in os.environ if k.lower().endswith('proxy') or k == 'ANET_EGRESS'))\n"
                       "print(socket.socket().connect_ex(('127.0.0.1', 8119)))\n", options=["--egress", "none"])
    results.equal("without egress", run.text.split("\n")[:2], ["[]", "111"], run)


def test(results):
    internet = Internet()
    internet.serve(HOST, echo)
    internet.serve(OTHER, echo)
    journal = Records()
    for world in worlds():
        world.any_claude()
        if world.uid:
            world.env["XDG_RUNTIME_DIR"] = world.directory("xdg", 0o700)
        with results.under("as %s: " % world.user):
            for part in (served, at_once, flood):
                part(results, world, journal)
            for part in (reported, together, killed, none):
                part(results, world)


product_test(test)

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: suite=trixie timeout=600
"""Twelve connections within 50 ms, as a real agent opens them, are all served,
none of them twice, each with its own answer; a run that connects and closes in a
loop does not keep PID 1 busy."""
import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from echo import Echo  # noqa: E402
from service import prepare_machine  # noqa: E402
from units import Session, agent, journal, systemctl, wait_nothing_left  # noqa: E402
from vm import read, run_test, wait_for  # noqa: E402

BURST = r"""
import json, os, socket, time
BODY = '{"model": "m", "max_tokens": 10, "messages": [{"role": "user", "content": "number %d"}]}'
requests = []
for n in range(12):
    body = BODY % n
    requests.append(("POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
                     "content-length: %d\r\nconnection: close\r\n\r\n%s" % (len(body), body)).encode())
begin = time.monotonic()
sockets = []
for request in requests:
    s = socket.create_connection(("127.0.0.1", 8118))
    s.sendall(request)
    sockets.append(s)
opened = time.monotonic() - begin
for n, s in enumerate(sockets):
    s.settimeout(300)
    answer = b""
    try:
        while data := s.recv(65536):
            answer += data
    except OSError as error:
        answer = str(error).encode()
    head, _, body = answer.partition(b"\r\n\r\n")
    try:
        text = json.loads(body)["content"][0]["text"]
    except (ValueError, KeyError):
        text = answer.decode("utf-8", "replace")
    print(json.dumps({"n": n, "text": text}), flush=True)
print(json.dumps({"opened": opened, "answered": time.monotonic() - begin}), flush=True)
print("end", flush=True)
"""
CHURN = r"""
import socket, sys, time
print("begun", flush=True)
n, end = 0, time.monotonic() + 12
while time.monotonic() < end:
    try:
        s = socket.create_connection(("127.0.0.1", 8118), timeout=1)
        if sys.argv[1] == "byte":
            s.send(b"P")
        s.close()
        n += 1
    except OSError:
        pass
print("connected %d times" % n, flush=True)
print("end", flush=True)
"""


def burst(results, service):
    agent("burst", "/usr/bin/python3", "-c", BURST, runtime="echo")
    session = Session("burst")
    if not session.starts(results):
        return
    results.ok("the burst is served", session.wait_end(300), session.journalctl())
    events = [json.loads(line) for line in session.said().splitlines() if line.startswith("{")]
    results.equal("each connection has its own answer", [event["text"] for event in events if "n" in event],
                  ["number %d" % n for n in range(12)], session.journalctl("-n", "60"))
    for event in events:
        if "opened" in event:
            results.note("opened within %.0f ms, answered within %.1f s" % (event["opened"] * 1000, event["answered"]))
    results.equal("the service was asked 12 times", len(service.asked), 12)
    # Helpers run beside each other, so that one may overtake another on the way; each has its own connection.
    served = sorted(int(record["ANET_CONNECTION"]) for record in session.records()
                    if record.get("ANET_HELPER") == "anet-upstream" and "ANET_CONNECTION" in record)
    results.equal("the twelve were handed over, each once", served, list(range(1, 13)))
    results.equal("nothing was refused", [code for code in session.reasons() if code not in (
        "ok", "client_gone", "supervisor_gone")], [], session.journalctl("-n", "40"))


def cpu_of_pid1():
    fields = read("/proc/1/stat").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def helpers_started(session):
    return len([record for record in journal("UNIT=" + session.unit, "+", "_SYSTEMD_UNIT=" + session.unit,
                                             since=session.since)
                if record.get("ANET_HELPER") in ("anet-gateway", "anet-upstream")])


def churn(results, what, most):
    """`most`: helpers that may be started for it, by the bucket of 32 and 2/s."""
    agent("churn", "/usr/bin/python3", "-c", CHURN, what, runtime="echo")
    session = Session("churn-%s" % what)
    if not session.starts(results):
        return
    session.wait_said("begun")
    cpu, begin = cpu_of_pid1(), time.monotonic()
    results.ok("the loop ends", wait_for(lambda: "end" in session.said().splitlines(), 120), session.journalctl("-n", "30"))
    cpu, seconds = cpu_of_pid1() - cpu, time.monotonic() - begin
    line = next((line for line in session.said().splitlines() if line.startswith("connected")), "")
    session.stop()
    started = helpers_started(session)
    results.note("%s: %s; PID 1 used %.1f s of CPU in %.0f s; %d helpers had an outcome" %
                 (what, line, cpu, seconds, started))
    results.ok("the sockets go on listening", "failed" not in systemctl(
        "is-active", "anet-gateway.socket", "anet-upstream.socket")[1])
    results.ok("helpers are started by the bucket only", started <= most, started)
    results.ok("the loop was one", line and int(line.split()[1]) > 100, session.journalctl("-n", "30"))


def test(results):
    prepare_machine()
    with Echo() as service:
        burst(results, service)
        with results.under("connect and close: "):
            churn(results, "nothing", 4)
        with results.under("a byte and close: "):
            churn(results, "byte", 2 * (32 + 2 * 60) + 4)
    results.equal("nothing is left", wait_nothing_left(Session("churn-byte")), "")


run_test(test)

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=700
"""What a session under systemd costs, beside `systemd-run --pipe true` on the
same machine.  An emulated machine is some 30 times slower than a real one, so
that only the ratios say something.  Nothing here can fail for being slow.

  start       from `systemctl start` to the agent's first step, and to READY=1
  cold, warm  from an agent's connect to the first byte of the gateway's answer:
              with the helpers that were asked for ahead, and the next ones of a
              burst, which are not there yet
  key         the same for a request that the upstream carries to a service
"""
import os
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from echo import Echo  # noqa: E402
from service import prepare_machine  # noqa: E402
from units import Session, agent, cursor, journal, systemctl, words  # noqa: E402
from vm import run_test  # noqa: E402

ROUNDS = 7
# Answered by the gateway itself, and by the service.
LOCAL = "GET /v1/models HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
BODY = '{"model": "m", "max_tokens": 10, "messages": [{"role": "user", "content": "hi"}]}'
ASKED = ("POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: %d\r\n"
         "connection: close\r\n\r\n%s" % (len(BODY), BODY))
PROGRAM = r"""
import socket, sys, time
print("step", time.time(), flush=True)
rounds, request, burst = int(sys.argv[1]), sys.argv[2].encode(), 4
for _ in range(rounds):
    time.sleep(12)
    sockets = []
    for n in range(burst):
        begin = time.monotonic()
        s = socket.create_connection(("127.0.0.1", 8118))
        s.sendall(request)
        sockets.append((begin, s))
    for n, (begin, s) in enumerate(sockets):
        s.recv(1)
        print("byte", n, time.monotonic() - begin, flush=True)
        s.close()
print("end", flush=True)
"""


def timed(*argv):
    begin = time.monotonic()
    subprocess.run(argv, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return time.monotonic() - begin


def said(session, word):
    return [line.split() for line in session.said().splitlines() if line.startswith(word + " ")]


def test(results):
    prepare_machine()
    agent("timed", "/usr/bin/python3", "-c", PROGRAM, "0", LOCAL, runtime="echo")
    rows = {"systemd-run --pipe true": [], "systemctl start to READY=1": [], "systemctl start to the agent's step": [],
            "python3 -c pass (part of the above)": []}
    for _ in range(ROUNDS):
        rows["systemd-run --pipe true"].append(timed("systemd-run", "--quiet", "--pipe", "true"))
        rows["python3 -c pass (part of the above)"].append(timed("/usr/bin/python3", "-c", "pass"))
        session, since = Session("timed"), cursor()
        begin = time.time()
        systemctl("start", session.unit)
        rows["systemctl start to READY=1"].append(time.time() - begin)
        session.wait_end()
        rows["systemctl start to the agent's step"] += [
            float(words(record).split()[1]) - begin for record in journal("ANET_SESSION=" + session.id, since=since)
            if words(record).startswith("step ")]
    for name, request in (("gateway", LOCAL), ("service", ASKED)):
        agent("timed", "/usr/bin/python3", "-c", PROGRAM, str(ROUNDS), request, runtime="echo")
        session = Session("timed")
        with Echo():
            session.start()
            results.ok("%s: all is measured" % name, session.wait_end(300), session.journalctl("-n", "20"))
        for number, what in enumerate(("warm", "2nd of a burst", "3rd of a burst", "4th of a burst")):
            rows["connect to first byte, %s, %s" % (name, what)] = [
                float(line[2]) for line in said(session, "byte") if line[1] == str(number)]
    base = statistics.median(rows["systemd-run --pipe true"])
    results.note("%-50s %10s %10s %8s" % ("", "median", "least", "ratio"))
    for name, values in rows.items():
        if results.ok("%s was measured" % name, values):
            results.note("%-50s %8.0f ms %8.0f ms %8.2f" % (name, statistics.median(values) * 1000, min(values) * 1000,
                                                          statistics.median(values) / base))


run_test(test)

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A head that does not go on is given up after 30 seconds."""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from gateway import Gateway
from tap import run_test

def test(results):
    with Gateway() as gateway:
        begin = time.monotonic()
        gateway.agent.sock.settimeout(60)
        gateway.agent.send(b"POST /v1/messages HTTP/1.1\r\nHost: a\r\n")
        time.sleep(20)
        gateway.agent.send(b"X: y\r\n")  # which does not begin the time anew
        answer = gateway.agent.answer()
        seconds = time.monotonic() - begin
        results.equal("answered", (answer.status, answer.reason), (408, "http_timeout"))
        results.ok("after 30 s", 29 <= seconds < 36, seconds)
        results.ok("and closed", answer.field("connection") == "close" and gateway.agent.ended())
        gateway.agent.close()
        gateway.reports()
        results.equal("one event", [event["code"] for event in gateway.events], ["http_timeout"])


run_test(test)

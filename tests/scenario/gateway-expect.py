#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Expect: 100-continue: the body is asked for only when the head is acceptable."""
import os
import sys
import json

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from gateway import MESSAGE, Gateway, post
from records import LIMIT_BODY_BYTES
from tap import run_test

EXPECT = "Expect: 100-continue"


def test(results):
    with Gateway() as gateway:
        for _ in range(2):
            request = post(MESSAGE, fields=[EXPECT])
            gateway.agent.send(request[:-len(MESSAGE)])
            results.equal("the agent is told to go on", gateway.agent.answer().status, 100)
            results.ok("and no more", gateway.agent.is_quiet())
            gateway.agent.send(MESSAGE)
            results.equal("then it is answered", gateway.agent.answer().status, 200)
        gateway.agent.send(post(MESSAGE, fields=[EXPECT]))
        results.equal("one that did not wait is answered at once", gateway.agent.answer().status, 200)

    refusals = [
        ("too large", post(b"", fields=[EXPECT, "Content-Length: %d" % (LIMIT_BODY_BYTES + 1)], length=False), 413),
        ("unknown path", post(b"", "/x", [EXPECT, "Content-Length: 5"], length=False), 404),
        ("compressed", post(b"", fields=[EXPECT, "Content-Encoding: br", "Content-Length: 5"], length=False), 415),
    ]
    for name, request, status in refusals:
        with results.under(name + ": "), Gateway() as gateway:
            gateway.agent.send(request)
            answer = gateway.agent.answer()
            results.equal("the final answer comes at once", answer.status, status)
            results.ok("its message is there", json.loads(answer.body)["error"]["message"].startswith("anet: "))
            # Whether the body follows is not known, so no request can.
            results.ok("the connection ends", answer.field("connection") == "close" and gateway.agent.ended())


run_test(test)

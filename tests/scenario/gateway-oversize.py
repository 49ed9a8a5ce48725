#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A body that is too large: the agent gets the answer although it is still
sending, and the gateway stays small."""
import os
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from gateway import Gateway, message, post
from records import LIMIT_BODY_BYTES
from tap import run_test

def sent_while_refused(results, name, request):
    """An agent that writes all before it reads anything, as many do."""
    with results.under(name + ": "), Gateway() as gateway:
        errors = []

        def send():
            try:
                gateway.agent.send(request)
            except OSError as error:
                errors.append(error)

        sender = threading.Thread(target=send)
        sender.start()
        sender.join(20)
        results.equal("all could be sent", errors, [])
        answer = gateway.agent.answer()
        results.equal("the answer is there", (answer.status, answer.reason), (413, "http_body_too_large"))
        results.ok("and a clean end", gateway.agent.ended())
        gateway.reports()
        results.equal("outcome", gateway.outcome["code"], "ok")


def test(results):
    body = b" " * (12 * 1024 * 1024)
    sent_while_refused(results, "12 MiB", post(body))
    sent_while_refused(results, "8 MiB + 1", post(b" " * (LIMIT_BODY_BYTES + 1)))

    with Gateway() as gateway:
        gateway.agent.send(post(b" " * LIMIT_BODY_BYTES))
        results.equal("8 MiB are read to their end", gateway.agent.answer().reason, "json_syntax")
        gateway.agent.send(post(message(LIMIT_BODY_BYTES - 4096)))
        results.equal("and can be served", gateway.agent.answer().status, 200)

    with Gateway() as gateway:
        gateway.agent.send(post(b"", fields=["Content-Length: 18446744073709551615"], length=False))
        answer = gateway.agent.answer()
        results.equal("the largest number", (answer.status, answer.field("connection")), (413, "close"))

    with Gateway() as gateway:
        gateway.agent.send(post(body[:LIMIT_BODY_BYTES], "/nowhere") + b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        results.equal("a body that nobody wants is read over", gateway.agent.answer().status, 404)
        results.equal("and the next request served", gateway.agent.answer().status, 200)


run_test(test)

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Bodies in chunks: any split, any extension, and never more than 8 MiB."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from gateway import MESSAGE, Gateway, chunked, message, post
from records import LIMIT_BODY_BYTES
from tap import run_test

CHUNKED = ["Transfer-Encoding: chunked"]


def post_chunked(*chunks, **keywords):
    return post(b"", fields=CHUNKED, length=False) + chunked(*chunks, **keywords)


def test(results):
    with Gateway() as gateway:
        gateway.agent.send(post_chunked(MESSAGE))
        plain = gateway.agent.answer()
        results.equal("one chunk", plain.status, 200)
        gateway.agent.send(post_chunked(*(bytes([byte]) for byte in MESSAGE)))
        results.equal("chunks of one byte give the same body", gateway.agent.answer().body, plain.body)
        gateway.agent.send_singly(post_chunked(MESSAGE[:20], MESSAGE[20:]))
        results.equal("bytes that come one by one too", gateway.agent.answer().body, plain.body)
        gateway.agent.send(post(b"", fields=CHUNKED, length=False) +
                           b"%x;name=\"a b\"\r\n%s\r\n0;last\r\n\r\n" % (len(MESSAGE), MESSAGE))
        results.equal("extensions are skipped", gateway.agent.answer().body, plain.body)
        gateway.agent.send(post_chunked(MESSAGE) + post_chunked(MESSAGE))
        results.equal("pipelined", [gateway.agent.answer().status for _ in range(2)], [200, 200])
        gateway.agent.send(post_chunked())
        results.equal("an empty body is no JSON", gateway.agent.answer().status, 400)

    largest = message(LIMIT_BODY_BYTES - 4096)
    with Gateway() as gateway:
        pieces = [largest[at:at + 100000] for at in range(0, len(largest), 100000)]
        gateway.agent.send(post_chunked(*pieces))
        results.equal("nearly 8 MiB", gateway.agent.answer().status, 200)
        results.ok("arrives whole", len(gateway.upstream.requests[0][1]) > LIMIT_BODY_BYTES - 8192)

    with Gateway() as gateway:
        gateway.agent.send(post(b"", fields=CHUNKED, length=False) + b"%x\r\n" % (LIMIT_BODY_BYTES + 1))
        answer = gateway.agent.answer()
        results.equal("8 MiB + 1 is refused when it is announced", (answer.status, answer.reason),
                      (413, "http_body_too_large"))
        results.ok("and the connection ends", gateway.agent.ended())

    with Gateway() as gateway:
        gateway.agent.send(post_chunked(b" " * (LIMIT_BODY_BYTES // 2), b" " * (LIMIT_BODY_BYTES // 2), b"x"))
        results.equal("8 MiB + 1 in pieces", gateway.agent.answer().status, 413)

    with Gateway() as gateway:
        gateway.agent.send(post(b"", fields=CHUNKED, length=False) + b"ffffffffffffffff\r\nx")
        results.equal("the largest size does not wrap", gateway.agent.answer().status, 413)


run_test(test)

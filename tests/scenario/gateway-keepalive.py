#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""One connection carries many requests, however their bytes arrive."""
import os
import sys
import socket

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from gateway import COUNT, MESSAGE, Gateway, post
from tap import run_test

def served_in_turn(results):
    with Gateway() as gateway:
        for _ in range(3):
            gateway.agent.send(post(MESSAGE))
            results.equal("a request on a kept connection", gateway.agent.answer().status, 200)
        results.ok("the connection stays open", gateway.agent.is_quiet())


def pipelined(results):
    with Gateway() as gateway:
        models = b"GET /v1/models HTTP/1.1\r\nHost: a\r\n\r\n"
        gateway.agent.send(post(MESSAGE) + models + post(b"x") + post(COUNT, "/v1/messages/count_tokens"))
        results.equal("pipelined requests are answered in their order",
                      [gateway.agent.answer().status for _ in range(4)], [200, 200, 400, 200])
        results.equal("and go to their endpoints", [record["endpoint"] for record, _ in gateway.upstream.requests],
                      [1, 2])


def singly(results):
    with Gateway() as gateway:
        gateway.agent.send_singly(post(MESSAGE))
        results.equal("bytes that come one by one", gateway.agent.answer().status, 200)
        gateway.agent.send_singly(b"\r\n" + post(MESSAGE))
        results.equal("again, behind an empty line", gateway.agent.answer().status, 200)


def nothing_read_while_answered(results):
    """What the agent sends early stays where it is until the answer is out."""
    with Gateway() as gateway:
        seen = []

        def behaviour(upstream, record, body):
            gateway.agent.send(b"GET /early HTTP/1.1\r\nHost: a\r\n\r\n")
            seen.append(upstream.conn.recv(65536, socket.MSG_PEEK))
            upstream.echo(record, body)

        gateway.upstream.behaviour = behaviour
        gateway.agent.send(post(MESSAGE))
        results.equal("the answer comes first", gateway.agent.answer().status, 200)
        results.ok("the gateway had read nothing meanwhile", seen[0].startswith(b"GET /early"))
        results.equal("the early request is served next", gateway.agent.answer().status, 404)


def closed_on_wish(results):
    with Gateway() as gateway:
        gateway.agent.send(post(MESSAGE, fields=["Connection: close"]) + post(MESSAGE))
        answer = gateway.agent.answer()
        results.equal("Connection: close is served", answer.status, 200)
        results.equal("the upstream knows that it is the last", gateway.upstream.requests[0][0]["flags"] & 2, 2)
        results.ok("then the connection ends", gateway.agent.ended())
        gateway.agent.close()
        gateway.reports()
        results.equal("a request behind it is not read", gateway.outcome["requests"], 1)
        results.equal("nor forwarded", len(gateway.upstream.requests), 1)


def local_answer_closed_on_wish(results):
    with Gateway() as gateway:
        gateway.agent.send(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        results.equal("the gateway's own answer says so too", gateway.agent.answer().field("connection"), "close")
        results.ok("and ends", gateway.agent.ended())


def half_closed(results):
    with Gateway() as gateway:
        gateway.agent.send(post(MESSAGE))
        gateway.agent.sock.shutdown(socket.SHUT_WR)
        results.equal("an agent that will send no more gets its answer", gateway.agent.answer().status, 200)
        gateway.reports()
        results.equal("and that is a good end", gateway.outcome["code"], "ok")
        results.equal("exit status", gateway.status(), 0)


def counted(results):
    with Gateway() as gateway:
        request = post(MESSAGE)
        gateway.agent.send(request)
        gateway.agent.answer()
        gateway.agent.close()
        gateway.reports()
        outcome = gateway.outcome
        results.equal("the outcome: connection, requests, bytes in",
                      (outcome["connection"], outcome["requests"], outcome["bytes_in"]), (7, 1, len(request)))
        results.ok("bytes out, time", outcome["bytes_out"] > 0 and outcome["usec"] > 0, outcome)
        results.equal("no event", gateway.events, [])


def test(results):
    for part in (served_in_turn, pipelined, singly, nothing_read_while_answered, closed_on_wish,
                 local_answer_closed_on_wish, half_closed, counted):
        with results.under(part.__name__.replace("_", " ") + ": "):
            part(results)


run_test(test)

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""anet-upstream: without TLS only to the machine itself."""
import fcntl
import os
import socket
import struct
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tls_stub import Service
from upstream import CREDENTIAL_FD, KEY, PLAIN_HTTP, Upstream, upstream_test

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def add_address(address):
    """One more address of this machine, on the loopback interface."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, 0x8916, struct.pack("16sHH4s16x", b"lo:1", socket.AF_INET, 0,  # SIOCSIFADDR
                                                 socket.inet_aton(address)))


def test(results):
    seen = []

    def behaviour(peer):
        while True:
            seen.append(peer.request())
            peer.send(ANSWER)

    def exchange(host, port):
        seen.clear()
        with Upstream(flags=CREDENTIAL_FD | PLAIN_HTTP, host=host, port=port) as upstream:
            return upstream.exchange()

    add_address("192.0.2.1")
    with Service(behaviour, plain=True, port=0, address="0.0.0.0") as service:
        for host in (b"127.0.0.1", b"127.1.2.3", b"localhost"):
            answer, done = exchange(host, service.port)
            results.equal("to %s" % host.decode(), (answer.body, done["code"]), (b"ok", "ok"))
            results.equal("to %s: the key" % host.decode(), seen[0].field("x-api-key"), [KEY.decode()])
        answer, done = exchange(b"192.0.2.1", service.port)
        results.equal("to another address of this machine", (answer, done["code"], seen), (None, "upstream_unreachable", []))
        results.contains("the reason", done["detail"].decode(), "loopback")
        # One address that is none is enough.
        with open("/etc/hosts", "a") as file:
            file.write("127.0.0.1 mixed.example\n192.0.2.1 mixed.example\n")
        answer, done = exchange(b"mixed.example", service.port)
        results.equal("to a name with one other address", (answer, done["code"], seen), (None, "upstream_unreachable", []))
    with Service(behaviour, plain=True, port=0, address="::1") as service:
        answer, done = exchange(b"::1", service.port)
        results.equal("to ::1", done["code"], "ok")


upstream_test(test)

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A tunnel to an allowed host carries TLS as it is; one to another is refused in a sentence."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tunnel import Tunnel, hello, to_end, tunnel_test, until

HOST = "a.example.com"


def echo(peer):
    peer.send(b"got " + peer.head())


def plain_echo(peer):
    """Says what it got to the end of what the client sends."""
    data = bytearray()
    while True:
        more = peer.sock.recv(65536)
        if not more:
            break
        data += more
    peer.send(b"all:" + data)


def served(results, world):
    world.serve(HOST, echo)
    world.serve("six.example.com", echo, address=world.address(ipv6=True))
    for host in (HOST, "six.example.com"):
        for version in ("1.1", "1.0"):
            with results.under("%s, HTTP/%s: " % (host, version)), Tunnel(HOST, "six.example.com") as tunnel:
                answer = tunnel.connect(host, version=version)
                results.equal("status", answer.status, 200, answer)
                with tunnel.tls(host) as sock:
                    results.equal("the host's certificate", sock.getpeercert()["subjectAltName"], (("DNS", host),))
                    sock.sendall(b"hello\r\n\r\n")
                    results.equal("both ways", sock.recv(100), b"got hello")
                tunnel.reports()
                results.equal("the outcome", (tunnel.outcome["code"], tunnel.outcome["detail"],
                                              tunnel.outcome["connection"], tunnel.status()), ("ok", host, 7, 0))
                results.ok("its time", tunnel.outcome["usec"] > 0)
                results.equal("nothing was refused", tunnel.events, [])
                results.equal("bytes as in the ledger", (tunnel.outcome["bytes_in"], tunnel.outcome["bytes_out"]),
                              (tunnel.ledger.value("sent"), tunnel.ledger.value("received")))


def counted(results, world):
    world.serve("plain.example.com", plain_echo, plain=True)
    with Tunnel("plain.example.com") as tunnel:
        sock = tunnel.open("plain.example.com")
        sock.sendall(b"x" * 1000)
        sock.shutdown(1)
        got = to_end(sock)
        results.equal("a half that is closed leaves the other open", got, b"all:" + tunnel.hello + b"x" * 1000)
        tunnel.reports()
        results.equal("bytes to the host and from it", (tunnel.outcome["bytes_in"], tunnel.outcome["bytes_out"]),
                      (len(tunnel.hello) + 1000, len(got)))


def pipelined(results, world):
    with Tunnel("plain.example.com") as tunnel:
        first = hello("plain.example.com")
        tunnel.agent.sendall(b"CONNECT plain.example.com:443 HTTP/1.1\r\nHost: plain.example.com\r\n\r\n" + first + b"more")
        tunnel.agent.shutdown(1)
        head, rest = until(tunnel.agent, b"\r\n\r\n")
        results.contains("answered", head, b" 200 ")
        results.equal("what was sent with the head has reached the host", rest + to_end(tunnel.agent),
                      b"all:" + first + b"more")


REFUSED = [  # name, host, port, status, code, in the line, in the event
    ("a host that is not in the list", "b.example.com", 443, 403, "tunnel_host", "[b.example.com]", "'b.example.com'"),
    ("a part of a name of the list", "example.com", 443, 403, "tunnel_host", "[example.com]", "'example.com'"),
    ("a name below one of the list", "x.a.example.com", 443, 403, "tunnel_host", "[x.a.example.com]", "'x.a.example.com'"),
    ("another port", HOST, 80, 403, "tunnel_port", HOST, HOST),
    ("a name that is none", "A.example.com", 443, 400, "tunnel_name", "lower case", "A.example.com:443"),
    ("an address", "127.0.0.1", 443, 400, "tunnel_name", "no IP address", "127.0.0.1:443"),
]


def refused(results, _):
    for name, host, port, status, code, line, detail in REFUSED:
        with results.under(name + ": "), Tunnel(HOST) as tunnel:
            answer = tunnel.connect(host, port)
            results.equal("status and code", (answer.status, answer.reason), (status, code), answer)
            results.ok("a sentence in the first line", answer.phrase.startswith("anet: "), answer)
            results.contains("which names the host, or why it is none", answer.phrase, line)
            results.equal("the same as body", answer.body.decode(), answer.phrase + "\n")
            results.equal("then the end", tunnel.agent.recv(10), b"")
            tunnel.agent.close()
            tunnel.reports()
            results.equal("one event", [event["code"] for event in tunnel.events], [code])
            results.contains("that names the host", tunnel.events[0]["detail"], detail)
            results.equal("an outcome without host", (tunnel.outcome["code"], tunnel.outcome["detail"]), ("ok", ""))


def other_requests(results, _):
    for request in (b"GET http://a.example.com/ HTTP/1.1\r\nHost: a.example.com\r\n\r\n",
                    b"GET / HTTP/1.1\r\nHost: 127.0.0.1:8119\r\n\r\n"):
        with results.under("%r: " % request[:20]), Tunnel(HOST) as tunnel:
            answer = tunnel.ask(request)
            results.equal("status and code", (answer.status, answer.reason), (405, "tunnel_request"), answer)
            results.equal("what is served instead", answer.fields.get("allow"), "CONNECT")


def test(results, world):
    for part in (served, counted, pipelined, refused, other_requests):
        with results.under(part.__name__.replace("_", " ") + ": "):
            part(results, world)


tunnel_test(test)

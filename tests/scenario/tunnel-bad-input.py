#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=300
"""Every spelling of a host, a port and a request that is not exactly CONNECT NAME:443: refused in
a sentence before any name is looked up, also where the session may reach every public host."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import records
from tunnel import Answer, Tunnel, hello, to_end, tunnel_test, until

HOST = "a.example.com"
PUNYCODE = "xn--bcher-kva.example.com"


def line(target, version=b"HTTP/1.1", method=b"CONNECT", fields=b""):
    return b"%s %s %s\r\n%s\r\n" % (method, target, version, fields)


NAMES = [
    ("upper case", b"A.example.com:443", 400, "tunnel_name"),
    ("a final dot", b"a.example.com.:443", 400, "tunnel_name"),
    ("two dots", b"a..example.com:443", 400, "tunnel_name"),
    ("only a dot", b".:443", 400, "tunnel_name"),
    ("NUL", b"a.example.com\0:443", 400, "http_malformed"),
    ("NUL and another name", b"a.example.com\0.b.example.com:443", 400, "http_malformed"),
    ("%00", b"a.example.com%00:443", 400, "tunnel_name"),
    ("%2e", b"a%2eexample.com:443", 400, "tunnel_name"),
    ("CR", b"a.example.com\r:443", 400, "http_malformed"),
    ("LF", b"a.example.com\n:443", 400, "http_malformed"),
    ("CR LF and a field", b"a.example.com\r\nHost: b.example.com:443", 400, "http_malformed"),
    ("%0d%0a", b"a.example.com%0d%0a:443", 400, "tunnel_name"),
    ("a tab", b"a.example.com\t:443", 400, "tunnel_name"),
    ("a space", b"a.example.com :443", 400, "http_malformed"),
    ("DEL", b"a.example.com\x7f:443", 400, "http_malformed"),
    ("ESC", b"a.example.com\x1b[2J:443", 400, "http_malformed"),
    ("a user", b"b@a.example.com:443", 400, "tunnel_name"),
    ("a user with a password", b"b:c@a.example.com:443", 403, "tunnel_port"),
    ("a host in front of an @", b"a.example.com:443@b.example.com:443", 403, "tunnel_port"),
    ("an @ in front of a host", b"@a.example.com:443", 400, "tunnel_name"),
    ("IPv6 loopback", b"[::1]:443", 400, "tunnel_name"),
    ("IPv6 that maps IPv4", b"[::ffff:127.0.0.1]:443", 400, "tunnel_name"),
    ("IPv6 with a zone", b"[fe80::1%25lo]:443", 400, "tunnel_name"),
    ("IPv6 without brackets", b"::1:443", 400, "tunnel_name"),
    ("half a bracket", b"[::1", 400, "tunnel_name"),
    ("a name in brackets", b"[a.example.com]:443", 400, "tunnel_name"),
    ("loopback", b"127.0.0.1:443", 400, "tunnel_name"),
    ("a public address", b"45.10.0.1:443", 400, "tunnel_name"),
    ("inet_aton, two parts", b"127.1:443", 400, "tunnel_name"),
    ("inet_aton, a number", b"2130706433:443", 400, "tunnel_name"),
    ("inet_aton, hex", b"0x7f.1:443", 400, "tunnel_name"),
    ("inet_aton, a hex number", b"0x7f000001:443", 400, "tunnel_name"),
    ("inet_aton, octal", b"0177.0.0.1:443", 400, "tunnel_name"),
    ("inet_aton, zero", b"0:443", 400, "tunnel_name"),
    ("a number as last label", b"a.example.1:443", 400, "tunnel_name"),
    ("fullwidth letters", "ａ.example.com:443".encode(), 400, "tunnel_name"),
    ("fullwidth digits", "１２７.０.０.１:443".encode(), 400, "tunnel_name"),
    ("an ideographic dot", "a。example.com:443".encode(), 400, "tunnel_name"),
    ("Latin-1", b"b\xfccher.example.com:443", 400, "tunnel_name"),
    ("a soft hyphen", "a\u00ad.example.com:443".encode(), 400, "tunnel_name"),
    ("a wildcard", b"*.example.com:443", 400, "tunnel_name"),
    ("an underscore", b"_a.example.com:443", 400, "tunnel_name"),
    ("a hyphen at an edge", b"-a.example.com:443", 400, "tunnel_name"),
    ("a comma", b"a.example.com,b.example.com:443", 400, "tunnel_name"),
    ("a backslash", b"a.example.com\\@b.example.com:443", 400, "tunnel_name"),
    ("a fragment", b"a.example.com#b.example.com:443", 400, "tunnel_name"),
    ("254 bytes", b"a." * 126 + b"aa:443", 400, "tunnel_name"),
    ("256 bytes", b"a." * 127 + b"aa:443", 400, "tunnel_name"),
    ("a label of 64", b"a" * 64 + b".example.com:443", 400, "tunnel_name"),
    ("a name of 7000 bytes", b"a" * 7000 + b":443", 400, "tunnel_name"),
    ("no name", b":443", 400, "tunnel_name"),
    ("nothing", b"", 400, "tunnel_name"),
    ("localhost", b"localhost:443", 400, "tunnel_name"),
    ("below localhost", b"a.localhost:443", 400, "tunnel_name"),
    ("a name of a local network", b"router.lan:443", 400, "tunnel_name"),
    ("a name of a cloud's inside", b"metadata.google.internal:443", 400, "tunnel_name"),
]

PORTS = [
    ("none", b"a.example.com"), ("empty", b"a.example.com:"), ("a zero in front", b"a.example.com:0443"),
    ("a plus", b"a.example.com:+443"), ("twice", b"a.example.com:443:443"), ("of http", b"a.example.com:80"),
    ("of ssh", b"a.example.com:22"), ("hex", b"a.example.com:0x1bb"), ("2^16 more", b"a.example.com:65979"),
    ("2^32 more", b"a.example.com:4294967739"), ("a name", b"a.example.com:https"), ("a path", b"a.example.com:443/"),
    ("fullwidth", "a.example.com:４４３".encode()), ("a letter behind", b"a.example.com:443a"),
]

TARGET = HOST.encode() + b":443"
REQUESTS = [
    ("http", line(b"http://a.example.com/", method=b"GET", fields=b"Host: a.example.com\r\n"), 405, "tunnel_request"),
    ("https as absolute form", line(b"https://a.example.com/", method=b"GET"), 405, "tunnel_request"),
    ("an upload", line(b"http://a.example.com/", method=b"PUT", fields=b"Content-Length: 100000\r\n") + b"x" * 100000,
     405, "tunnel_request"),
    ("absolute form of CONNECT", line(b"https://a.example.com:443"), 403, "tunnel_port"),
    ("lower case", line(TARGET, method=b"connect"), 405, "tunnel_request"),
    ("another word", line(TARGET, method=b"CONNECTX"), 405, "tunnel_request"),
    ("HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "http_version"),
    ("HTTP/1.2", line(TARGET, b"HTTP/1.2"), 505, "http_version"),
    ("HTTP/0.9", b"CONNECT " + TARGET + b"\r\n\r\n", 400, "http_malformed"),
    ("LF only", b"CONNECT " + TARGET + b" HTTP/1.1\n\n", 400, "http_malformed"),
    ("two spaces", b"CONNECT  " + TARGET + b" HTTP/1.1\r\n\r\n", 400, "http_malformed"),
    ("a tab", b"CONNECT\t" + TARGET + b" HTTP/1.1\r\n\r\n", 400, "http_malformed"),
    ("TLS at once", hello(HOST), 400, "http_malformed"),
    ("SOCKS 5", b"\5\1\0", 400, "http_malformed"),
    ("SOCKS 4", b"\4\1\1\xbb\x2d\x0a\0\1\0", 400, "http_malformed"),
    ("another Host", line(TARGET, fields=b"Host: b.example.com\r\n"), 400, "http_malformed"),
    ("two Hosts", line(TARGET, fields=b"Host: a.example.com\r\nHost: a.example.com\r\n"), 400, "http_malformed"),
    ("a folded field", line(TARGET, fields=b"A: b\r\n c: d\r\n"), 400, "http_malformed"),
    ("a body", line(TARGET, fields=b"Content-Length: 4\r\n") + b"abcd", 400, "http_framing"),
    ("a chunked body", line(TARGET, fields=b"Transfer-Encoding: chunked\r\n") + b"0\r\n\r\n", 400, "http_framing"),
    ("two lengths", line(TARGET, fields=b"Content-Length: 0\r\nContent-Length: 5\r\n"), 400, "http_framing"),
    ("a large head", line(TARGET, fields=b"A: " + b"a" * 9000 + b"\r\n"), 431, "http_head_too_large"),
    ("many fields", line(TARGET, fields=b"A:\r\n" * 101), 431, "http_head_too_large"),
    ("a long line", b"CONNECT " + b"a" * 20000, 431, "http_head_too_large"),
]


def is_plain(text):
    return all(" " <= letter <= "~" for letter in text)


def check_refused(results, world, request, status, code):
    asked = len(world.names.asked)
    with Tunnel(egress=records.EGRESS_PUBLIC) as tunnel:
        tunnel.agent.sendall(request)
        head, body = until(tunnel.agent, b"\r\n\r\n")
        answer = Answer(head, body + to_end(tunnel.agent))
        results.equal("status and code", (answer.status, answer.reason), (status, code), answer)
        results.ok("a sentence in the first line, of ASCII only, which is the body, too",
                   answer.phrase.startswith("anet: ") and is_plain(answer.phrase)
                   and answer.body.decode() == answer.phrase + "\n", answer)
        tunnel.agent.close()
        tunnel.reports()
        results.equal("one event", [event["code"] for event in tunnel.events], [code])
        results.ok("of ASCII only", all(is_plain(event["detail"]) for event in tunnel.events), tunnel.events)
        results.equal("an outcome without a host, and no crash",
                      (tunnel.outcome["code"], tunnel.outcome["detail"], tunnel.status()), ("ok", "", 0))
    results.equal("nothing was looked up", world.names.asked[asked:], [])


def refused(results, world):
    rows = [(name, line(target), status, code) for name, target, status, code in NAMES]
    rows += [("port: " + name, line(target), 403, "tunnel_port") for name, target in PORTS]
    for name, request, status, code in rows + REQUESTS:
        with results.under(name + ": "):
            check_refused(results, world, request, status, code)


def taken(results, world):
    """The controls: the same helper takes what is right."""
    service = world.serve(HOST, lambda peer: peer.send(b"from the host"))
    world.name(PUNYCODE, service.listener.getsockname()[0])
    for name, request in (("plain", line(TARGET)), ("HTTP/1.0", line(TARGET, b"HTTP/1.0")),
                          ("punycode", line(PUNYCODE.encode() + b":443")),
                          ("an empty line in front", b"\r\n" + line(TARGET)),
                          ("Host without port", line(TARGET, fields=b"HOST: a.example.com\r\n"))):
        with results.under(name + ": "), Tunnel(egress=records.EGRESS_PUBLIC) as tunnel:
            answer = tunnel.ask(request)
            results.equal("taken", answer.status, 200, answer)


def byte_by_byte(results, world):
    with Tunnel(egress=records.EGRESS_PUBLIC) as tunnel:
        for byte in line(TARGET, fields=b"Host: a.example.com:443\r\n"):
            tunnel.agent.sendall(bytes([byte]))
        results.equal("a head in segments of one byte", tunnel.answer().status, 200)
        with tunnel.tls(HOST) as sock:
            results.equal("and the tunnel works", sock.recv(100), b"from the host")


def gone(results, _):
    """The agent leaves in the middle: no refusal to tell."""
    for name, begin in (("nothing", b""), ("half a head", b"CONNECT a.exam"), ("before the look-up", line(TARGET))):
        for reset in (False, True):
            with results.under("%s, %s: " % (name, "RST" if reset else "FIN")), Tunnel(HOST) as tunnel:
                tunnel.agent.sendall(begin)
                tunnel.reset() if reset else tunnel.agent.close()
                tunnel.reports()
                results.equal("the outcome", (tunnel.outcome["code"], tunnel.events), ("client_gone", []))


def test(results, world):
    for part in (refused, taken, byte_by_byte, gone):
        with results.under(part.__name__.replace("_", " ") + ": "):
            part(results, world)


tunnel_test(test)

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=300
"""The first message of TLS must name the host that was asked for, however it is split; else the
tunnel is closed by an alert and the host has not got one byte."""
import os
import socket
import sys
import threading
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from hellos import ECH, PADDING, SERVER_NAME, extension, message, names, records
from private import TREE
from tunnel import Tunnel, hello, to_end, tunnel_test, until

HOST, OTHER = "a.example.com", "b.example.com"
NAME = HOST.encode()
SNI = names(NAME)
ALERT = bytes([21, 3, 1, 0, 2, 2, 49])
CONNECT = b"CONNECT a.example.com:443 HTTP/1.1\r\n\r\n"


def long_hello(length):
    return message(SNI + extension(PADDING, bytes(length - len(message(SNI)) - 4)))


def recorded(client):
    """What a real client sent, to another host: that it is encrypted comes first."""
    with open(os.path.join(TREE, "tests/fuzz/corpus/tls-hello/client-" + client), "rb") as file:
        return file.read()


GOOD = [
    ("a hello", records(message(SNI))),
    ("records of one byte", records(message(SNI), 1)),
    ("records of 7 bytes", records(message(SNI), 7)),
    ("the message's header alone", records(message(SNI)[:4]) + records(message(SNI)[4:])),
    ("16 KiB", records(long_hello(16384))),
    ("16 KiB in records of one byte", records(long_hello(16384), 1)),
    ("then another record at once", records(message(SNI)) + records(b"\1", kind=20) + records(b"x" * 100, kind=23)),
    ("unknown extensions", records(message(extension(0x1a1a, b"") + SNI + extension(0x2a2a, b"\0")))),
]

BAD = [
    ("another host", records(message(names(OTHER.encode()))), "tunnel_sni"),
    ("upper case", records(message(names(NAME.upper()))), "tunnel_sni"),
    ("a final dot", records(message(names(NAME + b"."))), "tunnel_sni"),
    ("NUL", records(message(names(NAME + b"\0"))), "tunnel_sni"),
    ("NUL and another", records(message(names(NAME + b"\0." + OTHER.encode()))), "tunnel_sni"),
    ("a name below", records(message(names(b"x." + NAME))), "tunnel_sni"),
    ("a part", records(message(names(NAME[2:]))), "tunnel_sni"),
    ("no name", records(message(extension(PADDING, b""))), "tunnel_sni"),
    ("no extension", records(message(b"")), "tunnel_sni"),
    ("no extensions at all", records(message(None)), "tunnel_sni"),
    ("an empty name", records(message(names(b""))), "tunnel_sni"),
    ("an empty list", records(message(names())), "tunnel_sni"),
    ("two names in the list", records(message(names(NAME, OTHER.encode()))), "tunnel_sni"),
    ("the same name twice", records(message(names(NAME, NAME))), "tunnel_sni"),
    ("two lists", records(message(SNI + names(OTHER.encode()))), "tunnel_sni"),
    ("two lists, the other first", records(message(names(OTHER.encode()) + SNI)), "tunnel_sni"),
    ("a name of another type", records(message(names((1, NAME)))), "tunnel_sni"),
    ("a name, then one of another type", records(message(names(NAME, (1, NAME)))), "tunnel_sni"),
    ("a list that is cut off", records(message(extension(SERVER_NAME, b"\0\x20\0\0\x0d" + NAME))), "tunnel_sni"),
    ("ECH", records(message(SNI + extension(ECH, bytes(40)))), "tunnel_ech"),
    ("ECH, in records of one byte", records(message(SNI + extension(ECH, bytes(40))), 1), "tunnel_ech"),
    ("ECH in front of another host", records(message(extension(ECH, b"") + names(OTHER.encode()))), "tunnel_ech"),
    ("ESNI", records(message(SNI + extension(0xffce, bytes(8)))), "tunnel_ech"),
    ("Chromium", recorded("chromium"), "tunnel_ech"),
    ("Firefox", recorded("firefox"), "tunnel_ech"),
    ("SSL 2", bytes.fromhex("802e0100020015000000100100800200800300800400800600400700c0") + bytes(18), "tunnel_not_tls"),
    ("HTTP", b"GET / HTTP/1.1\r\nHost: a.example.com\r\n\r\n", "tunnel_not_tls"),
    ("SSH", b"SSH-2.0-OpenSSH_9.2\r\n", "tunnel_not_tls"),
    ("another CONNECT", CONNECT, "tunnel_not_tls"),
    ("SMTP", b"EHLO a\r\n", "tunnel_not_tls"),
    ("an alert", records(b"\2\x28", kind=21), "tunnel_not_tls"),
    ("an alert inside", records(message(SNI)[:50]) + records(b"\1\0", kind=21) + records(message(SNI)[50:]),
     "tunnel_not_tls"),
    ("an empty record", records(message(SNI)[:50]) + b"\x16\3\1\0\0" + records(message(SNI)[50:]), "tunnel_not_tls"),
    ("a record of more than 16 KiB", b"\x16\3\1\x40\1" + bytes(16385), "tunnel_not_tls"),
    ("more than 16 KiB", records(long_hello(16385)), "tunnel_not_tls"),
    ("16 MiB", records(b"\1\xff\xff\xff" + bytes(4096)), "tunnel_not_tls"),
    ("two hellos in one record", records(message(SNI) + message(names(OTHER.encode()))), "tunnel_not_tls"),
    ("a hello of a server", records(b"\2" + message(SNI)[1:]), "tunnel_not_tls"),
    ("a long session", records(message(SNI, session=bytes(33))), "tunnel_not_tls"),
    ("another version", records(message(SNI, version=b"\2\0")), "tunnel_not_tls"),
]


class Host:
    """What the host has got of each connection."""

    def __init__(self):
        self.got = []
        self.ended = threading.Semaphore(0)

    def __call__(self, peer):
        data = bytearray()
        try:
            while True:
                more = peer.sock.recv(65536)
                if not more:
                    break
                data += more
        except OSError:
            pass
        self.got.append(bytes(data))
        self.ended.release()

    def last(self):
        if not self.ended.acquire(timeout=20):
            raise AssertionError("the host has no connection that ended")
        return self.got[-1]


def good(results, host):
    for name, data in GOOD:
        with results.under(name + ": "), Tunnel(HOST) as tunnel:
            tunnel.agent.sendall(CONNECT + data)
            results.contains("opened", until(tunnel.agent, b"\r\n\r\n")[0], b" 200 ")
            tunnel.agent.shutdown(socket.SHUT_WR)
            results.ok("the host has got it as it was", host.last() == data)


def segments(results, host):
    data = hello(HOST)
    for name, size, pause in (("of one byte", 1, 0), ("of 100 bytes, each later", 100, 0.02)):
        with results.under(name + ": "), Tunnel(HOST) as tunnel:
            tunnel.agent.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            tunnel.ask(CONNECT)
            for at in range(0, len(data), size):
                tunnel.agent.sendall(data[at:at + size])
                time.sleep(pause)
            tunnel.agent.shutdown(socket.SHUT_WR)
            results.ok("the host has got it as it was", host.last() == data)


def bad(results, host):
    for name, data, code in BAD:
        with results.under(name + ": "), Tunnel(HOST) as tunnel:
            tunnel.ask(CONNECT)
            tunnel.agent.sendall(data)
            results.equal("an alert, then the end", to_end(tunnel.agent), ALERT)
            tunnel.agent.close()
            tunnel.reports()
            results.equal("told once", [event["code"] for event in tunnel.events], [code])
            results.contains("which host", tunnel.events[0]["detail"], "'%s': " % HOST)
            results.equal("the helper ended well", tunnel.status(), 0)
            results.equal("nothing is in the ledger", (tunnel.ledger.value("sent"), tunnel.ledger.value("received")),
                          (0, 0))
            results.equal("the host has got nothing", host.last(), b"")


def half(results, host):
    with Tunnel(HOST) as tunnel:
        tunnel.ask(CONNECT)
        tunnel.agent.sendall(records(message(SNI))[:-1])
        tunnel.agent.shutdown(socket.SHUT_WR)
        results.equal("ends with the agent", to_end(tunnel.agent), b"")
        tunnel.reports()
        results.equal("which is no refusal", (tunnel.events, tunnel.outcome["code"]), ([], "client_gone"))
        results.equal("the host has got nothing", host.last(), b"")


def speaks_first(results, world):
    """A host that sends before it has got anything: after the hello, in order."""
    world.serve(HOST, lambda peer: peer.send(b"220 ready" + peer.sock.recv(1000)), address=world.address(), plain=True)
    world.name(HOST, "45.10.1.%d" % world.used)
    with Tunnel(HOST) as tunnel:
        data = records(message(SNI))
        tunnel.ask(CONNECT)
        time.sleep(0.2)
        results.ok("nothing comes before the hello", not readable(tunnel.agent))
        tunnel.agent.sendall(data)
        results.equal("then all of it", to_end(tunnel.agent), b"220 ready" + data)


def readable(sock):
    sock.setblocking(False)
    try:
        return sock.recv(1)
    except BlockingIOError:
        return b""
    finally:
        sock.settimeout(20)


def test(results, world):
    host = Host()
    world.serve(HOST, host, plain=True)
    for part, what in ((good, host), (segments, host), (bad, host), (half, host), (speaks_first, world)):
        with results.under(part.__name__.replace("_", " ") + ": "):
            part(results, what)


tunnel_test(test)

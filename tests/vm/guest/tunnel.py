#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=300
"""Tunnels of a session of a unit: anet-tunnel@ is started by its socket for each, with the network and no more; an
allowed host is served, another refused, both are told; nothing is left."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from service import certificate  # noqa: E402
from units import Session, agent, cursor, helpers, journal, run, systemctl, wait_nothing_left  # noqa: E402
from vm import ANET, PATIENCE, Skip, run_test, wait_for  # noqa: E402

HOST, OTHER, INSIDE = "files.example.com", "other.example.com", "inside.example.com"
SERVER_ADDRESS, MACHINE, GATEWAY = "45.10.0.1", "45.99.0.2", "45.99.0.1"

# Out there: says hello in TLS to whoever comes, then waits for the client's end.
SERVER = """
import socket, ssl, sys, threading
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(*sys.argv[2:4])
listener = socket.create_server((sys.argv[1], 443))
print("listens", flush=True)
def serve(sock):
    with context.wrap_socket(sock, server_side=True) as peer:
        peer.sendall(b"hello")
        peer.recv(1)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
"""

# The run: asks for three hosts, tells what it got, keeps the one that it got.
PROGRAM = """
import os, socket, ssl, time
kept = []
for host in %r:
    sock = socket.create_connection(("127.0.0.1", 8119), 100)
    sock.sendall(("CONNECT %%s:443 HTTP/1.1\\r\\nHost: %%s:443\\r\\n\\r\\n" %% (host, host)).encode())
    answer = b""
    while b"\\r\\n\\r\\n" not in answer:
        answer += sock.recv(4096)
    text = answer.split(b"\\r\\n")[0].decode()
    if " 200 " in text:
        context = ssl._create_unverified_context()
        tls = context.wrap_socket(sock, server_hostname=host)
        text += " " + tls.recv(5).decode()
        kept.append(tls)
    print(host, text, flush=True)
print("proxy", os.environ["HTTPS_PROXY"], os.environ["ANET_EGRESS"], flush=True)
time.sleep(1000)
""" % ((HOST, OTHER, INSIDE),)


def ip(*words, check=True):
    done = subprocess.run(("ip",) + words, capture_output=True, text=True, timeout=PATIENCE)
    if check and done.returncode:
        raise Skip("ip %s: %s" % (" ".join(words), done.stderr.strip()))


class Internet:
    """A namespace behind a pair of links, with one server."""

    def __enter__(self):
        ip("netns", "add", "internet")
        ip("link", "add", "wan", "type", "veth", "peer", "name", "machine", "netns", "internet")
        for words in (("link", "set", "wan", "up"), ("address", "add", MACHINE + "/24", "dev", "wan"),
                      ("route", "add", "45.10.0.0/16", "via", GATEWAY),
                      ("-n", "internet", "link", "set", "lo", "up"), ("-n", "internet", "link", "set", "machine", "up"),
                      ("-n", "internet", "address", "add", GATEWAY + "/24", "dev", "machine"),
                      ("-n", "internet", "address", "add", SERVER_ADDRESS + "/32", "dev", "lo")):
            ip(*words)
        self.hosts = open("/etc/hosts", encoding="utf-8").read()
        with open("/etc/hosts", "a", encoding="utf-8") as file:
            file.write("%s %s %s\n%s %s\n" % (SERVER_ADDRESS, HOST, OTHER, MACHINE, INSIDE))
        self.server = subprocess.Popen(["ip", "netns", "exec", "internet", sys.executable, "-c", SERVER, SERVER_ADDRESS,
                                        *certificate()], stdout=subprocess.PIPE, text=True)
        self.server.stdout.readline()
        return self

    def __exit__(self, *_):
        self.server.kill()
        self.server.wait()
        with open("/etc/hosts", "w", encoding="utf-8") as file:
            file.write(self.hosts)
        ip("link", "delete", "wan", check=False)
        ip("netns", "delete", "internet", check=False)


def working(results, session):
    results.ok("an allowed host is served", session.wait_said("%s HTTP/1.1 200 " % HOST) and
               "hello" in session.said(), session.journalctl())
    results.ok("another is refused", session.wait_said("%s HTTP/1.1 403 anet: this host is not one" % OTHER), session.said())
    results.ok("so is a name of this machine's own address", session.wait_said("%s HTTP/1.1 403 anet: " % INSIDE), session.said())
    results.ok("its environment", session.wait_said("proxy http://127.0.0.1:8119 %s,%s" % (HOST, INSIDE)), session.said())
    results.ok("one helper works, and one waits", wait_for(
        lambda: 2 <= list(helpers().values()).count("anet-tunnel") <= 4), helpers())
    _, text = systemctl("list-units", "--no-legend", "--plain", "anet-tunnel@*")
    results.ok("as units of the socket", "anet-tunnel@" in text, text)
    wanted = lambda: next((one for one in json.loads(run(ANET, "sessions", "--json")[1])["sessions"]
                           if one.get("tunnels") == 3 and one["tunnels_open"] == 1), None)
    value = wait_for(wanted)
    results.ok("anet sessions counts them", value and value["tunnel_sent_bytes"] > 100 and
               value["tunnel_received_bytes"] > 100, run(ANET, "sessions", "--json")[1])


def told(results, session, since):
    records = [record for record in journal("ANET_SESSION=" + session.id, since=since)]
    tunnels = [(record["ANET_REASON"], record.get("ANET_DESTINATION")) for record in records
               if record.get("ANET_HELPER") == "anet-tunnel"]
    for wanted in (("tunnel_host", OTHER), ("tunnel_address", INSIDE)):
        results.equal("one record of %s" % wanted[1], tunnels.count(wanted), 1, tunnels)
    results.equal("no helper has died", [record for record in records if record.get("ANET_REASON") == "helper_died"], [])
    _, text = run(ANET, "why", session.id)
    results.ok("anet why names them", "'%s'" % OTHER in text and "'%s'" % INSIDE in text and "anet agent set tunnels --egress" in text,
               text)


def test(results):
    with Internet():
        # `wan` belongs to no configuration: nothing waits for it.
        agent("tunnels", "/usr/bin/python3", "-c", PROGRAM, runtime="command", egress=[HOST, INSIDE])
        session, since = Session("tunnels"), cursor()
        if session.starts(results):
            working(results, session)
            session.stop()
            results.equal("nothing is left", wait_nothing_left(session), "")
            results.ok("no helper either", wait_for(lambda: "anet-tunnel" not in helpers().values()), helpers())
            told(results, session, since)
        results.equal("no unit has failed", systemctl("--failed", "--no-legend", "--plain", "--all", "list-units", "anet*")[1]
                      .strip(), "")


run_test(test)

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=400
"""What is not https to a name on port 443, in a run with egress: real clients are told
so at once, and what knows no proxy has no route and does not wait (SPEC S8.2)."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import clients  # noqa: E402
import internet  # noqa: E402
import private  # noqa: E402
from harness import run_test, worlds  # noqa: E402
from world import require_product  # noqa: E402

PLAIN = "anet: only CONNECT is served here: other hosts are reached by https alone"
PORT = "anet: only port 443 of other hosts can be reached"
NAME = "anet: this is not the exact name of a public host"
# Longer than the slowest of them takes to begin on a busy machine.
AT_ONCE = 30.0
REFUSED = re.compile(r"anet: refused a tunnel: [^\n]*\[(\w+)\]")

# name, program, script with $1 the address of the allowed host, what is said, reason that anet gives
TABLE = [
    ("curl, http", "curl", "curl -sS http://www.example.com/", PLAIN, "tunnel_request"),
    ("wget, http", "wget", "wget -O - http://www.example.com/", PLAIN, "tunnel_request"),
    ("git, http", "git", "git clone -q http://git.example.com/demo.git", "remote: " + PLAIN, "tunnel_request"),
    ("npm, http", "npm", "npm install --registry http://npm.example.com/ greeting", PLAIN, "tunnel_request"),
    ("pip, http", "pip3", "/usr/bin/pip3 download --index-url http://python.example.com/simple "
     "--trusted-host python.example.com greeting", "No matching distribution", "tunnel_request"),
    ("another port", "curl", "curl -sSi https://www.example.com:8443/", PORT, "tunnel_port"),
    ("node's fetch, http", "node-proxied", "node-proxied -e 'fetch(\"http://www.example.com/\").then("
     "r => console.log(r.status), e => console.log(e))'", "403", "tunnel_port"),
    ("an address", "curl", 'curl -sSi "https://$1/"', NAME, "tunnel_name"),
    ("no proxy, a name", "curl", "curl -sS --noproxy '*' https://www.example.com/", "Could not resolve host", None),
    ("no proxy, an address", "curl", "curl -sS --noproxy '*' \"https://$1/\"", "Couldn't connect to server", None),
    ("ftp", "curl", "curl -sS ftp://www.example.com/", "Could not resolve host", None),
    ("git's own protocol", "git", "git clone -q git://git.example.com/demo.git", "unable to look up", None),
    ("a name server", "python3", "/usr/bin/python3 -c 'import socket; socket.socket(2, 2).connect((\"%s\", 53))'"
     % internet.NAME_SERVER, "Network is unreachable", None),
]

EGRESS = {"HTTPS_PROXY": "http://127.0.0.1:8119", "https_proxy": "http://127.0.0.1:8119",
          "HTTP_PROXY": "http://127.0.0.1:8119", "http_proxy": "http://127.0.0.1:8119",
          "NO_PROXY": "localhost,127.0.0.1,::1", "no_proxy": "localhost,127.0.0.1,::1", "NODE_USE_ENV_PROXY": "1",
          "ANET_EGRESS": "git.example.com,www.example.com"}


def told(results, world, servers):
    for name, program, script, says, reason in TABLE:
        if not clients.in_system(program):
            results.skip(name, "%s is not installed below /usr" % program)
            continue
        del servers.site.asked[:]
        result = world.sh("cd /tmp\n" + script, servers.address, options=["--egress", ",".join(clients.HOSTS)],
                          timeout=120)
        results.contains(name, REFUSED.sub("", result.text + result.errors), says)
        reasons = set(REFUSED.findall(result.errors))
        results.equal(name + ": the reason", reasons, {reason} if reason else set(), result)
        results.ok(name + ": at once", result.seconds < AT_ONCE, result)
        results.equal(name + ": nothing has reached the server", servers.site.asked, [])


def old_node(results, world, servers):
    """It looks at no proxy: it must not wait."""
    if not clients.in_system("node"):
        results.skip("a Node without NODE_USE_ENV_PROXY", "node is not installed below /usr")
        return
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    if int(version[1:].split(".")[0]) >= 22:
        results.skip("a Node without NODE_USE_ENV_PROXY", "node is newer here")
        return
    for name, code in (("fetch", clients.FETCH), ("https.get", clients.HTTPS_GET)):
        result = world.anet("node", "-e", code, "https://%s/" % clients.WWW, options=["--egress", clients.WWW],
                            timeout=120)
        results.ok("%s of an old Node fails at once" % name, result.status == 1 and result.seconds < AT_ONCE, result)
        results.contains("... since there is no such name", result.text + result.errors, "getaddrinfo")


def environment(results, world):
    def variables(*options):
        result = world.anet("env", "-0", options=options)
        return dict(entry.split("=", 1) for entry in result.text.split("\0") if entry)

    with_egress = variables("--egress", "www.example.com,git.example.com")
    found = {name: with_egress.get(name) for name in EGRESS}
    found["ANET_EGRESS"] = ",".join(sorted((found["ANET_EGRESS"] or "").split(",")))
    results.equal("the variables that clients look at", found, EGRESS)
    results.contains("... and Java's", with_egress.get("JAVA_TOOL_OPTIONS", ""), "-Dhttps.proxyPort=8119")
    without = variables()
    results.equal("none of them without egress", [name for name in without if re.search("(?i)proxy|EGRESS|JAVA", name)],
                  [])
    results.equal("public hosts have a word", variables("--egress", "public").get("ANET_EGRESS"), "public")


def test(results):
    require_product()
    node = clients.node()
    private.enter(overlays=(clients.OURS,))
    servers = clients.Servers(internet.Internet())
    clients.place_node(node)
    world = worlds()[-1]
    environment(results, world)
    told(results, world, servers)
    old_node(results, world, servers)


run_test(test)

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=900
"""Real clients in a run with egress: each works for the hosts that are allowed, and
fails at once for others, saying why (SPEC S8)."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import clients  # noqa: E402
import private  # noqa: E402
from harness import run_test, worlds  # noqa: E402
from internet import Internet  # noqa: E402
from world import require_product  # noqa: E402

SENTENCE = "anet: this host is not one that this session may reach"
# Longer than the slowest of them takes to begin on a busy machine.
AT_ONCE = 30.0
# Both write to one standard error: a line of anet's may begin in the middle of one of the client's.
REFUSED = re.compile(r"anet: refused a tunnel: [^\n]*")


def own_words(result):
    """What the client says, without what anet does."""
    return REFUSED.sub("", result.text + result.errors)


def allowed(results, world, client):
    result = world.anet(*client.argv(), options=["--egress", ",".join(clients.HOSTS)], timeout=120)
    results.ok("works for an allowed host", result.status == 0 and client.want in result.text, result)
    results.equal("... and no tunnel was refused", REFUSED.findall(result.errors), [], result)


def refused(results, world, client, site):
    before = len(site.asked)
    result = world.anet(*client.argv(), options=["--egress", clients.OTHER], timeout=120)
    results.ok("fails for another one", result.status not in (0, "timeout") and client.want not in result.text, result)
    results.ok("... at once", result.seconds < AT_ONCE, result)
    results.contains("... and says why", own_words(result), SENTENCE if client.tells else "403")
    lines = REFUSED.findall(result.errors)
    results.ok("anet says which host it was", lines and all(client.host in line for line in lines), result)
    results.ok("it does not ask for ever", len(lines) <= client.asks, lines)
    results.equal("nothing has reached the server", site.asked[before:], [])


def test(results):
    require_product()
    node = clients.node()
    private.enter(overlays=(clients.OURS,))
    servers = clients.Servers(Internet())
    ordinary = worlds()[-1]
    for client in clients.available(results, node):
        with results.under(client.name + ": "):
            outside = ordinary.run(client.argv(), timeout=120)
            if not results.ok("works outside (control)", outside.status == 0 and client.want in outside.text, outside):
                continue
            allowed(results, ordinary, client)
            refused(results, ordinary, client, servers.site)
    for world in worlds()[:-1]:
        for client in clients.CLIENTS[:1]:
            with results.under("%s as %s: " % (client.name, world.user)):
                allowed(results, world, client)
                refused(results, world, client, servers.site)


run_test(test)

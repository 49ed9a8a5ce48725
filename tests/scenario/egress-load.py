#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=300
"""What agents do with tunnels at their busiest: an installation of many packages stays
within what may be open at once, and a large repository comes and goes whole."""
import hashlib
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import clients  # noqa: E402
import git_server  # noqa: E402
import internet  # noqa: E402
import private  # noqa: E402
from harness import run_test, worlds  # noqa: E402
from world import require_product  # noqa: E402

MIB = 16
REFUSED = re.compile(r"anet: refused a tunnel: [^\n]*")

INSTALL = """
cd "$(mktemp -d)" && NODE_EXTRA_CA_CERTS=%s npm install --registry https://%s/ greeting-all && ls node_modules | wc -l
""" % (clients.BUNDLE, clients.NPM)

# Random bytes there and others back.  Nobody looks for what they have in common.
CLONE = """
cd "$(mktemp -d)" && git clone -q https://%s/large.git && cd large && git fsck --strict && sha256sum <data &&
head -c %d /dev/urandom >data && sha256sum <data && git config core.bigFileThreshold 1m && git add . &&
git -c user.name=x -c user.email=x@example.com commit -q -m second && git push -q origin HEAD && echo pushed
""" % (clients.GIT, MIB << 20)


def many_packages(results, world, servers):
    if not clients.in_system("npm"):
        results.skip("many packages", "npm is not installed below /usr")
        return
    result = world.sh(INSTALL, options=["--egress", clients.NPM], timeout=150)
    results.ok("many packages are installed", result.status == 0 and
               result.text.split()[-1:] == [str(clients.NEEDED + 1)], result)
    tarballs = {path for host, _, path in servers.site.asked if path.endswith(".tgz")}
    results.equal("... each from the registry", len(tarballs), clients.NEEDED + 1)
    results.equal("... and no tunnel was refused", REFUSED.findall(result.errors), [])


def large_repository(results, world, servers):
    data = os.urandom(MIB << 20)
    git_server.make_repository(servers.repositories, "large", {"data": data})
    result = world.sh(CLONE, options=["--egress", clients.GIT], timeout=150)
    results.ok("a large repository is cloned, and pushed", result.status == 0 and result.text.endswith("pushed\n"), result)
    results.contains("... what comes is what was there", result.text, hashlib.sha256(data).hexdigest())
    after = git_server.content(servers.repositories, "large", "data")
    results.contains("... what goes arrives whole", result.text, hashlib.sha256(after).hexdigest())
    results.ok("... and is not what came", after != data)


def test(results):
    require_product()
    private.enter()
    servers = clients.Servers(internet.Internet())
    world = worlds()[-1]
    many_packages(results, world, servers)
    large_repository(results, world, servers)


run_test(test)

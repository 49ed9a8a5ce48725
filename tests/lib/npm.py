#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Real agents from npm, kept in a cache outside the tree (ANET_CACHE, else
~/.cache/anet-tests) as npm/NAME-VERSION.  As a program: fetches all of them."""
import concurrent.futures
import os
import shutil
import signal
import subprocess
import sys
import tempfile

import private
from tap import Skip

# name: package, version, whether as `npm install -g` does it (with bin/ beside lib/node_modules/)
PACKAGES = {
    "claude": ("@anthropic-ai/claude-code", "2.1.332", False),  # one native program
    "claude-script": ("@anthropic-ai/claude-code", "2.1.100", False),  # one script for node
    "codex": ("@openai/codex", "0.171.0", True),
    "node": ("node", "22.23.3", True),  # qwen and openclaw do not run on 20
    "openclaw": ("openclaw", "2026.9.2", True),
    "opencode": ("opencode-ai", "1.18.33", True),
    "pi": ("@mariozechner/pi-coding-agent", "0.73.1", True),
    "qwen": ("@qwen-code/qwen-code", "0.24.4", True),
}


def place_of(name):
    return os.path.join(private.CACHE, "npm", "%s-%s" % (name, PACKAGES[name][1]))


def _environment(name):
    """What runs at the installation is run by the node that the program gets."""
    path = os.environ.get("PATH", os.defpath)
    if name != "node" and PACKAGES[name][2]:
        path = os.path.join(install("node"), "bin") + ":" + path
    return dict(os.environ, PATH=path)


def _npm():
    """Debian's needs the node that it came with, whatever is first in PATH then."""
    npm = shutil.which("npm")
    with open(npm, "rb") as file:
        is_script = b"node" in file.readline()
    return [shutil.which("node"), npm] if is_script and shutil.which("node") else [npm]


def install(name):
    """Its directory, from the cache or from npm.  Before private.enter(): the
    network is needed."""
    place = place_of(name)
    package, version, everywhere = PACKAGES[name]
    if os.path.isdir(place):
        return place
    if shutil.which("npm") is None:
        raise Skip("%s %s is not in %s and there is no npm" % (package, version, private.CACHE))
    environment = _environment(name)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    # What was interrupted must not look whole; a program that npm started may go on for a moment.
    with tempfile.TemporaryDirectory(dir=os.path.dirname(place), prefix="part-", ignore_cleanup_errors=True) as part:
        made = os.path.join(part, "made")
        os.mkdir(made)
        result = subprocess.run(
            [*_npm(), "install", "--no-audit", "--no-fund", *(["--global"] if everywhere else []), "--prefix", made,
             "%s@%s" % (package, version)],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment)
        if result.returncode:
            raise Skip("%s %s cannot be installed: %s" % (package, version, result.stderr.strip()[-300:]))
        if not os.path.isdir(place):
            os.rename(made, place)
    return place


def fetch(name):
    try:
        return install(name)
    except Skip as skip:
        return str(skip)


def main():
    # npm gets it as well; what it made is removed on the way out.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    print(fetch("node"), flush=True)
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        for answer in pool.map(fetch, [name for name in PACKAGES if name != "node"]):
            print(answer, flush=True)


if __name__ == "__main__":
    main()

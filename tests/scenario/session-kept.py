#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a run leaves in its workspace and in the home that it keeps does not keep its
agent from being started again; and where it does, it is said in which directory."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import HELPERS, private, product_test  # noqa: E402
from unit_session import HOMES, WORK, Machine, overlays  # noqa: E402

DEEP = "i=0; while [ $i -lt 520 ]; do mkdir d; cd -P d; i=$((i+1)); done; "
# (what, what a first run does; its working directory is its workspace)
LEFT = (
    ("no rights to either", "chmod 0 ~ ."),
    ("directories without rights", "mkdir -p ~/x/y x/y; chmod 0 ~/x x"),
    ("links in place of directories", "ln -s / ~/root; ln -s /oldroot/tmp ~/.cache; ln -s /oldroot/tmp link; ln -s . loop"),
    ("what blocks its reader", "mkfifo f ~/f ~/.profile"),
    ("names that say something else", "touch \"$(printf 'a\\nb\\033[31m')\" -- -rf '~' ' '"),
    ("files with two names", "touch f; ln f g; touch ~/f; ln ~/f ~/g"),
    ("a full list of rights", "chmod 0777 ~ ."))


def life(machine, command):
    """Status and records of one session, from its first step to its last."""
    machine.agent("demo", runtime="command", arguments=["sh", "-c", command])
    prepared = machine.prepare("demo")
    session = subprocess.run([os.path.join(HELPERS, "anet-session"), "demo"], env=machine.env, timeout=60,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    outcome = machine.outcome("demo", "exit-code", "exited", str(session.returncode))
    return (prepared.status, session.returncode, outcome.status), session.stderr.decode("utf-8", "replace")


def test(results):
    machine = Machine()
    for what, command in LEFT:
        status, said = life(machine, command + "; true")
        results.equal(what + ": the first ends well", status, (0, 0, 0), said)
        status, said = life(machine, "[ -w . ] && [ -w ~ ] && touch new ~/new && echo ok >new")
        results.equal(what + ": the next works", status, (0, 0, 0), said)
        for place in (HOMES + "/demo-main", WORK + "/demo/main"):
            results.equal(what + ": " + place, oct(os.stat(place).st_mode), "0o40700")
            private.empty(place)
    for place, path in (("~", HOMES + "/demo-main"), (".", WORK + "/demo/main")):
        life(machine, "cd %s; %s sleep 5" % (place, DEEP))
        status, said = life(machine, "sleep 10")
        results.ok("a tree too deep in %s: said where" % path, status == (0, 75, 0) and path in said and
                   "cannot be measured: more than 512 directories deep" in said, (status, said))
        subprocess.run(["rm", "-rf", path], check=True)
        results.equal("and without it the next works", life(machine, "true")[0], (0, 0, 0))


product_test(test, overlays=overlays())

# SPDX-License-Identifier: LGPL-2.1-or-later
"""The files of agents, as `anet agent` keeps them."""
import json
import os
import re
import shutil

import machine
from world import ANET

SYSTEM = os.path.join(machine.config_directory(), "agents.d")
ESCAPE = "\033]0;x\007"


def directory(world):
    return SYSTEM if world.user == "root" else os.path.join(world.home, ".config/anet/agents.d")


def path_of(world, name):
    return os.path.join(directory(world), name + ".json")


def agent(world, *words, **keywords):
    return world.run([ANET, "agent", *words], **keywords)


def read(path):
    with open(path) as file:
        return file.read()


def without_comments(text):
    return json.loads(re.sub(r'//[^\n]*|/\*.*?\*/', "", text, flags=re.DOTALL))


def value(world, name):
    return without_comments(read(path_of(world, name)))


def write(world, name, text, mode=0o644):
    if not os.path.isdir(directory(world)):
        os.makedirs(directory(world))
        world.own(directory(world))
    path = path_of(world, name)
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, mode)
    return world.own(path)


def clean(world):
    shutil.rmtree(directory(world), ignore_errors=True)


def left(world):
    """Names in the directory that are no agents: nothing but the lock may stay."""
    return sorted(name for name in os.listdir(directory(world)) if not name.endswith(".json"))


def refused(results, world, name, words, code, *parts, status=None, **keywords):
    before = {entry: read(os.path.join(directory(world), entry)) for entry in os.listdir(directory(world))}
    result = agent(world, *words, **keywords)
    after = {entry: read(os.path.join(directory(world), entry)) for entry in os.listdir(directory(world))}
    results.ok("refused: " + name, result.status != 0 and (status is None or result.status == status) and
               "[%s]" % code in result.errors and all(part in result.errors for part in parts) and
               b"\033" not in result.err, result)
    results.equal("refused: %s: nothing is written" % name, after, before)


COMMENTED = """// Who works on the project.
{
  "runtime": "command", // any program
  /* not "model": "x" */
  "model": "one", // the first
  "limits": { "tasks": 99 /* enough */, "requests": 5 },
  "workspace": "/srv/a b" // last
}
// the end
"""

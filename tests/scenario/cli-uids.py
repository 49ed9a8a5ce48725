#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Started by root, each session has a pair of user ids of its own, out of the
range of the account `anet`."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import Skip, World, private, process, product_test, wait_for  # noqa: E402


def ids_of(running):
    """(supervisor, run) of a session whose command prints a line first."""
    running.stdout.readline()
    supervisor = process.status_field(running.pid, "Uid").split()[0]
    sleeping = wait_for(lambda: process.named(running.pid, "sleep"), 5)
    runs = [process.status_field(pid, "Uid").split()[0] for pid in sleeping]
    return int(supervisor), [int(uid) for uid in runs]


def give(name, text):
    path = os.path.join(private.directory, name)
    with open(path, "w") as file:
        file.write(text)


def begin(world):
    return world.begin("sh", "-c", "echo ready; exec sleep 60")


def end(*sessions):
    for session in sessions:
        session.terminate()
        session.communicate(timeout=15)


def test(results):
    if not private.is_root:
        raise Skip("only root has sessions with ids of their own")
    for name in ("subuid", "subgid"):
        give(name, "root:100000:65536\n")
        if not os.path.exists("/etc/" + name):
            raise Skip("there is no /etc/%s to put another in its place" % name)
        private.mount(os.path.join(private.directory, name), "/etc/" + name, flags=private.MS_BIND)
    world = World("root")

    first, second = begin(world), begin(world)
    supervisor, runs = ids_of(first)
    other_supervisor, other_runs = ids_of(second)
    everything = [supervisor, other_supervisor] + runs + other_runs
    results.ok("four ids, all different", len(everything) == 4 and len(set(everything)) == 4, everything)
    results.ok("all in the default range", all(1879048192 <= uid < 1879048192 + 65536 for uid in everything), everything)
    end(first, second)
    third = begin(world)
    again = ids_of(third)
    results.ok("a pair that is free is used again", again in ((supervisor, runs), (other_supervisor, other_runs)), again)
    end(third)
    info = os.stat("/run/anet/uids")
    results.equal("the locks are root's", (info.st_mode & 0o7777, info.st_uid), (0o700, 0))

    for name in ("subuid", "subgid"):
        give(name, "alice:100000:10\nanet:700000000:4\n")
    first, second = begin(world), begin(world)
    taken = ids_of(first), ids_of(second)
    results.ok("the account's own range", all(700000000 <= uid < 700000004 for supervisor, runs in taken
                                              for uid in [supervisor] + runs), taken)
    result = world.anet("true")
    results.ok("none left: refused, to be tried later", result.status == 75 and "[uids_exhausted]" in result.errors and
               "2 pairs" in result.errors, result)
    end(first)
    results.equal("one is given back", world.anet("true").status, 0)
    end(second)

    for name, users, groups, part in (
            ("only one of the files", "anet:700000000:4\n", "", "no two ids"),
            ("ranges that share nothing", "anet:700000000:4\n", "anet:800000000:4\n", "no two ids"),
            ("the ids of people", "anet:1000:64\n", "anet:1000:64\n", "65536"),
            ("no number", "anet:x:64\n", "anet:x:64\n", "FIRST:COUNT")):
        give("subuid", users)
        give("subgid", groups)
        result = world.anet("true")
        results.ok("refused: " + name, result.status == 78 and "[config_invalid]" in result.errors and
                   part in result.errors, result)


product_test(test)

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The way to a workspace that an operator chose: whoever is not root and could lead
it elsewhere must be the one to whom the directory belongs, and nobody else may rename
what is in a directory on it."""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import private, product_test  # noqa: E402
from unit_session import Machine, overlays, run_record  # noqa: E402

ALICE, BOB = private.USER_ID, private.OTHER_ID
HOME, OTHER_HOME = "/home/" + private.USER_NAME, "/home/" + private.OTHER_NAME


def directory(path, owner, mode=0o755):
    os.mkdir(path)
    os.chown(path, owner, owner)
    os.chmod(path, mode)


def link(path, target, owner):
    os.symlink(target, path)
    os.lchown(path, owner, owner)


def allow(path, user):
    """A list, acl(5), by which this user may write, too."""
    entries = ((1, 7, 0xffffffff), (2, 7, user), (4, 5, 0xffffffff), (16, 7, 0xffffffff), (32, 5, 0xffffffff))
    os.setxattr(path, "system.posix_acl_access",
                struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries))


def share():
    for name, owner, mode in (("everybodys", 0, 0o777), ("sticky", 0, 0o1777), ("groups", 0, 0o775),
                              ("own-group", ALICE, 0o775), ("foreign-group", ALICE, 0o775),
                              ("listed", ALICE, 0o755)):
        directory("/home/srv/" + name, owner, mode)
        directory("/home/srv/%s/project" % name, ALICE, 0o700)
    os.chown("/home/srv/groups", 0, BOB)
    os.chown("/home/srv/foreign-group", ALICE, BOB)
    allow("/home/srv/listed", BOB)
    link("/home/srv/everybodys/link", HOME + "/project", ALICE)
    directory("/home/srv/open", ALICE, 0o777)


def lay_out():
    directory("/home/srv", 0)
    share()
    directory("/home/srv/shared", BOB)
    directory("/home/srv/roots", 0)
    directory(HOME + "/project", ALICE, 0o700)
    directory(HOME + "/deep", ALICE)
    directory(HOME + "/deep/er", ALICE)
    directory(HOME + "/bobs", BOB)
    directory(HOME + "/bobs/alices", ALICE)
    directory(HOME + "/roots", 0)
    directory(OTHER_HOME + "/project", BOB)
    directory("/tmp/alices", ALICE)
    link(HOME + "/to-project", "project", ALICE)
    link(HOME + "/to-project-absolute", HOME + "/project", ALICE)
    link(HOME + "/to-bob", OTHER_HOME + "/project", ALICE)
    link(HOME + "/to-shared", "/home/srv/shared", ALICE)
    link(HOME + "/to-roots", "/home/srv/roots", ALICE)
    link(HOME + "/twice", "to-bob", ALICE)
    link(HOME + "/up", "../" + private.OTHER_NAME, ALICE)
    link("/home/srv/to-alice", HOME + "/project", 0)
    link("/home/srv/to-alices-link", HOME + "/to-bob", 0)
    link("/tmp/bobs-link", HOME + "/project", BOB)
    link(HOME + "/loop", "loop", ALICE)
    link(HOME + "/dangling", "nothing", ALICE)


# (what, path, where it leads or what is said of it)
WAYS = (
    ("a home's own directory", HOME + "/project", HOME + "/project"),
    ("slashes and dots", HOME + "//./deep/../deep/er/", HOME + "/deep/er"),
    ("a link to one of the same user", HOME + "/to-project", HOME + "/project"),
    ("an absolute one", HOME + "/to-project-absolute", HOME + "/project"),
    ("a link of root's", "/home/srv/to-alice", HOME + "/project"),
    ("root's directory", "/home/srv/roots", "/home/srv/roots"),
    ("somebody's directory below root's", "/home/srv/shared", "/home/srv/shared"),
    ("somebody's in /tmp", "/tmp/alices", "/tmp/alices"),
    ("a link to another user's", HOME + "/to-bob", "%s on the way to it to user %d" % (HOME, ALICE)),
    ("to what others share", HOME + "/to-shared", "on the way to it to user %d" % ALICE),
    ("to root's", HOME + "/to-roots", "on the way to it to user %d" % ALICE),
    ("two links", HOME + "/twice", "on the way to it to user %d" % ALICE),
    ("a link to the directories above", HOME + "/up/project", "on the way to it to user %d" % ALICE),
    ("a link of root's to such a link", "/home/srv/to-alices-link", "on the way to it to user %d" % ALICE),
    ("a link in /tmp", "/tmp/bobs-link", "/tmp/bobs-link on the way to it to user %d" % BOB),
    ("another's below a home", HOME + "/bobs", "%s on the way to it to user %d" % (HOME, ALICE)),
    ("its own below that", HOME + "/bobs/alices", "%s/bobs on the way to it to user %d" % (HOME, BOB)),
    ("root's below a home", HOME + "/roots", "%s on the way to it to user %d" % (HOME, ALICE)),
    ("where everybody may rename it", "/home/srv/everybodys/project", "others than its owner can write /home/srv/everybodys,"),
    ("a link in such a place", "/home/srv/everybodys/link", "others than its owner can write /home/srv/everybodys,"),
    ("where everybody may write, and rename only their own", "/home/srv/sticky/project", "/home/srv/sticky/project"),
    ("where a group may rename it", "/home/srv/groups/project", "others than its owner can write /home/srv/groups,"),
    ("where the owner's own group may", "/home/srv/own-group/project", "/home/srv/own-group/project"),
    ("where another one's may", "/home/srv/foreign-group/project", "others than its owner can write /home/srv/foreign-group,"),
    ("where a list lets another one", "/home/srv/listed/project", "others than its owner can write /home/srv/listed,"),
    ("one that everybody may write itself", "/home/srv/open", "/home/srv/open"),
    ("a link to itself", HOME + "/loop", "Too many levels of symbolic links"),
    ("a link to nothing", HOME + "/dangling", "No such file or directory"),
    ("a file on the way", "/etc/hostname/x", "Not a directory"))


def test(results):
    machine = Machine()
    lay_out()
    for what, path, end in WAYS:
        machine.agent("chosen", runtime="command", arguments=["true"], workspace=path)
        result = machine.prepare("chosen")
        if end.startswith("/") and " " not in end:
            results.ok(what, result.status == 0 and run_record("chosen-main")["workspace"] == end, result)
            machine.outcome("chosen")
        else:
            results.ok(what + ": refused", result.status == 78 and "[workspace_invalid]" in result.errors and
                       end in result.errors, result)


product_test(test, overlays=overlays())

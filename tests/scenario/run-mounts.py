#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=300
"""`mounts` of the configuration, in srt: what a run sees of them and in which mode; which
are refused, by which reason and in which words.  Nothing of them is left on the host."""
import json
import os
import shutil
import socket
import stat
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import private, product_test, tree, worlds  # noqa: E402

LIMIT_MOUNTS = 2800


def agent(world, mounts, **more):
    world.agent("m", dict({"runtime": "command", "mounts": mounts}, **more))


def run(world, script, options=()):
    return world.sh(script, options=["--agent", "m", *options])


def fill(world):
    for name in ("data", "data/inner", "other", "closed"):
        world.directory(name)
    for name in ("data/file", "data/inner/file", "other/file", "plain"):
        world.file(name, "from outside\n")


def modes(results, world):
    data, home = world.home + "/data", world.home
    fill(world)
    agent(world, [{"source": data}])
    result = run(world, "cat %s/file; touch %s/x; ls -A %s" % (data, data, home))
    results.contains("readonly is the default: read", result.text, "from outside")
    results.contains("... and not written", result.errors, "Read-only file system")
    results.equal("... and nothing beside it is seen", sorted(result.text.split()[2:]), ["data", "work"], result)
    for written in ({"source": data, "mode": "readonly", "target": data}, {"source": "~/data", "target": "~/data"},
                    {"source": home + "//data/../data"}, {"source": data + "/"}):
        agent(world, [written])
        results.contains("%s" % json.dumps(written), run(world, "cat %s/file" % data).text, "from outside")
    agent(world, [{"source": data, "mode": "writable"}])
    result = run(world, "echo inside > %s/made; stat -c %%u %s/made" % (data, data))
    results.equal("writable: the run's own inside", result.text, "1000\n", result)
    results.equal("... and the owner's outside", os.stat(data + "/made").st_uid, world.uid)
    agent(world, [{"source": data, "mode": "writable"}, {"source": data, "mode": "readonly"}])
    results.equal("the same path twice: writable wins", run(world, "touch %s/y" % data).status, 0)
    agent(world, [{"source": data, "mode": "readonly"}, {"source": data, "mode": "writable"}])
    results.equal("... in either order", run(world, "touch %s/y" % data).status, 0)
    world.config({"sandbox": {"mounts": [{"source": data, "mode": "writable"}]}})
    agent(world, [{"source": data, "mode": "readonly"}])
    results.equal("... and of both files", run(world, "touch %s/z" % data).status, 0)
    agent(world, [])
    results.equal("`sandbox.mounts` are every agent's", run(world, "cat %s/file" % data).text, "from outside\n")
    world.config({})


def nesting(results, world):
    data = world.home + "/data"
    fill(world)
    script = "touch %s/a 2>/dev/null; echo $?; touch %s/inner/a 2>/dev/null; echo $?" % (data, data)
    for outer, inner in (("readonly", "writable"), ("writable", "readonly")):
        for order in (0, 1):
            mounts = [{"source": data, "mode": outer}, {"source": data + "/inner", "mode": inner}]
            agent(world, mounts[::-1] if order else mounts)
            result = run(world, script)
            results.equal("%s in %s keeps its mode (%d)" % (inner, outer, order), result.text.split(),
                          ["0" if mode == "writable" else "1" for mode in (outer, inner)], result)
    work = world.workspace
    world.directory("work/vendor")
    agent(world, [{"source": work + "/vendor"}])
    result = run(world, "touch vendor/x 2>/dev/null; echo $?; mv vendor v 2>/dev/null; echo $?; touch y; echo $?")
    results.equal("inside the workspace: read-only, and stays where it is", result.text.split(), ["1", "1", "0"], result)
    agent(world, [{"source": work}])
    results.equal("the workspace itself stays writable", run(world, "touch y").status, 0)
    outer = world.directory("outer")
    world.file("outer/beside", "beside\n")
    inner = world.directory("outer/project")
    agent(world, [{"source": outer}])
    result = run(world, "cat ../beside; touch ../x 2>/dev/null; echo $?; touch x; echo $?", ["--workspace", inner])
    results.equal("around the workspace", result.text.split(), ["beside", "1", "0"], result)


def files(results, world):
    fill(world)
    plain, link = world.home + "/plain", world.home + "/link"
    agent(world, [{"source": plain}])
    result = run(world, "cat %s; echo x 2>/dev/null > %s" % (plain, plain))
    results.ok("a file", result.text.startswith("from outside") and result.status != 0, result)
    agent(world, [{"source": plain, "mode": "writable"}])
    results.equal("a file, writable", run(world, "echo inside > %s" % plain).status, 0)
    with open(plain) as file:
        results.equal("... on the disk", file.read(), "inside\n")
    if not os.path.lexists(link):
        os.symlink("data", link)
    agent(world, [{"source": link}])
    result = run(world, "cat %s/data/file; ls -d %s" % (world.home, link))
    results.ok("a link is what it leads to, at its own place", result.text == "from outside\n", result)
    agent(world, [{"source": link, "target": link}])
    results.contains("... and may be named as the target", run(world, "cat %s/data/file" % world.home).text, "outside")


def refused(results, world):
    fill(world)
    home, data = world.home, world.home + "/data"
    fifo, place = home + "/fifo", home + "/socket"
    for path in (fifo, place, home + "/loop"):
        os.path.lexists(path) and os.unlink(path)
    os.mkfifo(fifo)
    world.own(fifo)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(place)
    os.symlink("loop", home + "/loop")
    world.directory(".ssh", 0o700)
    world.directory("writable/sub")
    world.directory("theirs/sub")
    world.agent("another", {"runtime": "command", "workspace": home + "/theirs"})
    if not os.path.lexists(home + "/writable/link"):
        os.symlink(home + "/data", home + "/writable/link")
    inside = [{"source": home + "/writable", "mode": "writable"}, {"source": home + "/writable/link"}]
    rows = [
        ("nothing there", [{"source": home + "/none"}], "mount_invalid", "No such file"),
        ("relative", [{"source": "data"}], "mount_invalid", "no absolute path"),
        ("a loop of links", [{"source": home + "/loop"}], "mount_invalid", "symbolic links"),
        ("a FIFO", [{"source": fifo}], "mount_invalid", "is a FIFO"),
        ("a socket", [{"source": place}], "mount_invalid", "is a socket"),
        ("a device", [{"source": "/dev/zero"}], "mount_invalid", "is a device"),
        ("another target", [{"source": data, "target": "/data"}], "mount_unsupported", "only at its own path"),
        ("an overlay", [{"source": data, "mode": "overlay"}], "mount_unsupported", "overlay"),
        ("keys", [{"source": home + "/.ssh"}], "never_visible", "/.ssh"),
        ("the home", [{"source": "~"}], "never_visible", home),
        ("the root", [{"source": "/"}], "never_visible", "contains"),
        ("/run", [{"source": "/run"}], "never_visible", "/run"),
        ("anet's own", [{"source": private.PREFIX + "/libexec/anet"}], "never_visible", "libexec/anet"),
        ("the system, writable", [{"source": "/usr", "mode": "writable"}], None, "/usr"),
        ("the run's own", [{"source": "/var/tmp"}], None, "/var/tmp"),
        ("inside another agent's workspace", [{"source": home + "/theirs/sub"}], "mount_invalid", 'agent "another"'),
        ("a link where runs write", inside, "mount_invalid", "/writable/link"),
    ]
    for name, mounts, code, words in rows:
        agent(world, mounts)
        result = run(world, "touch marker")
        results.ok("%s: refused" % name, result.status not in (0, "timeout") and words in result.errors and
                   (code or "") in result.errors, result)
        results.ok("... and nothing ran", not os.path.exists(world.workspace + "/marker"))
    os.unlink(world.home + "/.config/anet/agents.d/another.json")


def many(results, world):
    fill(world)
    for i in range(LIMIT_MOUNTS + 1):
        os.makedirs(world.home + "/many/%04d" % i, exist_ok=True)
    mounts = [{"source": world.home + "/many/%04d" % i} for i in range(3000)]
    agent(world, mounts)
    result = run(world, "true")
    results.ok("3 000 are refused with the number that is possible", "too_many_mounts" in result.errors and
               str(LIMIT_MOUNTS) in result.errors, result)
    agent(world, mounts[:LIMIT_MOUNTS])
    result = world.sh("ls %s/many | wc -l" % world.home, options=["--agent", "m"], timeout=180)
    results.equal("... and that many work", result.text.strip(), str(LIMIT_MOUNTS), result)
    shutil.rmtree(world.home + "/many")


def measured(results, world):
    for i in range(20):
        world.directory("w%02d" % i)
    agent(world, [{"source": world.home + "/w%02d" % i, "mode": "writable"} for i in range(20)])
    result = run(world, "touch %s/w19/x" % world.home)
    results.ok("more than can be measured: said", result.status == 0 and "mounts_unmeasured" in result.errors, result)
    agent(world, [{"source": world.home + "/w00", "mode": "writable"}], limits={"growth_mib": 8})
    result = run(world, "head -c 40000000 /dev/zero > %s/w00/big; sleep 20" % world.home)
    results.ok("a writable mount that grows ends the run", "limit_growth" in result.errors and "/w00" in result.errors,
               result)


def filesystems(results, world):
    """What takes a mount to try."""
    if not private.is_root:
        results.skip("other filesystems", "takes root")
        return
    place = world.directory("mounted")
    private.mount("tmpfs", place, "tmpfs", private.MS_NOSUID | private.MS_NODEV, "mode=0755,uid=%d" % world.uid)
    world.file("mounted/file", "from outside\n")
    agent(world, [{"source": place, "mode": "writable"}])
    result = run(world, "cat %s/file; touch %s/made" % (place, place))
    results.ok("nosuid, nodev", result.status == 0 and "from outside" in result.text, result)
    private.mount(None, place, None, private.MS_REMOUNT | private.MS_RDONLY | private.MS_NOSUID | private.MS_NODEV)
    result = run(world, "true")
    results.ok("writable on a read-only filesystem: refused", "mount_invalid" in result.errors and
               "read-only" in result.errors, result)
    agent(world, [{"source": place}])
    results.contains("... readonly works", run(world, "cat %s/file" % place).text, "from outside")
    if world.uid == 0:
        unreadable(results, world)


def unreadable(results, world):
    """Where the owner alone may look, not root, as on FUSE without allow_other and on NFS with root_squash: the kernel
    refuses before it would ask who serves the files, and here nobody does."""
    try:
        device = os.open("/dev/fuse", os.O_RDWR)
    except OSError as error:
        results.skip("a mount that root may not look at", "this kernel has no FUSE: %s" % error)
        return
    place = world.directory("fuse")
    private.mount("fuse", place, "fuse", private.MS_NOSUID | private.MS_NODEV,
                  "fd=%d,rootmode=40000,user_id=%d,group_id=%d" % (device, private.user_id(), private.group_id()))
    agent(world, [{"source": place}])
    result = run(world, "touch marker")
    results.ok("a mount that root may not look at: refused, and why", "mount_invalid" in result.errors and
               "where root may not look" in result.errors, result)
    results.ok("... and nothing ran", not os.path.exists(world.workspace + "/marker"))
    os.close(device)
    private.unmount(place)


def test(results):
    for world in worlds():
        with results.under("as %s: " % world.user):
            fill(world)
            agent(world, [{"source": world.home + "/data"}])
            before = tree.snapshot(world.home)
            run(world, "true")
            own = ("/.cache", "/.local")
            results.equal("nothing is left on the host", [
                line for line in tree.difference(before, tree.snapshot(world.home))
                if not any(part in line for part in own)], [])
            for part in (modes, nesting, files, refused, many, measured, filesystems):
                part(results, world)


product_test(test)

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A run cannot hide from anet-files what it adds, lead it elsewhere, or stop it."""
import os
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import private
from files import AsOwner, Files, directory
from tap import Skip, run_test

LIMITS = {"growth_bytes": 1 << 30, "growth_entries": 5000}


def make(path, mode=0o755, files=0):
    os.mkdir(path, 0o755)
    for number in range(files):
        open(os.path.join(path, str(number)), "w").close()
    os.chmod(path, mode)


def unreadable(results):
    for name, mode in (("that cannot be read", 0), ("that can be written but not read", 0o300),
                       ("that can be listed but not searched", 0o600)):
        path = directory()
        with AsOwner():
            make(os.path.join(path, "before"), mode, files=3)
        with Files([path], **LIMITS) as files:
            report = files.measure()
            results.equal("a directory %s, from before" % name, report["code"], "ok", report)
            report = files.measure()
            results.equal("and still", report["code"], "ok", report)
            with AsOwner():
                make(os.path.join(path, "after"), mode, files=3)
            report = files.measure_until(lambda report: report["reason"])
            results.equal("a new one %s is the limit reached" % name, report and report["code"], "limit_growth")
            results.contains("and says why", report["detail"] if report else b"", b"unreadable")
        path = directory()
        with AsOwner():
            make(os.path.join(path, "before"), files=3)
        with Files([path], **LIMITS) as files:
            files.measure()
            with AsOwner():
                os.chmod(os.path.join(path, "before"), mode)
            report = files.measure_until(lambda report: report["reason"])
            results.equal("an old one made one %s" % name, report and report["code"], "limit_growth")


def links(results):
    path, elsewhere = directory(), directory()
    with AsOwner():
        make(os.path.join(elsewhere, "many"), files=300)
    with Files([path], growth_entries=200) as files:
        files.measure()
        with AsOwner():
            os.symlink(elsewhere, os.path.join(path, "absolute"))
            os.symlink("../" * 20 + elsewhere, os.path.join(path, "relative"))
            os.symlink(".", os.path.join(path, "itself"))
            os.mkfifo(os.path.join(path, "fifo"))
        report = files.measure_until(lambda report: report["bytes_out"])
        results.equal("links are not followed, a fifo is not opened", report and report["bytes_out"], 4)
        results.equal("and no limit is reached", report and report["code"], "ok")


def deep(results):
    path = directory()
    with AsOwner():
        os.makedirs(os.path.join(path, *["d"] * 505))
    with Files([path], **LIMITS) as files:
        results.equal("a tree 506 deep is measured", files.measure()["code"], "ok")
        memory = files.memory()
        if memory is None:
            results.skip("in little memory", "only root sees another process's memory")
        else:
            results.ok("in little memory", memory < 4096, "%d KiB" % memory)
    before = os.open(".", os.O_RDONLY)
    with Files([path], **LIMITS) as files:
        files.measure()
        with AsOwner():
            os.chdir(path)
            for _ in range(505):
                os.chdir("d")
            for _ in range(20):
                os.mkdir("d")
                os.chdir("d")
        os.fchdir(before)
        report = files.measure_until(lambda report: report["reason"])
        results.equal("one too deep is the limit reached", report and report["code"], "limit_entries")
    os.close(before)
    subprocess.run(["rm", "-rf", path], check=False)


def moving(results):
    """Directories that are renamed, replaced by links and removed meanwhile."""
    path = directory()
    going = True

    def shuffle():
        number = 0
        while going:
            number += 1
            try:
                os.makedirs(os.path.join(path, "a", "b", "c"), exist_ok=True)
                os.rename(os.path.join(path, "a", "b"), os.path.join(path, "moved"))
                os.symlink("/", os.path.join(path, "a", "b"))
                os.rename(os.path.join(path, "moved", "c"), os.path.join(path, "c"))
                os.rmdir(os.path.join(path, "moved"))
                os.rmdir(os.path.join(path, "c"))
                os.unlink(os.path.join(path, "a", "b"))
            except OSError:
                pass
            time.sleep(0.0002)

    thread = threading.Thread(target=shuffle)
    with Files([path], **LIMITS) as files:
        files.measure()
        thread.start()
        try:
            reports = [files.measure() for _ in range(4)]
        finally:
            going = False
            thread.join()
        results.ok("a tree that changes is measured", all(report and report["code"] == "ok" for report in reports),
                   reports)
        results.ok("and nothing beside it", all(report and report["bytes_out"] <= 5 for report in reports), reports)
        results.equal("exit status", files.end(), 0)


def mounts(results):
    """Another filesystem below is somebody else's; needs a mount namespace."""
    if os.geteuid() != 0:
        raise Skip("only root mounts here")
    if private.libc.unshare(private.CLONE_NEWNS) != 0:
        raise Skip("no mount namespace can be made here")
    private.mount(None, "/", flags=private.MS_REC | private.MS_PRIVATE)
    path = directory()
    with AsOwner():
        os.mkdir(os.path.join(path, "mounted"))
    private.mount("tmpfs", os.path.join(path, "mounted"), "tmpfs", data="mode=0777")
    with Files([path], **LIMITS) as files:
        files.measure()
        with AsOwner():
            make(os.path.join(path, "mounted", "inside"), files=100)
            open(os.path.join(path, "beside"), "w").close()
        report = files.measure_until(lambda report: report["bytes_out"])
        results.equal("another mount is not counted", report and report["bytes_out"], 1)


def test(results):
    for part in (unreadable, links, deep, moving):
        part(results)
    with results.under("as root: "):
        mounts(results)


run_test(test)

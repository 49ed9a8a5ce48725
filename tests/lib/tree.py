# SPDX-License-Identifier: LGPL-2.1-or-later
"""What lies in directories, to compare before and after."""
import os
import stat

# What a whole machine's worth of a test's own view consists of.
WATCHED = ("/home", "/root", "/tmp", "/run", "/var/tmp", "/dev/shm")
# The tree of these tests, where their runner writes its log meanwhile.
OWN = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))


def snapshot(*roots, skip=()):
    """{path: (type, mode, owner, group, size or link target)} below the roots,
    not following links and not crossing into mounted filesystems."""
    found = {}

    def walk(path, device):
        try:
            info = os.lstat(path)
        except OSError:
            return
        if info.st_dev != device or path in skip or path == OWN:
            return
        detail = os.readlink(path) if stat.S_ISLNK(info.st_mode) else (
            info.st_size if stat.S_ISREG(info.st_mode) else 0)
        found[path] = (stat.S_IFMT(info.st_mode), stat.S_IMODE(info.st_mode), info.st_uid, info.st_gid, detail)
        if stat.S_ISDIR(info.st_mode):
            try:
                names = os.listdir(path)
            except OSError:
                return
            for name in names:
                walk(os.path.join(path, name), device)

    for root in roots:
        if os.path.isdir(root):
            walk(root, os.lstat(root).st_dev)
    return found


def difference(before, after):
    """Readable lines: what appeared, vanished or changed."""
    lines = []
    for path in sorted(set(before) | set(after)):
        if path not in before:
            lines.append("new %s %r" % (path, after[path]))
        elif path not in after:
            lines.append("gone %s" % path)
        elif before[path] != after[path]:
            lines.append("changed %s: %r, now %r" % (path, before[path], after[path]))
    return lines


def mounts():
    """Mount points and filesystems as this process sees them."""
    with open("/proc/self/mountinfo") as file:
        return sorted(" ".join(line.split()[2:6]) for line in file)

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=240
"""The workspace is at its own path, whatever its name; what the run makes there
belongs to the workspace's owner; what must not be a workspace is refused."""
import os
import shutil
import stat
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import private, product_test, worlds  # noqa: E402

NAMES = [b"plain", b"with space", b"new\nline", b"back\\slash", b"[x]", b"*", b"?", b"-dash", b"--", b"--workspace",
         b"quote'\"", b"$HOME", b"`id`", b"\xff\xfe not utf-8", b"n" * 255, b"deep/er/and/deeper", b"a:b,c=d", b"#",
         b"tab\there", b"\x01control", "umläut €".encode(), b".hidden", b"...", b"%s%n"]

SCRIPT = ("import os, sys\n"
          "sys.stdout.buffer.write(os.getcwdb() + b'\\0')\n"
          "os.mkdir('made')\n"
          "open('made/file', 'w').write('x')\n"
          "os.chmod('made/file', 0o640)\n")


def names(results, world):
    for name in NAMES:
        path = world.directory(name)
        for how, options, cwd in (("as current directory", [], path), ("by --workspace", ["--workspace", path], "/")):
            shutil.rmtree(os.path.join(path, b"made"), ignore_errors=True)
            result = world.run(world.argv(["/usr/bin/python3", "-c", SCRIPT], options), cwd=cwd)
            results.equal("%r %s" % (name, how), (result.status, result.out), (0, path + b"\0"), result)
            made = os.path.join(path, b"made/file")
            results.ok("... what it made is there", os.path.exists(made))
    for path in ("/tmp/some/where", "/var/tmp/some/where"):
        world.directory(path)
        result = world.run(world.argv(["/usr/bin/python3", "-c", SCRIPT]), cwd=path)
        results.equal("below " + path.rsplit("/", 2)[0], (result.status, result.text), (0, path + "\0"), result)
        shutil.rmtree(os.path.dirname(path))
    # A relative name, seen from where the caller is.
    path = world.directory("relative/inner")
    result = world.run(world.argv(["pwd", "-P"], ["--workspace", "inner"]), cwd=os.path.dirname(path))
    results.equal("a relative --workspace", result.text, path + "\n", result)
    result = world.run(world.argv(["pwd", "-P"], ["--workspace=" + path]), cwd="/")
    results.equal("--workspace=DIR", result.text, path + "\n", result)


def links(results, world):
    target = world.directory("target")
    link = os.path.join(world.home, "link")
    if not os.path.lexists(link):
        os.symlink("target", link)
    for how, options, cwd in (("as current directory", [], link), ("by --workspace", ["--workspace", link], "/")):
        result = world.sh("pwd -P; echo x > through-the-link", options=options, cwd=cwd)
        results.equal("a link to a directory, " + how, result.text, target + "\n", result)
        results.ok("... what it made is there", os.path.exists(target + "/through-the-link"))
        os.path.exists(target + "/through-the-link") and os.unlink(target + "/through-the-link")


def ownership(results, world):
    """On the disk everything belongs to the owner of the workspace, never to an
    id of the run, and root's run serves directories of others too."""
    owners = [(world.uid, world.gid)]
    if world.user == "root":
        owners.append((private.USER_ID, private.USER_ID))
    for uid, gid in owners:
        path = world.directory("owned-%d" % uid)
        shutil.rmtree(path)
        world.directory("owned-%d" % uid)
        if private.is_root:
            os.chown(path, uid, gid)
        existing = os.path.join(path, "existing")
        with open(existing, "w") as file:
            file.write("old\n")
        os.chmod(existing, 0o600)
        if private.is_root:
            os.chown(existing, uid, gid)
        result = world.sh("set -e; cat existing; echo new >> existing; touch file; mkdir dir; ln -s file link; mkfifo p;"
                          " ln existing hard; mv file moved; chmod 600 existing; ls -ln existing | cut -d' ' -f3",
                          options=["--workspace", path])
        with results.under("owner %d: " % uid):
            results.equal("reads, writes, makes", result.status, 0, result)
            results.equal("sees its own files as its own", result.text.split()[-1:], ["1000"], result)
            for name in sorted(os.listdir(path)):
                info = os.lstat(os.path.join(path, name))
                results.equal("owner of " + name, (info.st_uid, info.st_gid), (uid, gid))
                results.ok("mode of %s" % name, not info.st_mode & (stat.S_ISUID | stat.S_ISGID))


def parents(results, world):
    """A parent that others may not enter is no obstacle to its owner, and is
    not opened by the run."""
    outer = world.directory("closed", 0o700)
    inner = world.directory("closed/inner")
    world.file("closed/secret", "secret", 0o600)
    result = world.sh("cat ../secret; ls ..; touch x; exit 4", options=["--workspace", inner])
    results.ok("inside a directory that only its owner enters", result.status == 4 and "secret" not in result.text and
               os.path.exists(inner + "/x"), result)
    results.equal("... whose mode stays", stat.S_IMODE(os.lstat(outer).st_mode), 0o700)


def refusals(results, world):
    world.file("plain-file", "x")
    no_right = world.directory("read-only", 0o555)
    table = [
        ("does not exist", os.path.join(world.home, "nowhere"), 78, "workspace_invalid"),
        ("is a file", os.path.join(world.home, "plain-file"), 78, "workspace_invalid"),
        ("is /", "/", 77, "never_visible"),
        ("is /home", "/home", 77, "never_visible"),
        ("is the home", world.home, 77, "never_visible"),
        ("is a system directory", "/etc", None, None),
        ("is /usr", "/usr", None, None),
        ("is /proc", "/proc", None, None),
        ("is ~/.ssh", world.directory(".ssh", 0o700), 77, "never_visible"),
        ("lies in ~/.ssh", world.directory(".ssh/inner", 0o700), 77, "never_visible"),
        ("is ~/.config/anet", world.directory(".config/anet", 0o700), 77, "never_visible"),
        ("is ~/.claude", world.directory(".claude", 0o700), 77, "never_visible"),
        ("is empty text", "", None, None),
    ]
    link = os.path.join(world.home, "link-to-ssh")
    if not os.path.lexists(link):
        os.symlink(".ssh", link)
    table.append(("is a link to ~/.ssh", link, 77, "never_visible"))
    # Files of the home that are links into a directory under version control.
    for name in (".netrc", ".claude.json", ".ssh/id_rsa", ".aws/credentials"):
        dotfiles = "dotfiles-" + name.strip(".").replace("/", "-")
        target, link = world.file(dotfiles + "/sub/file", "secret", 0o600), os.path.join(world.home, name)
        world.directory(os.path.dirname(link))
        if not os.path.lexists(link):
            os.symlink(target, link)
        for part in (dotfiles, dotfiles + "/sub"):
            table.append(("contains what ~/%s leads to, %s" % (name, part), os.path.join(world.home, part), 77,
                          "never_visible"))
    if world.user == "user" and private.is_root:
        table.append(("lies in another user's home", "/home/bob", 77, "never_visible"))
        table.append(("is not the caller's and cannot be written", "/var", None, None))
    for name, path, status, reason in table:
        marker = os.path.join(world.workspace, "started")
        result = world.run(world.argv(["sh", "-c", "echo started"], ["--workspace", path]), cwd="/")
        ok = result.status != 0 and "started" not in result.text and "anet: " in result.errors
        if status is not None:
            ok = ok and result.status == status and "[%s]" % reason in result.errors
        results.ok("refused: " + name, ok, result)
        if path:
            # Through a link it is the directory behind it that must not be seen.
            results.contains("... names it", result.errors, os.path.basename(os.path.realpath(path)) or "/")
        assert not os.path.exists(marker)
    if world.user == "user":
        result = world.sh("cat /dev/null; touch x", options=["--workspace", no_right])
        results.ok("a read-only workspace stays so", result.status != 0 and not os.listdir(no_right), result)


def test(results):
    for world in worlds():
        for part in (names, links, ownership, parents, refusals):
            with results.under("as %s: " % world.user):
                part(results, world)


product_test(test)

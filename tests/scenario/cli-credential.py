#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=300
"""anet credential as root: one key of a name, sealed by systemd-creds where that
works, else in a file that only root reads; never seen, never half written, never
through a link, and never beside an older one."""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ANET, Skip, World, private, process, product_test, wait_for  # noqa: E402
from machine import Journal, boot_systemd, config_directory, config_overlays  # noqa: E402

CREDS = "/usr/bin/systemd-creds"
KEY, OTHER = "sk-never-shown-0123456789abcdef", "sk-another-one-9876543210"
CONFIG = config_directory()
PLAIN, SEALED = CONFIG + "/credentials", CONFIG + "/credentials.sealed"
OWN = "/root/.config/anet/credentials"


def credential(world, *words, key=None, **popen):
    return world.run([ANET, "credential", *words], input=None if key is None else key.encode(), **popen)


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def mode(path):
    return "%o" % (os.lstat(path).st_mode & 0o7777)


def clean():
    for path in (PLAIN, SEALED, OWN):
        shutil.rmtree(path, ignore_errors=True)


class FakeCreds:
    """Something else in the place of systemd-creds."""

    def __init__(self, script, executable=True):
        path = os.path.join(private.directory, "systemd-creds")
        with open(path, "w") as file:
            file.write("#!/bin/sh\n" + script)
        os.chmod(path, 0o755 if executable else 0o644)
        private.mount(path, CREDS, flags=private.MS_BIND)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        private.unmount(CREDS)


def plain(results, world):
    clean()
    result = credential(world, "set", "anthropic", key=KEY + "\n")
    results.ok("without systemd it is kept in a file", result.status == 0 and PLAIN + "/anthropic" in result.text and
               "systemd does not run here" in result.text and not result.err, result)
    results.equal("which holds the key alone", read(PLAIN + "/anthropic"), KEY.encode())
    results.equal("modes of file and directory", (mode(PLAIN + "/anthropic"), mode(PLAIN), mode(CONFIG)),
                  ("600", "700", "755"))
    results.lacks("the key is not shown", result.text, KEY)
    before = os.stat(PLAIN + "/anthropic").st_ino
    keep = open(PLAIN + "/anthropic", "rb")
    result = credential(world, "set", "anthropic", key=OTHER)
    results.equal("another replaces it", (result.status, read(PLAIN + "/anthropic")), (0, OTHER.encode()), result)
    results.ok("as a whole: who has the old file open has the old key",
               os.stat(PLAIN + "/anthropic").st_ino != before and keep.read() == KEY.encode())
    keep.close()
    os.umask(0o777)
    result = credential(world, "set", "under_a_umask", key=KEY)
    os.umask(0o022)
    results.equal("a umask changes nothing", (result.status, mode(PLAIN + "/under_a_umask")), (0, "600"), result)
    results.contains("a name that no runtime uses is told", result.text, "No runtime asks")
    result = credential(world, "set", "antropic", key=KEY)
    results.contains("with the nearest that one does", result.text, "did you mean `anthropic`?")


def sealed(results, world):
    clean()
    boot_systemd()
    result = credential(world, "set", "--plain", "anthropic", key=OTHER)
    results.ok("--plain also where systemd runs", result.status == 0 and "as you asked" in result.text and
               read(PLAIN + "/anthropic") == OTHER.encode(), result)
    os.makedirs(OWN)
    with open(OWN + "/anthropic", "w") as file:
        file.write(OTHER)
    result = credential(world, "set", "anthropic", key=KEY)
    if "is sealed in" not in result.text:
        raise Skip("systemd-creds cannot encrypt here: " + result.text)
    path = SEALED + "/anthropic"
    results.ok("where systemd runs it is sealed", result.status == 0 and path in result.text, result)
    results.equal("modes of file and directory", (mode(path), mode(SEALED)), ("600", "700"))
    results.ok("the file does not hold it", read(path) and KEY.encode() not in read(path))
    results.equal("the ones before are gone, root's own too",
                  (read(PLAIN + "/anthropic"), read(OWN + "/anthropic")), (None, None))
    results.ok("which is told", PLAIN + "/anthropic" in result.text and OWN + "/anthropic" in result.text, result)

    def decrypt(name):
        return subprocess.run([CREDS, "decrypt", "--name=" + name, path, "-"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False)

    opened = decrypt("sealed_anthropic")
    results.equal("it opens under the name that systemd gives it", (opened.returncode, opened.stdout), (0, KEY.encode()))
    results.ok("and under no other", decrypt("sealed_other").returncode != 0)
    world.file(".local/bin/claude", "#!/bin/sh\nexit 0\n", 0o755)
    result = world.run([ANET, "run", "--agent", "claude"])
    results.ok("a run in the foreground is told that it is not for it", result.status == 78 and
               "[no_api_key]" in result.errors and path in result.errors and "is sealed" in result.errors and
               "`anet credential set --plain anthropic`" in result.errors, result)
    result = credential(world, "set", "--plain", "anthropic", key=OTHER)
    results.equal("set as a file again the sealed one is gone",
                  (result.status, read(path), read(PLAIN + "/anthropic")), (0, None, OTHER.encode()), result)
    result = credential(world, "set", "--sealed", "anthropic", key=KEY)
    results.ok("--sealed", result.status == 0 and read(path) and read(PLAIN + "/anthropic") is None, result)


def failures(results, world):
    """What systemd-creds may do instead of its work."""
    if not os.path.exists(CREDS):
        raise Skip("systemd-creds is not installed")
    boot_systemd()
    rows = (("fails", "echo 'no key at all' >&2; echo junk; exit 3", "status 3 and said: no key at all"),
            ("says nothing", "exit 0", "printed 0 bytes"),
            ("is killed", "kill -9 $$", "status 137"),
            ("prints without end", "head -c 3000000 /dev/zero | tr '\\0' x", "printed 3000000 bytes"),
            ("does not decrypt", "test $1 = encrypt && echo x || { echo sorry >&2; exit 1; }",
             "`systemd-creds decrypt` ended with status 1 and said: sorry"),
            ("decrypts to something else", "cat; echo x", "does not decrypt to what it was"),
            ("talks bytes", "printf 'a\\033[31mb\\n' >&2; exit 1", "a\\x1b[31mb"))
    for name, script, part in rows:
        clean()
        credential(world, "set", "--plain", "anthropic", key=OTHER)
        with FakeCreds(script):
            result = credential(world, "set", "--sealed", "anthropic", key=KEY)
            results.ok("--sealed when it " + name, result.status == 69 and "[credential_not_sealed]" in result.errors and
                       part in result.errors and not result.out, result)
            results.equal("... changes nothing", (read(PLAIN + "/anthropic"), read(SEALED + "/anthropic")),
                          (OTHER.encode(), None))
            result = credential(world, "set", "anthropic", key=KEY)
            results.ok("and without it a file is the way, with the reason", result.status == 0 and part in result.text and
                       read(PLAIN + "/anthropic") == KEY.encode(), result)
    with FakeCreds("exit 0", executable=False):
        result = credential(world, "set", "anthropic", key=KEY)
        results.ok("one that cannot be executed", result.status == 0 and CREDS + ": Permission denied" in result.text, result)


def unseen(results, world):
    """No argument and no environment of any process has the key."""
    clean()
    boot_systemd()
    place = os.path.join(private.directory, "seen")
    with FakeCreds("test $1 = encrypt || { cat %s.input; exit; }\n"
                   "cat /proc/$PPID/cmdline /proc/$PPID/environ /proc/$$/cmdline /proc/$$/environ >%s.new\n"
                   "cat >%s.input\nmv %s.new %s\nsleep 1\necho sealed" % ((place,) * 5)):
        running = world.start([ANET, "credential", "set", "anthropic"], stdin=subprocess.PIPE,
                              env={"SECRET_OF_THE_CALLER": "1"})
        running.stdin.write(KEY.encode())
        running.stdin.close()
        wait_for(lambda: os.path.exists(place), 10)
        everywhere = [process.name(pid) for pid in process.everything() for part in ("cmdline", "environ", "status")
                      if KEY.encode() in process.read(pid, part)]
        running.wait(10)
        running.stdout.close()
        running.stderr.close()
    seen = read(place) or b""
    results.ok("systemd-creds was asked", b"--name=sealed_anthropic" in seen and b"PATH=" in seen, seen)
    results.equal("no process shows the key", (everywhere, KEY.encode() in seen), ([], False))
    results.equal("it came through the pipe", read(place + ".input"), KEY.encode())
    child = seen[seen.rindex(b"--name=sealed_anthropic"):]
    results.lacks("nothing of the caller's environment reaches it", child, b"SECRET_OF_THE_CALLER")
    results.equal("what it printed is what is kept", read(SEALED + "/anthropic"), b"sealed\n")


def directories(results, world):
    def refused(name, *parts):
        result = credential(world, "set", "--plain", "anthropic", key=KEY)
        results.ok("refused: " + name, result.status == 78 and "[credential_unsafe]" in result.errors and
                   all(part in result.errors for part in parts) and not result.out, result)
        result = credential(world, "list")
        results.ok("... by list as well", result.status == 78 and not result.out, result)

    clean()
    elsewhere = os.path.join(private.directory, "elsewhere")
    os.mkdir(elsewhere, 0o700)
    os.symlink(elsewhere, PLAIN)
    refused("a link in the place of the directory", PLAIN, "symbolic link")
    os.unlink(PLAIN)
    results.equal("nothing was written there", os.listdir(elsewhere), [])
    with open(PLAIN, "w"):
        pass
    refused("a file in its place", PLAIN)
    os.unlink(PLAIN)
    os.mkdir(PLAIN)
    for bits in (0o720, 0o702, 0o777):
        os.chmod(PLAIN, bits)
        refused("a directory of mode %o" % bits, PLAIN, "others can write")
    os.chmod(PLAIN, 0o700)
    os.chown(PLAIN, private.user_id(), 0)
    refused("somebody else's directory", PLAIN)
    os.chown(PLAIN, 0, 0)
    before = os.stat(CONFIG)
    os.chown(CONFIG, private.user_id(), before.st_gid)
    refused("the configuration of somebody else", CONFIG)
    os.chown(CONFIG, before.st_uid, before.st_gid)

    target = os.path.join(private.directory, "target")
    with open(target, "w") as file:
        file.write("as it was")
    os.symlink(target, PLAIN + "/anthropic")
    result = credential(world, "set", "--plain", "anthropic", key=KEY)
    results.equal("a link in the place of the file is replaced, not followed",
                  (result.status, read(target), os.path.islink(PLAIN + "/anthropic")), (0, b"as it was", False), result)
    os.mkdir(PLAIN + "/odd")
    result = credential(world, "set", "--plain", "odd", key=KEY)
    results.ok("a directory in its place is not", result.status == 71 and os.listdir(PLAIN + "/odd") == [] and
               ".odd.new" not in os.listdir(PLAIN), result)


def interrupted(results, world):
    """Killed at any moment: there is the old key or the new one, and the next finds nothing in its way."""
    clean()
    credential(world, "set", "--plain", "anthropic", key=OTHER)
    seen = set()
    for _ in range(60):
        running = world.start([ANET, "credential", "set", "--plain", "anthropic"], stdin=subprocess.PIPE)
        running.stdin.write(KEY.encode())
        running.stdin.close()
        time.sleep(random.random() * 0.01)
        running.kill()
        running.wait()
        running.stdout.close()
        running.stderr.close()
        seen.add(read(PLAIN + "/anthropic"))
        with open(PLAIN + "/anthropic", "w") as file:
            file.write(OTHER)
    results.ok("never half a key", seen <= {KEY.encode(), OTHER.encode()}, seen)
    with open(PLAIN + "/.anthropic.new", "w") as file:
        file.write("left behind")
    result = credential(world, "set", "--plain", "anthropic", key=KEY)
    results.equal("what one has left behind is removed",
                  (result.status, os.listdir(PLAIN), read(PLAIN + "/anthropic")), (0, ["anthropic"], KEY.encode()), result)
    many = [world.start([ANET, "credential", "set", "--plain", "anthropic"], stdin=subprocess.PIPE) for _ in range(8)]
    for number, running in enumerate(many):
        running.stdin.write(b"key-of-number-%d" % number)
        running.stdin.close()
    statuses = [running.wait(20) for running in many]
    for running in many:
        running.stdout.close()
        running.stderr.close()
    results.ok("eight at once: one of them is kept, and nothing else", statuses == [0] * 8 and
               os.listdir(PLAIN) == ["anthropic"] and re.fullmatch(rb"key-of-number-\d", read(PLAIN + "/anthropic")),
               (statuses, os.listdir(PLAIN)))

    private.mount("full", PLAIN, "tmpfs", 0, "size=8k,mode=700")
    with open(PLAIN + "/anthropic", "w") as file:
        file.write(OTHER)
    with open(PLAIN + "/filler", "w") as file:
        file.write("x" * 4096)
    result = credential(world, "set", "--plain", "anthropic", key=KEY)
    results.ok("a full disk: told, and the old key stays", result.status == 71 and "No space left" in result.errors and
               read(PLAIN + "/anthropic") == OTHER.encode() and sorted(os.listdir(PLAIN)) == ["anthropic", "filler"], result)
    private.unmount(PLAIN)


def listing(results, world):
    clean()
    result = credential(world, "list")
    results.ok("an empty list says so", result.status == 0 and "no key in " + PLAIN in result.text, result)
    results.equal("as JSON too", json.loads(credential(world, "list", "--json").text),
                  {"schema": "anet.credentials/1", "credentials": []})
    credential(world, "set", "--plain", "anthropic", key=KEY)
    credential(world, "set", "--plain", "unused", key=KEY)
    for name, bits in (("readable", 0o644), ("we\x1bird", 0o600), (".hidden", 0o600)):
        with open(os.path.join(PLAIN, name), "w") as file:
            file.write(KEY)
        os.chmod(os.path.join(PLAIN, name), bits)
    os.symlink("anthropic", PLAIN + "/link")
    result = credential(world, "list")
    lines = result.text.splitlines()
    results.equal("a line for each, in their order", [line.split()[0] for line in lines[1:]],
                  ["anthropic", "link", "readable", "unused", "we\\x1bird"], result)
    results.equal("columns line up", len({line.index("/") for line in lines[1:]}), 1, result)
    results.ok("what is wrong with one", "claude" in lines[1] and "symbolic link" in lines[2] and
               "gives others access" in lines[3] and "no runtime" in lines[4] and "not the name of a key" in lines[5], result)
    results.lacks("no key", result.text, KEY[:6])
    value = json.loads(credential(world, "list", "--json").text)["credentials"]
    results.ok("as JSON", [(one["name"], one["kind"], one["units"], one["runtimes"], bool(one["problem"])) for one in value] ==
               [("anthropic", "plain", True, ["claude"], False), ("link", "plain", True, [], True),
                ("readable", "plain", True, [], True), ("unused", "plain", True, [], False),
                ("we\\x1bird", "plain", True, [], True)] and
               all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", one["set"]) for one in value), value)

    # Neither contents nor length.
    stamp = time.time() - 1000
    texts = set()
    for key in (KEY, KEY * 10):
        credential(world, "set", "--plain", "anthropic", key=key)
        os.utime(PLAIN + "/anthropic", (stamp, stamp))
        texts.add(credential(world, "list").text + credential(world, "list", "--json").text)
    results.equal("keys of two lengths look the same", len(texts), 1, texts)


def removing(results, world):
    clean()
    credential(world, "set", "--plain", "anthropic", key=KEY)
    for directory in (SEALED, OWN):
        os.makedirs(directory, 0o700, exist_ok=True)
        with open(directory + "/anthropic", "w") as file:
            file.write(OTHER)
    with open(PLAIN + "/.anthropic.new", "w") as file:
        file.write(KEY)
    result = credential(world, "remove", "antropic")
    results.ok("an unknown name, with the nearest", result.status == 78 and "[credential_unknown]" in result.errors and
               "did you mean `anthropic`?" in result.errors and read(PLAIN + "/anthropic") == KEY.encode(), result)
    result = credential(world, "remove", "anthropic")
    results.ok("every kind of it goes, and what was left of a write", result.status == 0 and
               not os.listdir(PLAIN) + os.listdir(SEALED) + os.listdir(OWN) and result.text.count("Removed ") == 3, result)
    result = credential(world, "remove", "anthropic")
    results.equal("then there is none", result.status, 78, result)


def unquoted(results, world):
    """A key that is typed in a wrong place is not repeated, neither here nor in the journal."""
    journal = Journal()
    for words in (["set", "anthropic", KEY], ["set", KEY], ["remove", KEY], [KEY], ["set", "anthropic", KEY, KEY],
                  ["list", KEY]):
        result = credential(world, *words, key=KEY)
        records = journal.records()
        results.ok("refused: " + " ".join("KEY" if word == KEY else word for word in words),
                   result.status == 64 and KEY not in result.errors + result.text and len(records) == 1 and
                   KEY not in str(records), (result, records))
    for key in (KEY + " ", "short", KEY + "\n" + KEY):
        result = credential(world, "set", "anthropic", key=key)
        records = journal.records()
        results.ok("refused: what is no key", result.status == 78 and len(records) == 1 and
                   key.strip() not in str(records) + result.errors, (result, records))
    journal.close()


def test(results):
    if not private.is_root:
        raise Skip("only root keeps keys for units")
    world = World("root")
    for part in (plain, unquoted, directories, interrupted, listing, removing, sealed, failures, unseen):
        with results.under(part.__name__ + ": "):
            part(results, world)


signal.signal(signal.SIGPIPE, signal.SIG_IGN)
product_test(test, overlays=config_overlays() + tuple(path for path in ("/var/lib/systemd",) if os.path.isdir(path)))

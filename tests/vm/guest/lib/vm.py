# SPDX-License-Identifier: LGPL-2.1-or-later
"""The accounts of the machine and what they start."""
import os
import pwd
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "lib"))
from tap import Results, Skip, run_test  # noqa: E402

__all__ = ["ANET", "MIB", "PATIENCE", "Account", "Results", "Skip", "Told", "cgroup_of", "read", "run_test", "scopes",
           "wait_for"]

SHARE = os.environ["SHARE"]
ANET = "/usr/bin/anet"
MIB = 1024 * 1024
# Everything is some 30 times slower in here, and more where others use the processors.
PATIENCE = 120.0


def make_account(name):
    """"with" has a manager of his own, as after a log-in; "without" has none, as for cron."""
    try:
        return pwd.getpwnam(name)
    except KeyError:
        subprocess.run(["useradd", "-m", "-s", "/bin/sh", name], check=True)
    entry = pwd.getpwnam(name)
    if name == "with":
        subprocess.run(["loginctl", "enable-linger", name], check=True, timeout=PATIENCE)
        # His bus starts with the first who asks for it, which takes longer in here than anet waits.
        ask = ["setpriv", "--reuid", name, "--regid", name, "--init-groups", "env",
               "XDG_RUNTIME_DIR=/run/user/%d" % entry.pw_uid, "busctl", "--user", "--no-pager", "list"]
        if not wait_for(lambda: subprocess.run(ask, capture_output=True).returncode == 0):
            raise Skip("the user's bus does not come")
    return entry


class Account:
    """`name`: root, "with" a manager of his own, or "without"."""

    def __init__(self, name):
        entry = make_account(name)
        self.name, self.uid, self.gid, self.home = name, entry.pw_uid, entry.pw_gid, entry.pw_dir
        self.env = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": self.home, "USER": name,
                    "LANG": "C.UTF-8", "SHELL": "/bin/sh"}
        self.workspace = os.path.join(self.home, "work")
        os.makedirs(self.workspace, exist_ok=True)
        os.chown(self.workspace, self.uid, self.gid)
        if name == "with":
            self.env["XDG_RUNTIME_DIR"] = "/run/user/%d" % self.uid

    def start(self, argv, **popen):
        popen.setdefault("stdin", subprocess.DEVNULL)
        popen.setdefault("env", self.env)
        identity = {"user": self.uid, "group": self.gid, "extra_groups": []} if self.uid else {}
        return subprocess.Popen(argv, cwd=self.workspace, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                **identity, **popen)

    def run(self, argv, **popen):
        """(status, stdout, stderr)"""
        process = self.start(argv, **popen)
        try:
            out, err = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            return "timeout", "", ""
        return process.returncode, out, err

    def scope_try(self, session, memory, tasks, action, before=(), **popen):
        """{key: value} of what scope-try.c prints, with its exit status."""
        argv = [*before, os.path.join(SHARE, "scope-try"), session, str(memory), str(tasks), action]
        status, out, err = self.run(argv, **popen)
        facts = dict(line.split(" ", 1) for line in out.splitlines() if " " in line)
        return dict(facts, status=status, text=out + err)

    def config(self, text):
        directory = os.path.join(self.home, ".config", "anet")
        os.makedirs(directory, exist_ok=True)
        path = os.path.join(directory, "config.json")
        with open(path, "w") as file:
            file.write(text)
        for each in (os.path.dirname(directory), directory, path):
            os.chown(each, self.uid, self.gid)

    def anet(self, *command):
        return self.run([ANET, "run", "--", *command])


def read(path):
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


def journal():
    """Everything that is in the system's journal, fields and all."""
    return subprocess.run(["journalctl", "--quiet", "--all", "--output=export"], capture_output=True).stdout.decode(
        "utf-8", "replace")


class Told:
    """`with Told() as told: ...; told.about("code", err)`: whether anet said it
    since then, in the journal or on standard error."""

    def __enter__(self):
        self.length = len(journal())
        return self

    def __exit__(self, *exception):
        return False

    def news(self):
        return journal()[self.length:]

    def about(self, results, name, text, err):
        new = self.news()
        return results.ok(name, text in err or text in new, "no %r in %r or\n%s" % (text, err, new[-3000:]))


def wait_for(condition, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value or time.monotonic() > end:
            return value
        time.sleep(0.1)


def scopes():
    """Directories of the control groups of all runs, of whoever's manager."""
    found = []
    for path, directories, _ in os.walk("/sys/fs/cgroup"):
        found += [os.path.join(path, name) for name in directories
                  if name.startswith("anet-run-") and name.endswith(".scope")]
    return found


def cgroup_of(pid):
    return read("/proc/%d/cgroup" % pid).strip().rpartition("::")[2]

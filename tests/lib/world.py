# SPDX-License-Identifier: LGPL-2.1-or-later
"""Somebody who uses anet: an account with a home, a workspace, an environment."""
import json
import os
import shutil
import signal
import subprocess
import time

import private

ANET = os.path.join(private.PREFIX, "bin", "anet")
HELPERS = os.path.join(private.PREFIX, "libexec", "anet")
HELPER_NAMES = ("anet-session", "anet-init", "anet-gateway", "anet-upstream", "anet-files", "anet-probe")

# Looks like one, opens nothing; long and odd enough to be found wherever it leaks.
KEY = "sk-ant-test-7Qx2vKeyThatMustNeverShowUpInside9Zw4"

# Executes its arguments behind those that are options.
ANY = '#!/bin/sh\nwhile [ "${1#--}" != "$1" ]; do shift; done\nexec "$@"\n'

# Longer than any start of a run takes on a busy machine.
PATIENCE = 30.0


class Result:
    def __init__(self, status, out, err, seconds):
        self.status, self.out, self.err, self.seconds = status, out, err, seconds

    @property
    def text(self):
        return self.out.decode("utf-8", "replace")

    @property
    def errors(self):
        return self.err.decode("utf-8", "replace")

    def __repr__(self):
        return "status %r in %.2f s\nstdout: %s\nstderr: %s" % (
            self.status, self.seconds, shown(self.text), shown(self.errors))


def shown(text):
    """The end of it, without what would make a log unreadable."""
    return "".join(char if char.isprintable() or char in "\n\t" else ascii(char)[1:-1] for char in text[-3000:])


class World:
    """`user`: "root", or "user" for the ordinary account."""

    def __init__(self, user):
        self.user = user
        self.uid = 0 if user == "root" else private.user_id()
        self.gid = 0 if user == "root" else private.group_id()
        self.home = "/root" if user == "root" else "/home/" + private.USER_NAME
        self.workspace = self.directory("work")
        self.env = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": self.home,
                    "USER": "root" if user == "root" else private.USER_NAME, "LANG": "C.UTF-8",
                    "TERM": "xterm", "SHELL": "/bin/sh"}

    # -- files of this account

    def own(self, path):
        if private.is_root:
            os.chown(path, self.uid, self.gid, follow_symlinks=False)
        return path

    def directory(self, name, mode=0o755):
        """Makes a directory of this account; relative names are below its home."""
        path = os.path.join(os.fsencode(self.home), os.fsencode(name))
        path = path if isinstance(name, bytes) else os.fsdecode(path)
        os.makedirs(path, exist_ok=True)
        os.chmod(path, mode)
        return self.own(path)

    def file(self, name, content="", mode=0o644):
        path = os.path.join(self.home, name)
        parent = os.path.dirname(path)
        if not os.path.isdir(parent):
            os.makedirs(parent)
            made = parent
            while made.startswith(self.home + "/"):
                self.own(made)
                made = os.path.dirname(made)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        os.chmod(path, mode)
        return self.own(path)

    def config(self, value):
        return self.file(".config/anet/config.json", json.dumps(value), 0o600)

    def agent(self, name, value):
        return self.file(".config/anet/agents.d/%s.json" % name, json.dumps(value), 0o600)

    def any_claude(self):
        """A `claude` that executes its arguments behind the options that its runtime
        has: `anet run --agent claude -- COMMAND` then runs any command as an agent
        that has a model service."""
        self.file(".local/bin/claude", ANY, 0o755)

    # -- programs of this account

    def start(self, argv, env=None, **popen):
        """Any program, as this account, from the workspace."""
        popen.setdefault("cwd", self.workspace)
        popen.setdefault("stdin", subprocess.DEVNULL)
        popen.setdefault("stdout", subprocess.PIPE)
        popen.setdefault("stderr", subprocess.PIPE)
        return subprocess.Popen(argv, env=dict(self.env, **(env or {})), **self.identity(), **popen)

    def identity(self):
        """Arguments of Popen that make the program this account's."""
        if not private.is_root or self.uid == 0:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def run(self, argv, input=None, timeout=PATIENCE, **popen):
        """The same, to its end."""
        if input is not None:
            popen["stdin"] = subprocess.PIPE
        begin = time.monotonic()
        process = self.start(argv, **popen)
        try:
            out, err = process.communicate(input, timeout=timeout)
        except subprocess.TimeoutExpired:
            # The run must end with its supervisor; whoever still holds the
            # pipes afterwards is a finding that must not hang the test.
            process.send_signal(signal.SIGKILL)
            try:
                out, err = process.communicate(timeout=5)
            except subprocess.TimeoutExpired as late:
                out, err = late.stdout or b"", (late.stderr or b"") + b"\n(its pipes stay open after its end)"
            return Result("timeout", out or b"", err or b"", time.monotonic() - begin)
        return Result(process.returncode, out or b"", err or b"", time.monotonic() - begin)

    def run_json(self, argv, otherwise):
        """The same with --json: its result, and what it printed (`otherwise` if that is no JSON)."""
        result = self.run([*argv, "--json"], timeout=10)
        try:
            return result, json.loads(result.text)
        except ValueError:
            return result, otherwise

    def argv(self, command, options=()):
        return [ANET, "run", *options, "--", *command]

    def anet(self, *command, options=(), **popen):
        """`anet run OPTIONS -- COMMAND`, to its end."""
        return self.run(self.argv(command, options), **popen)

    def sh(self, script, *arguments, options=(), **popen):
        return self.anet("sh", "-c", script, "sh", *arguments, options=options, **popen)

    def python(self, script, *arguments, options=(), **popen):
        return self.anet("/usr/bin/python3", "-c", script, *arguments, options=options, **popen)

    def begin(self, *command, options=(), **popen):
        """`anet run` in the background."""
        return self.start(self.argv(command, options), **popen)

    # -- with a model service (any_claude() first)

    def agent_python(self, script, *arguments, env=None, **popen):
        return self.run(self.agent_argv("/usr/bin/python3", "-c", script, *arguments), env=with_key(env), **popen)

    def begin_agent(self, *command, env=None, **popen):
        return self.start(self.agent_argv(*command), env=with_key(env), **popen)

    def agent_argv(self, *command):
        return self.argv(command, ["--agent", "claude"])


def with_key(env):
    return dict({"ANTHROPIC_API_KEY": KEY}, **(env or {}))


def worlds():
    """One world for each account that this machine lets a test be."""
    return [World("root"), World("user")] if private.is_root else [World("user")]


def require_product():
    if not os.access(ANET, os.X_OK):
        from tap import Skip
        raise Skip("%s is not installed (set ANET_PREFIX)" % ANET)


def wait_for(condition, seconds=PATIENCE, step=0.02):
    """Polls until condition() is true; returns its last value."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value or time.monotonic() > end:
            return value
        time.sleep(step)


def has(program):
    return shutil.which(program) is not None

# SPDX-License-Identifier: LGPL-2.1-or-later
"""A machine on which the first and the last step of a session's unit can be run
by hand, without systemd: its own /run, /var/cache, /var/lib, accounts and
configuration; and a socket where systemd would listen, one where the journal would."""
import json
import os
import socket
import struct
import subprocess
import time

import private
import records
from tap import Skip
from world import ANET, ANY, HELPERS, Result

RUN, SESSIONS, OUTCOMES, UIDS = "/run/anet", "/run/anet/sessions", "/run/anet/outcomes", "/run/anet/uids"
WORK, HOMES = "/var/cache/anet/work-sandbox", "/var/lib/anet/homes"
HOST_WORK = "/var/cache/anet/work"
ACCOUNT_ID, HOST_ACCOUNT_ID = 990, 989
FIRST_UID = 1879048192


def config_directory():
    """Where the installed product has its configuration, as it says itself."""
    try:
        text = subprocess.run([ANET, "run", "--help"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return "/etc/anet"
    return text.split("Files:\n", 1)[1].split("/config.json", 1)[0].strip()


CONFIG = config_directory()


def overlays():
    """What a test of these programs writes to: product_test(test, overlays=overlays())."""
    place = CONFIG
    while not os.path.isdir(place):
        place = os.path.dirname(place)
    return [place]


class Machine:
    def __init__(self, run_options="mode=0755"):
        if not private.is_root:
            raise Skip("only root prepares sessions of units")
        for place, options in (("/run", run_options), ("/var/cache", "mode=0755"), ("/var/lib", "mode=0755")):
            private.mount("tmpfs", place, "tmpfs", 0, options)
        self.bin = os.path.join(private.directory, "bin")
        os.mkdir(self.bin)
        self.env = {"PATH": self.bin + ":/usr/bin:/bin", "HOME": "/root"}
        self.accounts(anet=True)
        if os.path.exists("/etc/subuid"):
            self.ranges("root:100000:65536\n")
        os.makedirs(CONFIG, exist_ok=True)
        private.empty(CONFIG)
        self.agent("demo", runtime="command", arguments=["sh", "-c", "true"])
        self.strategies()
        self.notify_socket = self.listen(os.path.join(private.directory, "notify"))
        os.makedirs("/run/systemd/journal", exist_ok=True)
        self.journal_socket = self.listen("/run/systemd/journal/socket")

    # -- what is there

    def accounts(self, anet, host=HOST_ACCOUNT_ID):
        """`host`: the uid of the account for sessions without a boundary; None: there is none."""
        own = [("anet", ACCOUNT_ID)] if anet else []
        own += [("anet-host", host)] if host is not None else []
        for name, line in (("passwd", "%s:x:%d:%d::/var/lib/anet-host:/usr/sbin/nologin\n"), ("group", "%s:x:%d:\n")):
            with open("/etc/" + name) as file:
                lines = [line for line in file if not line.startswith(("anet:", "anet-host:"))]
            ours = os.path.join(private.directory, name + "-of-units")
            with open(ours, "w") as file:
                file.writelines(lines + [line % ((account,) + (number,) * line.count("%d")) for account, number in own])
            private.mount(ours, "/etc/" + name, flags=private.MS_BIND)

    def ranges(self, line):
        for name in ("subuid", "subgid"):
            if not os.path.exists("/etc/" + name):
                raise Skip("there is no /etc/%s to put another in its place" % name)
            ours = os.path.join(private.directory, name)
            with open(ours, "w") as file:
                file.write(line)
            private.mount(ours, "/etc/" + name, flags=private.MS_BIND)

    def config(self, name, value):
        path = os.path.join(CONFIG, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            json.dump(value, file)
        return path

    def agent(self, name, **value):
        return self.config("agents.d/%s.json" % name, value)

    def model_agent(self, name="coder"):
        """One that has a model service, and a program that is there."""
        path = os.path.join(self.bin, "claude")
        with open(path, "w") as file:
            file.write(ANY)
        os.chmod(path, 0o755)
        return self.agent(name, runtime="claude")

    def key(self, name="anthropic", directory="credentials", mode=0o600, text="sk-test-of-a-unit"):
        path = os.path.join(CONFIG, directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.chmod(os.path.dirname(path), 0o700)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def strategies(self, **srt):
        """The table of the boot probe."""
        rows = [dict(strategy=name, offered=True, available=name != "microsandbox", code="", reason="", boundary="x")
                for name in ("host", "srt", "microsandbox")]
        rows[2].update(code="platform_unsupported", reason="not part of this build")
        rows[1].update(srt)
        os.makedirs(RUN, exist_ok=True)
        path = RUN + "/strategies.json"
        with open(path, "w") as file:
            json.dump({"at": int(time.time()), "identity": "x", "strategies": rows}, file)
        os.chmod(path, 0o644)
        return path

    # -- the programs

    @staticmethod
    def listen(path):
        if os.path.exists(path):
            os.unlink(path)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        listener.bind(path)
        listener.setblocking(False)
        return listener

    @staticmethod
    def drain(listener):
        got = []
        while True:
            try:
                got.append(listener.recv(65536).decode("utf-8", "replace"))
            except BlockingIOError:
                return got

    def begin(self, program, instance, before=None, **env):
        """`before` is called in the new process."""
        env = dict(self.env, NOTIFY_SOCKET=self.notify_socket.getsockname(), **env)
        words = instance if isinstance(instance, list) else [instance]
        return subprocess.Popen([os.path.join(HELPERS, program), *words], env=env, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=before)

    def run(self, program, instance, **env):
        """The Result, with .status_text (STATUS=, "" if none) and .journal (a dict for each record)."""
        self.drain(self.notify_socket)
        self.drain(self.journal_socket)
        begin = time.monotonic()
        process = self.begin(program, instance, **env)
        out, err = process.communicate(timeout=30)
        result = Result(process.returncode, out, err, time.monotonic() - begin)
        result.status_text = "".join(text[len("STATUS="):] for text in self.drain(self.notify_socket)
                                     if text.startswith("STATUS="))
        result.journal = [dict(line.split("=", 1) for line in text.splitlines())
                          for text in self.drain(self.journal_socket)]
        return result

    def prepare(self, instance, **env):
        return self.run("anet-prepare", instance, **env)

    def outcome(self, instance, result="success", code="exited", status="0", **env):
        env["SERVICE_RESULT"] = result
        if code:
            env.update(EXIT_CODE=code, EXIT_STATUS=status)
        return self.run("anet-outcome", instance, **env)

    # -- what they made

    @staticmethod
    def policy(session):
        with open("%s/%s/policy" % (SESSIONS, session), "rb") as file:
            return records.POLICY.unpack(file.read())

    @staticmethod
    def recorded(session):
        """The outcome, or None."""
        try:
            with open("%s/%s" % (OUTCOMES, session), "rb") as file:
                return records.SESSION_STATE.unpack(file.read())
        except FileNotFoundError:
            return None

    @staticmethod
    def say(session, **values):
        """What its supervisor would write, by that uid."""
        live = "%s/%s/live" % (SESSIONS, session)
        path = live + "/state"
        with open(path, "wb") as file:
            file.write(records.session_state(**values))
        os.chown(path, os.stat(live).st_uid, -1)

    @staticmethod
    def reserved():
        """{session: uid} of the pairs in use."""
        pairs = {}
        for name in os.listdir(UIDS) if os.path.isdir(UIDS) else ():
            with open(os.path.join(UIDS, name)) as file:
                session = file.read()
            if session:
                pairs[session] = int(name)
        return pairs

    @staticmethod
    def sessions():
        return sorted(os.listdir(SESSIONS)) if os.path.isdir(SESSIONS) else []


def look(path):
    """(type and mode, uid, gid), no link followed."""
    info = os.lstat(path)
    return oct(info.st_mode), info.st_uid, info.st_gid


def run_record(session):
    """The run record (os/run-record.c) as a dict."""
    with open("%s/%s/run" % (SESSIONS, session), "rb") as file:
        data = file.read()
    _, _, n_argv, n_env, n_mounts, n_files, _, workspace_flags = struct.unpack_from("8I", data)
    flags = struct.unpack_from("%dI" % n_mounts, data, 32)
    strings = [text.decode() for text in data[32 + 4 * n_mounts:].split(b"\0")[:-1]]
    mounts = strings[1 + n_argv + n_env:]
    files = mounts[2 * n_mounts:]
    return {"workspace": strings[0], "workspace_flags": workspace_flags, "argv": strings[1:1 + n_argv],
            "env": strings[1 + n_argv:1 + n_argv + n_env],
            "mounts": [(mounts[2 * i], mounts[2 * i + 1], flags[i]) for i in range(n_mounts)],
            "files": {files[2 * i]: files[2 * i + 1] for i in range(n_files)}}

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Root's part of the machine, in a test's own view of it: the configuration, what
systemd leaves in /run, a journal that listens."""
import os
import re
import socket
import subprocess

import private
import records
from world import ANET

STARTING, RUNNING, ENDING, ENDED = 1, 2, 3, 4
LIMITS_FULL, AGENT_EXITED = 1, 2

JOURNAL = "/run/systemd/journal/socket"


def config_directory():
    """Where this build has its configuration, as `anet credential --help` tells."""
    text = subprocess.run([ANET, "credential", "--help"], stdout=subprocess.PIPE, check=False, text=True).stdout
    found = re.search(r"^  (/\S*)/credentials\.sealed/,", text, re.MULTILINE)
    return found.group(1) if found else "/etc/anet"


def existing_parent(path):
    while not os.path.isdir(path):
        path = os.path.dirname(path)
    return path


def config_overlays():
    """For private.enter(): what root writes into the configuration goes with the test."""
    return (existing_parent(config_directory()),)


def boot_systemd():
    """As sd_booted(3) looks for it."""
    os.makedirs("/run/systemd/system", exist_ok=True)


def anet_directory():
    """An empty /run/anet on a tmpfs, as the machine has it."""
    os.makedirs("/run/anet", exist_ok=True)
    private.mount("run", "/run/anet", "tmpfs", private.MS_NOSUID | private.MS_NODEV, "mode=755")


class Journal:
    """Takes in what programs send to the journal."""

    def __init__(self):
        os.makedirs(os.path.dirname(JOURNAL), exist_ok=True)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        self.socket.bind(JOURNAL)
        os.chmod(JOURNAL, 0o666)

    def records(self):
        """Those since the last call, as dictionaries."""
        found = []
        while True:
            try:
                data = self.socket.recv(1 << 16)
            except BlockingIOError:
                return found
            found.append(dict(line.split("=", 1) for line in data.decode().splitlines()))

    def close(self):
        self.socket.close()
        os.unlink(JOURNAL)


class Session:
    """What root and a supervisor leave of one in /run/anet (src/os/session-dir.h)."""

    def __init__(self, name, instance=None, uids=(0, 0), cgroup="/."):
        self.directory = "/run/anet/sessions/" + name
        os.makedirs(self.directory + "/live", exist_ok=True)
        if uids[0]:
            os.chown(self.directory + "/live", *uids)
        agent = name.split("-")[0]
        self.write("policy", records.policy(session=name.encode(), agent=agent.encode(), runtime=b"command",
                                            supervisor_uid=uids[0], run_uid=uids[1]))
        self.write("unit", ("anet-session@%s\n%s\n" % (instance or name, cgroup)).encode())

    def write(self, name, data, mode=0o444):
        path = os.path.join(self.directory, name)
        if os.path.lexists(path):
            os.unlink(path)
        with open(path, "wb") as file:
            file.write(data)
        os.chmod(path, mode)
        return path

    def state(self, **fields):
        return self.write("live/state", state(**fields), 0o644)


def state(**fields):
    """The bytes of a struct session_state."""
    return records.session_state(**fields)


def outcome(name, **fields):
    os.makedirs("/run/anet/outcomes", exist_ok=True)
    with open("/run/anet/outcomes/" + name, "wb") as file:
        file.write(state(**dict({"stage": ENDED}, **fields)))

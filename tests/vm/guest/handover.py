#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: suite=trixie timeout=600
"""Who else may come to the sockets of the helpers: root's other processes,
members of the group, a run's uid, the supervisor of another session.  Each has
all that a supervisor has, and is refused, told of, and gets nothing; the same
steps as the session's own supervisor are served (the control).  A flood of
connections leaves the sockets as they were."""
import grp
import json
import os
import socket
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from echo import Echo  # noqa: E402
from service import prepare_machine  # noqa: E402
from units import (GATEWAY_SOCKET, UPSTREAM_SOCKET, Session, agent, cursor, journal, of_sessions,  # noqa: E402
                   properties, run, systemctl, uid_of, wait_nothing_left, words)
from vm import run_test, wait_for  # noqa: E402
import records  # noqa: E402
from ledger import Ledger, memfd  # noqa: E402

WAITING = r"""
import http.client, json, os, time
def ask(text):
    c = http.client.HTTPConnection("127.0.0.1", 8118, timeout=100)
    c.request("POST", "/v1/messages", json.dumps({"model": "m", "max_tokens": 10, "messages": [
              {"role": "user", "content": text}]}), {"content-type": "application/json"})
    return json.loads(c.getresponse().read())["content"][0]["text"]
print("before:", ask("before"), flush=True)
while not os.path.exists("go"):
    time.sleep(1)
print("after:", ask("after"), flush=True)
time.sleep(1000)
"""
BODY = b'{"model":"m","max_tokens":10,"messages":[{"role":"user","content":"%s"}]}'
FLOOD = 260


class Pretender:
    """A process of that uid, with the group, that does all that a supervisor does
    with its helpers.  What it saw comes back as a dictionary."""

    def __init__(self, uid, policy, text, group="anet-helpers"):
        self.uid, self.policy, self.text = uid, policy, text
        self.groups = [grp.getgrnam(group).gr_gid] if group else []

    def act(self):
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reader)
            try:
                seen = self._act()
            except OSError as error:
                seen = {"error": error.strerror or str(error)}
            except BaseException as error:
                seen = {"broken": repr(error)}
            os.write(writer, json.dumps(seen).encode())
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            text = pipe.read()
        os.waitpid(pid, 0)
        return json.loads(text or "{}")

    def _act(self):
        if self.uid:
            os.setgroups(self.groups)
            os.setresgid(self.uid, self.uid, self.uid)
            os.setresuid(self.uid, self.uid, self.uid)
        ledger = Ledger()
        readonly = ledger.read_only()
        pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with socket.create_server(("127.0.0.1", 0)) as server:
            mine = socket.create_connection(server.getsockname())
            theirs, _ = server.accept()
        body = BODY % self.text.encode()
        mine.sendall(b"POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
                     b"content-length: %d\r\nconnection: close\r\n\r\n%s" % (len(body), body))
        seen, sockets = {}, {}
        for name, path, kind, fds in (
                ("gateway", GATEWAY_SOCKET, records.GATEWAY, (self.policy, readonly, pair[0].fileno())),
                ("upstream", UPSTREAM_SOCKET, records.UPSTREAM, (self.policy, ledger.fd, pair[1].fileno()))):
            helper = sockets[name] = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            helper.settimeout(60)
            helper.connect(path)
            records.send(helper, records.handover(kind, records.PREPARE, 3), fds)
            try:
                records.send(helper, records.handover(kind, records.CONNECTION, 1, connection=1), [theirs.fileno()])
            except OSError:
                pass  # it has refused the preparation already
        for end in pair:
            end.close()
        theirs.close()
        for name, helper in sockets.items():
            seen[name], seen[name + " sent"] = self._outcome(helper)
        mine.settimeout(5)
        try:
            seen["answer"] = mine.recv(65536).decode("latin-1")
        except OSError:
            seen["answer"] = ""
        return seen

    @staticmethod
    def _outcome(helper):
        """(code of its last report or "", number of descriptors that it sent)."""
        code, sent = "", 0
        while True:
            try:
                data, fds = records.receive(helper, records.REPORT.layout.size)
            except OSError:
                return code or "timeout", sent
            sent += len(fds)
            if not data:
                return code, sent
            code = records.REASONS[records.REPORT.unpack(data)["reason"]]


def forged(session, uid):
    """A policy as the session's, but for this uid and another service."""
    with open(os.path.join(session.directory, "policy"), "rb") as file:
        fields = records.POLICY.unpack(file.read())
    fields.update(supervisor_uid=uid, host=b"127.0.0.1", port=9100)
    return records.POLICY.pack(**fields)


def made_by(uid, data):
    """A sealed memfd with it that a process of that uid made."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        records.send(theirs, b"x", [memfd(data)])
        os._exit(0)
    _, fds = records.receive(ours, 1)
    os.waitpid(pid, 0)
    return fds[0]


def told(since):
    return [record for record in journal(since=since) if record.get("ANET_REASON") == "peer_refused"]


def intruders(results, service, session, other):
    policy = os.open(os.path.join(session.directory, "policy"), os.O_RDONLY)
    supervisor = uid_of(session.main_pid())
    of_run = next(uid for uid, name in of_sessions().values() if uid != supervisor and name != "anet-session"
                  and any(uid_of(pid) == uid for pid in session.processes()))
    run("useradd", "--system", "--groups", "anet-helpers", "spy")
    spy = int(run("id", "-u", "spy")[1])
    control = Pretender(supervisor, policy, "control").act()
    results.ok("control: the session's own supervisor is served", "HTTP/1.1 200" in control.get("answer", "")
               and "control" in control["answer"], control)
    for name, uid, record in (
            ("another process of root", 0, policy), ("a member of the group", spy, policy),
            ("the run's uid", of_run, policy), ("the supervisor of another session", uid_of(other.main_pid()), policy),
            ("a member of the group with a policy of its own", spy, made_by(spy, forged(session, spy))),
            ("the run's uid with a policy of its own", of_run, made_by(of_run, forged(session, of_run)))):
        with results.under(name + ": "):
            since = cursor()
            seen = Pretender(uid, record, name).act()
            results.ok("no answer", seen.get("answer") == "" and "broken" not in seen and "error" not in seen, seen)
            results.ok("both helpers refuse", {seen.get("gateway"), seen.get("upstream")} <= {"peer_refused"}, seen)
            results.equal("no descriptor comes back", (seen.get("gateway sent"), seen.get("upstream sent")), (0, 0))
            results.lacks("the service was not asked", " ".join(service.asked), name)
            found = wait_for(lambda: len(told(since)) >= 2 and told(since), 20) or told(since)
            results.equal("both have told it", sorted({record.get("ANET_HELPER") for record in found}),
                          ["anet-gateway", "anet-upstream"], [words(record) for record in journal(since=since)])
    seen = Pretender(spy, policy, "nogroup", group=None).act()
    results.equal("without the group: no connection at all", seen, {"error": "Permission denied"})
    info = os.stat(GATEWAY_SOCKET), os.stat(UPSTREAM_SOCKET)
    results.equal("the sockets are root's and the group's", {(i.st_uid, grp.getgrgid(i.st_gid).gr_name, i.st_mode & 0o777)
                                                            for i in info}, {(0, "anet-helpers", 0o660)})
    os.close(policy)


def gateways():
    """The units that there are of it (a session has one ahead), or what is none of them when nobody could say."""
    status, text = systemctl("list-units", "--no-legend", "--plain", "anet-gateway@*", timeout=300)
    return {line.split()[0] for line in text.splitlines()} if status == 0 else {"unknown"}


def flood(results):
    """More at once than systemd's own bounds for such a socket: 200 starts in 2 s, 64 connections.  Of the socket,
    not of the helpers: so many of those would take an hour in here, and another program takes their place."""
    place = "/run/systemd/system/anet-gateway@.service"
    with open(place, "w") as file:
        file.write("[Unit]\nCollectMode=inactive-or-failed\n[Service]\nExecStart=/bin/true\nStandardInput=null\n")
    systemctl("daemon-reload")
    before = gateways()
    begin = time.monotonic()
    opened = 0
    for _ in range(FLOOD):
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        s.settimeout(10)
        try:
            s.connect(GATEWAY_SOCKET)
            opened += 1
        except OSError:
            pass
        s.close()
    results.equal("connections are made", opened, FLOOD)
    results.note("%d connections within %.1f s" % (FLOOD, time.monotonic() - begin))
    results.ok("all of it is over some time", wait_for(lambda: gateways() <= before, 300), gateways())
    results.note("after %.0f s" % (time.monotonic() - begin))
    results.equal("the socket goes on listening", properties("anet-gateway.socket", "ActiveState", "SubState", "Result"),
                  {"ActiveState": "active", "SubState": "listening", "Result": "success"})
    os.unlink(place)
    systemctl("daemon-reload")


def test(results):
    prepare_machine()
    with Echo() as service:
        agent("demo", "/usr/bin/python3", "-c", WAITING, runtime="echo")
        session, other = Session("demo-victim"), Session("demo-other")
        for each in (session, other):
            if not each.starts(results, "%s starts" % each.id):
                return
        results.ok("it works", session.wait_said("before: before"), session.journalctl())
        intruders(results, service, session, other)
        other.stop()
        with results.under("flood: "):
            flood(results)
        with open(os.path.join(session.workspace, "go"), "w"):
            pass
        results.ok("the session works as before", session.wait_said("after: after", 150), session.journalctl("-n", "30"))
        session.stop()
    results.equal("nothing is left", wait_nothing_left(session), "")


run_test(test)

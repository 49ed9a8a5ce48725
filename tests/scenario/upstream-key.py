#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""anet-upstream: the agent never gets the operator's key or what the service says
about it."""
import os
import sys
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import private
from tls_stub import Service
from upstream import KEY, Upstream, upstream_test

LENGTH_HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"
CHUNKED_HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


class Script:
    """Says the pieces one after the other, each in a write of its own."""

    def __call__(self, peer):
        while True:
            peer.request()
            for number, piece in enumerate(self.pieces):
                if number:
                    time.sleep(0.002)
                peer.send(piece)


def ended(results, name, upstream, answer, done):
    results.equal(name, done["code"], "upstream_key_echo", done)
    results.ok(name + ": the agent's answer is not whole", not (answer and answer.whole), answer)
    leaked = max((length for length in range(len(KEY) + 1) if KEY[:length] in upstream.agent.raw), default=0)
    # "s" may be a letter of something else.
    results.ok(name + ": not even a part of it", leaked <= 1, "%d bytes: %r" % (leaked, upstream.agent.raw))


def plain_echo(results, script):
    body = b"Your key was " + KEY + b", was it not?"
    for name, pieces in (
            ("in a body of known length", [LENGTH_HEAD % len(body) + body]),
            ("in a chunk", [CHUNKED_HEAD + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)]),
            ("in two chunks", [CHUNKED_HEAD + b"14\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n" % (body[:20], len(body) - 20, body[20:])]),
            ("in a header field", [b"HTTP/1.1 200 OK\r\nRequest-Id: x-%s-x\r\nContent-Length: 2\r\n\r\n{}" % KEY]),
            ("at the very end", [LENGTH_HEAD % len(KEY) + KEY]),
            ("in an error", [b"HTTP/1.1 400 Bad Request\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)])):
        script.pieces = pieces
        with Upstream() as upstream:
            answer, done = upstream.exchange()
            ended(results, name, upstream, answer, done)
            upstream.finish()
            results.equal(name + ": an event", [event["code"] for event in upstream.events], ["upstream_key_echo"])


def split_echo(results, script):
    """At every boundary of the key, and byte by byte."""
    bad = []
    for at in range(1, len(KEY)):
        script.pieces = [CHUNKED_HEAD + b"3\r\nabc\r\n", b"%x\r\n%s\r\n" % (at, KEY[:at]),
                         b"%x\r\n%s\r\n0\r\n\r\n" % (len(KEY) - at, KEY[at:])]
        with Upstream() as upstream:
            answer, done = upstream.exchange()
            if done["code"] != "upstream_key_echo" or answer.body != b"abc" or answer.whole:
                bad.append((at, done, answer))
    results.equal("split at every place: nothing but what stood before it", bad, [])
    script.pieces = [CHUNKED_HEAD] + [b"1\r\n%c\r\n" % byte for byte in b"abc" + KEY] + [b"0\r\n\r\n"]
    with Upstream() as upstream:
        answer, done = upstream.exchange()
        results.equal("byte by byte", (answer.body, done["code"], done["response_bytes"]), (b"abc", "upstream_key_echo", 3))


def no_echo(results, script):
    """What only begins like the key goes through, at once where it can."""
    body = KEY[:-1] + b"-" + KEY[:20] * 3 + KEY[:-1]
    script.pieces = [LENGTH_HEAD % len(body)] + [bytes([byte]) for byte in body]
    with Upstream() as upstream:
        answer, done = upstream.exchange()
        results.equal("the beginning of the key is no secret", (answer.body, answer.whole, done["code"]), (body, True, "ok"))
    body = b"Set x-api-key to sk-ant-..."
    script.pieces = [CHUNKED_HEAD + b"%x\r\n%s\r\n" % (len(body), body), b"0\r\n\r\n"]
    with Upstream() as upstream:
        answer, done = upstream.exchange()
        results.equal("a hint at keys", [data for _, data in answer.pieces], [body])


def credential_answers(results, script):
    for status in (401, 403):
        body = b'{"error":"invalid x-api-key: sk-ant-...9Zw4"}'
        script.pieces = [b"HTTP/1.1 %d No\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body), body)]
        with Upstream() as upstream:
            upstream.request()
            done = upstream.done()
            results.equal("%d is the gateway's to answer" % status, (done["code"], done["http_status"], done["flags"]),
                          ("upstream_credential", status, 0))
            results.ok("%d: the agent gets nothing of it" % status, upstream.agent.got_nothing())
            script.pieces = [LENGTH_HEAD % 2 + b"ok"]
            results.equal("%d: the agent's connection goes on" % status, upstream.exchange()[0].body, b"ok")
            upstream.finish()
            results.equal("%d: an event" % status, [event["code"] for event in upstream.events], ["upstream_credential"])


def sources(results, script):
    script.pieces = [LENGTH_HEAD % 2 + b"ok"]
    directory = os.path.join(os.environ["ANET_TEST_DIR"] if "ANET_TEST_DIR" in os.environ else "/var/tmp", "credentials")
    os.makedirs(directory)
    path = os.path.join(directory, "key_model")
    with open(path, "wb") as file:
        file.write(KEY + b"\n")
    with open(os.path.join(directory, "sealed_both"), "wb") as file:
        file.write(KEY + b"\n")
    with open(os.path.join(directory, "key_both"), "wb") as file:
        file.write(b"another key, older than the sealed one\n")
    os.symlink("key_model", os.path.join(directory, "key_link"))
    os.mkfifo(os.path.join(directory, "key_fifo"))

    def outcome(environment, **policy):
        with Upstream(key=None, environment=environment, **policy) as upstream:
            if upstream.reports_at_once():
                return upstream.outcome["code"]
            return upstream.exchange()[1]["code"]

    place = {"CREDENTIALS_DIRECTORY": directory}
    results.equal("a credential of systemd", outcome(place, credential=b"model"), "ok")
    results.equal("the sealed one of two", outcome(place, credential=b"both"), "ok")
    results.equal("a credential that is not there", outcome(place, credential=b"other"), "no_api_key")
    results.equal("no directory of credentials", outcome({}, credential=b"model"), "no_api_key")
    results.equal("a symbolic link", outcome(place, credential=b"link"), "no_api_key")
    results.equal("a FIFO", outcome(place, credential=b"fifo"), "credential_unsafe")
    results.equal("a path", outcome(place, credential=b"../credentials/model"), "policy_invalid")
    results.equal("no name", outcome(place, credential=b""), "policy_invalid")


def forms(results, script):
    script.pieces = [LENGTH_HEAD % 2 + b"ok"]
    for name, key, wanted in (
            ("with a line's end", KEY + b"\n", "ok"), ("with CR LF", KEY + b"\r\n", "ok"),
            ("empty", b"", "no_api_key"), ("an empty line", b"\n", "no_api_key"),
            ("two lines", KEY + b"\nx\n", "credential_unsafe"), ("a space", b"key with space", "credential_unsafe"),
            ("a quote", b'key"with"quote', "credential_unsafe"), ("not ASCII", "schlüssel".encode(), "credential_unsafe"),
            ("7 bytes", b"1234567", "credential_unsafe"), ("8 bytes", b"12345678", "ok"),
            ("512 bytes", b"k" * 512, "ok"), ("513 bytes", b"k" * 513, "credential_unsafe"),
            ("1 MiB", b"k" * (1 << 20), "credential_unsafe")):
        with Upstream(key=key) as upstream:
            code = upstream.outcome["code"] if upstream.reports_at_once() else upstream.exchange()[1]["code"]
            results.equal("a key: " + name, code, wanted)
            if upstream.outcome:
                results.lacks("a key: " + name + ": not in the report", upstream.outcome["detail"], key.strip() or b"\0")
    reader, writer = os.pipe()
    with Upstream(connected=False) as upstream:
        upstream.prepare(key_fd=reader)
        results.equal("a pipe", upstream.reports().outcome["code"], "credential_unsafe")
    os.close(writer)


def count_in_memory(pid):
    found = 0
    with open("/proc/%d/maps" % pid) as maps, open("/proc/%d/mem" % pid, "rb", 0) as memory_file:
        for line in maps:
            begin, end = (int(part, 16) for part in line.split()[0].split("-"))
            if line.split()[1].startswith("rw"):
                memory_file.seek(begin)
                found += memory_file.read(end - begin).count(KEY)
    return found


def memory(results, script):
    """Nothing of the key is where a child or a core dump would find it."""
    script.pieces = [LENGTH_HEAD % 2 + b"ok"]
    with Upstream() as upstream:
        upstream.exchange()
        with open("/proc/%d/smaps" % upstream.pid) as file:
            flags = [line.split()[1:] for line in file if line.startswith("VmFlags")]
        results.ok("its memory is kept out of dumps and children", any({"dd", "wf"} <= set(each) for each in flags), flags)
        try:
            results.equal("it is in memory once after a request", count_in_memory(upstream.pid), 1)
        except PermissionError as error:
            results.ok("nobody but root may read its memory", not private.is_root, error)


def test(results):
    script = Script()
    with Service(script):
        plain_echo(results, script)
        split_echo(results, script)
        no_echo(results, script)
        credential_answers(results, script)
        sources(results, script)
        forms(results, script)
        memory(results, script)


upstream_test(test)

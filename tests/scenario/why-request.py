#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: alone timeout=300
"""What `anet why --request` and `--host` say is what happens to a run: the same
requests are sent by one, through the real gateway to a double of the service."""
import glob
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ANET, Model, private, product_test, worlds  # noqa: E402

CORPUS = os.path.join(private.TREE, "tests", "fuzz", "corpus")

# In the run: sends each request on a connection of its own, says what comes back.
SENDER = r"""
import base64, json, re, socket, sys
answers = []
for data in json.load(open(sys.argv[1])):
    s = socket.create_connection(("127.0.0.1", 8118), timeout=20)
    received = b""
    try:
        s.sendall(base64.b64decode(data))
    except OSError:
        pass
    # A request that is not whole gets no answer for a long time.
    s.settimeout(3)
    try:
        while b"\r\n\r\n" not in received:
            piece = s.recv(65536)
            if not piece:
                break
            received += piece
            if received.startswith(b"HTTP/1.1 100"):
                received = received.partition(b"\r\n\r\n")[2]
    except OSError:
        pass
    s.close()
    status = re.match(rb"HTTP/1.1 (\d+)", received)
    reason = re.search(rb"\r\nanet-reason: (\w+)", received.split(b"\r\n\r\n")[0])
    answers.append([int(status.group(1)) if status else 0, reason.group(1).decode() if reason else None])
print(json.dumps(answers))
"""

HOSTS_INSIDE = r"""
import json, socket, sys
answers = []
for name in json.loads(sys.argv[1]):
    try:
        socket.create_connection((name, 443), timeout=3).close()
        answers.append(True)
    except (OSError, UnicodeError):
        answers.append(False)
print(json.dumps(answers))
"""

MESSAGES = [{"role": "user", "content": "hi"}]


def body(**members):
    return dict({"model": "sonnet", "max_tokens": 100, "messages": MESSAGES}, **members)


def image(source):
    return body(messages=[{"role": "user", "content": [{"type": "image", "source": source}]}])


BODIES = [
    body(), body(model="x", max_tokens=128000), body(stream=True), body(temperature=1), body(metadata={"user_id": "u"}),
    body(system="s"), body(max_tokens=1), body(stop_sequences=["a"]), body(top_p=0.5),
    body(tools=[{"name": "t", "input_schema": {"type": "object"}}]),
    body(thinking={"type": "enabled", "budget_tokens": 50000}), body(thinking={"type": "disabled"}),
    body(context_management={"edits": []}), body(service_tier="auto"), body(output_config={"effort": "high"}),
    image({"type": "base64", "media_type": "image/png", "data": "AAAA"}),
    # refused
    body(mcp_servers=[{"type": "url", "url": "https://x", "name": "x"}]), body(container="c"), body(unknown=1),
    body(tools=[{"type": "web_search_20250305", "name": "web_search"}]),
    body(tools=[{"type": "web_fetch_20250910", "name": "web_fetch"}]),
    body(tools=[{"type": "code_execution_20250522", "name": "code_execution"}]),
    body(tools=[{"type": "new_tool_20300101", "name": "x"}]), body(tools={}), body(model=5), body(max_tokens="many"),
    image({"type": "url", "url": "https://example.com/x.png"}), image({"type": "file", "file_id": "f"}),
    body(messages=[{"role": "user", "content": [{"type": "container_upload", "file_id": "f"}]}]),
    body(messages=[{"role": "user", "content": [{"type": "unheard_of"}]}]), body(messages="hi"), body(messages=[]),
    body(messages=[{"role": "system", "content": "x"}]), body(fallbacks=[]), {},
    [], "text", 1, None,
]
RAW_BODIES = [
    b"", b"hello", b"{", b'{"model":"a","model":"b"}', b'{"a":\xff}', b"\xef\xbb\xbf{}", b'{"a":1e999}', b'{"a":"\\ud800"}',
    b"[" * 200 + b"]" * 200, b'{"a":' * 100 + b"1" + b"}" * 100, b'{"model":"a","mod\\u0065l":"b"}', b"{} {}", b"{'a':1}",
    b'{"model":"x","max_tokens":NaN}', b"[" + b"1," * 200001 + b"1]",
]
HOSTS = ["pypi.org", "example.com", "api.anthropic.com", "api.openai.com", "localhost", "127.0.0.1", "10.0.0.1", "8.8.8.8",
         "::1", "[::1]", "0x7f.1", "2130706433", "127.1", "*.example.com", "EXAMPLE.com", "example.com.", "example.com:443",
         "metadata.google.internal", "169.254.169.254", "printer.local", "router.lan", "x.home.arpa", "a..b", "-a.com",
         "xn--bcher-kva.example", "anet", "github.com", "registry.npmjs.org", "", "a" * 300]


def head(line, *fields, data=b""):
    lines = [line, "Host: 127.0.0.1:8118", *fields]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + data


def corpus():
    """Requests of the fuzzers' corpus that say by their first line that they are HTTP."""
    for name in sorted(glob.glob(os.path.join(CORPUS, "http1-head", "*"))):
        with open(name, "rb") as file:
            data = file.read()
        if b" HTTP/" in data.split(b"\n")[0] and b"\n" in data and not data.startswith(b"{"):
            yield "head " + os.path.basename(name), data


def requests():
    for number, value in enumerate(BODIES):
        data = json.dumps(value).encode()
        yield "body %d" % number, data
    for number, data in enumerate(RAW_BODIES):
        yield "raw body %d" % number, data
    ok = json.dumps(body()).encode()
    length = "Content-Length: %d" % len(ok)
    for line in ("GET / HTTP/1.1", "GET /v1/models HTTP/1.1", "HEAD / HTTP/1.1", "GET /v1/files HTTP/1.1",
                 "DELETE /v1/messages HTTP/1.1", "GET /v1/messages HTTP/1.1", "POST /v1/messages HTTP/1.1",
                 "POST /v1/messages HTTP/1.0", "POST /v1/messages HTTP/2"):
        yield line, head(line)
    for path in ("/v1/messages", "/v1/messages?beta=true", "/v1/messages/count_tokens", "/v1/messages/batches",
                 "//v1/messages", "/v1/complete"):
        yield path, head("POST %s HTTP/1.1" % path, length, data=ok)
    count = json.dumps({"model": "x", "messages": MESSAGES}).encode()
    yield "count", head("POST /v1/messages/count_tokens HTTP/1.1", "Content-Length: %d" % len(count), data=count)
    for field in ("Content-Encoding: gzip", "Expect: 100-continue", "Expect: other", "Upgrade: websocket",
                  "Transfer-Encoding: chunked", "anthropic-beta: context-management-2025-06-27,unknown-2030-01-01",
                  "Content-Length: 5", "X-Bad : 1"):
        yield field, head("POST /v1/messages HTTP/1.1", length, field, data=ok)
    yield "chunked", head("POST /v1/messages HTTP/1.1", "Transfer-Encoding: chunked",
                          data=b"%x\r\n%s\r\n0\r\n\r\n" % (len(ok), ok))
    yield "bad chunk", head("POST /v1/messages HTTP/1.1", "Transfer-Encoding: chunked", data=b"zz\r\n")
    yield "too long", head("POST /v1/messages HTTP/1.1", "Content-Length: 9000000", data=b"x" * 100)
    yield "cut", head("POST /v1/messages HTTP/1.1", "Content-Length: 9000", data=b"{}")
    yield "large head", head("GET / HTTP/1.1", "X: " + "a" * 40000)
    yield from corpus()


def as_sent(data):
    """What the command makes of a body alone."""
    first = data.split(b"\n")[0]
    if b" HTTP/" in first and b"\n" in data and not data.startswith(b"{"):
        return data
    return head("POST /v1/messages HTTP/1.1", "Content-Type: application/json", "Content-Length: %d" % len(data),
                "Connection: close", data=data)


def check(results, world, name, data, answer, refusals):
    path = world.file("place/request", data)
    result, said = world.run_json([ANET, "why", "--agent", "claude", "--request", path], None)
    if not results.ok(name + ": an answer", said and said["schema"] == "anet.why/1", result):
        return
    results.equal(name + ": exit status", result.status, 0 if said["allowed"] else 1, said)
    status, reason = answer
    both = "%s\nthe run: %s" % (said, answer)
    if said["verdict"] == "refused":
        results.equal(name + ": refused", (int(said["http_status"]), said["code"]), (status, reason), both)
        refusals.add(said["code"])
    elif said["verdict"] == "forwarded":
        results.ok(name + ": forwarded", status == 200 and reason is None, both)
    elif said["verdict"] == "answered":
        results.equal(name + ": answered", (status, reason), (int(said["http_status"]), None), both)
    else:
        results.equal(name + ": incomplete", (said["verdict"], status), ("incomplete", 0), both)


def forwarded(results, world, model):
    """What it says that goes out is what the service gets."""
    sent = body(max_tokens=128000, temperature=1, context_management={"edits": []})
    path = world.file("place/request", json.dumps(sent))
    result, said = world.run_json([ANET, "why", "--agent", "claude", "--request", path], {})
    got = model.records[-1]["body"] if model.records else {}
    changed = {row["place"]: (row["change"], row["becomes"]) for row in said.get("changes", [])}
    results.equal("forwarded: the model", said.get("model"), got.get("model"), result)
    results.equal("forwarded: the changes", changed.get("max_tokens"), ("changed", 8192), result)
    results.ok("forwarded: what is dropped", changed.get("context_management", [""])[0] == "dropped", result)
    text = world.run([ANET, "why", "--agent", "claude", "--request", path]).text
    results.contains("forwarded: for people", text, "dropped  context_management")


def hosts(results, world):
    inside = world.agent_python(HOSTS_INSIDE, json.dumps(HOSTS))
    try:
        reached = json.loads(inside.text)
    except ValueError:
        results.fail("the run that tries hosts", inside)
        return
    for name, reachable in zip(HOSTS, reached):
        result, said = world.run_json([ANET, "why", "--agent", "claude", "--host", name], None)
        if not results.ok("host %.40r: an answer" % name, said, result):
            continue
        results.equal("host %.40r: nobody is reached from a run" % name, reachable, False)
        results.equal("host %.40r: the verdict" % name, said["verdict"],
                      "through the gateway" if name == "api.anthropic.com" else "refused", said)


def test(results):
    import base64
    for world in worlds():
        with results.under("as %s: " % world.user), Model(script=[{"text": "done"}] * 400) as model:
            world.any_claude()
            world.directory("place")
            cases = list(requests())
            world.file("work/requests.json", json.dumps([base64.b64encode(as_sent(data)).decode() for _, data in cases]))
            run = world.agent_python(SENDER, "requests.json", timeout=120)
            try:
                answers = json.loads(run.text)
            except ValueError:
                results.fail("the run that sends requests", run)
                continue
            refusals = set()
            for (name, data), answer in zip(cases, answers):
                check(results, world, name, data, answer, refusals)
            results.ok("at least 20 kinds of refusals", len(refusals) >= 20, sorted(refusals))
            results.ok("at least 100 requests", len(cases) >= 100, len(cases))
            model.records.clear()
            world.agent_python(SENDER, world.file("work/one.json", json.dumps([base64.b64encode(as_sent(json.dumps(
                body(max_tokens=128000, temperature=1, context_management={"edits": []})).encode())).decode()])))
            forwarded(results, world, model)
            hosts(results, world)


product_test(test)

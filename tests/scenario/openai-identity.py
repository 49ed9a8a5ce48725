#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=240
"""What agents of OpenAI's APIs add about the machine and its owner stays here (SPEC S6.6):
heads and bodies as real clients send them, with marks where they tell something, go
through an installed anet, and the service finds none of the marks."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import machine  # noqa: E402
from agents import agent, clean  # noqa: E402
from harness import ANET, KEY, Model, product_test, worlds  # noqa: E402

MARK = "told-on-"

# Codex: a header field and a member of the body (recorded in a work tree with a remote).
TURN = json.dumps({
    "installation_id": MARK + "installation", "session_id": MARK + "session", "thread_id": MARK + "thread",
    "workspaces": {"/srv/" + MARK + "folder": {
        "associated_remote_urls": {"origin": "https://" + MARK + "remote.example/a.git"},
        "latest_git_commit_hash": MARK + "commit", "has_changes": False}}, "sandbox": "none"})

# client, its fields
HEADS = {
    "codex": [
        ("version", "0.171.0"), ("x-codex-beta-features", MARK + "features"), ("x-codex-window-id", MARK + "window:0"),
        ("x-codex-turn-metadata", TURN), ("x-codex-installation-id", MARK + "installation"),
        ("x-codex-turn-state", MARK + "state"), ("x-openai-internal-codex-responses-lite", "true"),
        ("x-openai-subagent", MARK + "subagent"), ("x-oai-attestation", MARK + "attestation"),
        ("x-client-request-id", MARK + "request"), ("session-id", MARK + "session"), ("session_id", MARK + "session"),
        ("thread-id", MARK + "thread"), ("originator", "codex_exec"), ("chatgpt-account-id", MARK + "account"),
        ("user-agent", "codex_exec/0.171.0 (Debian 12.0.0; x86_64) dumb (codex_exec; 0.171.0)"),
        ("accept", "text/event-stream"), ("accept-encoding", "zstd,gzip"),
        ("openai-beta", "responses_websockets=2026-02-06")],
    "opencode": [
        ("User-Agent", "opencode/1.18.33 ai-sdk/openai (linux 6.1.0-%skernel; x64)" % MARK),
        ("x-session-affinity", MARK + "session"), ("x-session-id", MARK + "session")],
    "openai-js": [
        ("user-agent", "OpenAI/JS 7.5.0"), ("traceparent", "00-abeceab36221bd48ddab15004b716e8c-93b61f15b2bf6fe4-01"),
        ("tracestate", MARK + "trace"), ("baggage", "user=%sbaggage" % MARK),
        ("openai-organization", MARK + "organization"), ("openai-project", MARK + "project"),
        ("idempotency-key", MARK + "idempotency"), ("x-stainless-arch", "x64"), ("x-stainless-os", "Linux"),
        ("x-stainless-runtime-version", "v22.23.3"), ("x-stainless-retry-count", "0"), ("accept-language", "*"),
        ("sec-fetch-mode", "cors"), ("cookie", MARK + "cookie"), ("api-key", MARK + "key"),
        ("x-forwarded-for", MARK + "address"), ("forwarded", "for=" + MARK + "address"), ("via", MARK + "via"),
        ("proxy-authorization", "Basic " + MARK + "proxy"), ("referer", "http://%sreferer/" % MARK)],
}
IDENTITY = {"metadata": {"user": MARK + "user"}, "user": MARK + "user", "safety_identifier": MARK + "user"}
RESPONSES = dict(IDENTITY, model="gpt-6.2-sol", stream=True, store=False, input=[
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]}],
    client_metadata={"x-codex-installation-id": MARK + "installation", "x-codex-turn-metadata": TURN})
CHAT = dict(IDENTITY, model="gpt-6.2-sol", messages=[{"role": "user", "content": "hello"}])
BODIES = {"/v1/responses": RESPONSES, "/v1/chat/completions": CHAT}

# What may stand in a request to the service (core/rules-headers.c, written down a second time on purpose).
FIELDS = {"host": "api.openai.com", "accept-encoding": "identity", "authorization": "Bearer " + KEY,
          "content-type": "application/json"}
CALCULATED = {"user-agent", "accept", "content-length"}

# Posts each of the requests that it reads; prints a line [status, field names] for each answer.
SEND = r"""
import http.client, json, os, sys
for path, fields, body in json.load(open(sys.argv[1])):
    connection = http.client.HTTPConnection("127.0.0.1", 8118, timeout=20)
    connection.putrequest("POST", path, skip_accept_encoding=True)
    for name, value in fields + [["Authorization", "Bearer " + os.environ["OPENAI_API_KEY"]], ["Content-Length", str(len(body))]]:
        connection.putheader(name, value)
    connection.endheaders(body.encode())
    answer = connection.getresponse()
    print(json.dumps([answer.status, answer.read().decode()[:300]]), flush=True)
"""


def check(results, name, record):
    fields = {key.lower(): value for key, value in record["headers"]}
    results.equal(name + ": each field once", len(fields), len(record["headers"]))
    results.equal(name + ": no other field", set(fields) - set(FIELDS) - CALCULATED, set())
    results.equal(name + ": their values", {key: fields.get(key) for key in FIELDS}, FIELDS)
    results.ok(name + ": anet's own user agent", fields["user-agent"].startswith("anet/") and " " not in fields["user-agent"],
               fields)
    results.lacks(name + ": nothing that tells", json.dumps(record), MARK)
    results.equal(name + ": nothing is stored there", record["body"].get("store"), False)


def test(results):
    requests = [(client, path, [list(field) for field in HEADS[client]], json.dumps(BODIES[path]))
                for client in HEADS for path in BODIES]
    with Model(cwd="/") as model:
        for world in worlds():
            agent(world, "add", "demo", "--runtime", "command", "--strategy", "srt", "--model", "gpt-6-luna",
                  "--api-base", "https://api.openai.com/v1")
            world.file("work/requests.json", json.dumps([request[1:] for request in requests]))
            first = len(model.records)
            result = world.run([ANET, "run", "--agent", "demo", "--", "/usr/bin/python3", "-c", SEND, "requests.json"],
                               env={"OPENAI_API_KEY": KEY})
            answers = [json.loads(line) for line in result.text.splitlines()]
            sent = [record for record in model.wait(first + len(requests))[first:] if record.get("path")]
            with results.under("as %s: " % world.user):
                results.equal("all are answered", [answer[0] for answer in answers], [200] * len(requests), result)
                results.equal("all were forwarded", [record["path"] for record in sent], [request[1] for request in requests])
                for (client, path, _, _), record in zip(requests, sent):
                    check(results, "%s %s" % (client, path), record)
            clean(world)


product_test(test, overlays=machine.config_overlays())

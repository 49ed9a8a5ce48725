#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""anet-upstream: what the ledger does not allow is not sent, exactly at the limit."""
import os
import sys
import threading
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import records
from ledger import Ledger
from tls_stub import Service
from upstream import Upstream, upstream_test

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
MESSAGES, COUNTING = records.MESSAGES, records.COUNT_TOKENS
BODY = b"{" + b" " * 98 + b"}"

# name, policy, used before, endpoint, what becomes of it, used after (requests, count_tokens, request_bytes)
CASES = [
    ("requests: one before the limit", {"requests": 60}, {"requests": 58}, MESSAGES, "ok", (59, 0, 100)),
    ("requests: up to the limit", {"requests": 60}, {"requests": 59}, MESSAGES, "ok", (60, 0, 100)),
    ("requests: at the limit", {"requests": 60}, {"requests": 60}, MESSAGES, "limit_requests", (60, 0, 0)),
    ("requests: past the limit", {"requests": 60}, {"requests": 61}, MESSAGES, "limit_requests", (61, 0, 0)),
    ("requests: no limit", {}, {"requests": 1 << 40}, MESSAGES, "ok", ((1 << 40) + 1, 0, 100)),
    ("token counts have a limit of their own", {"requests": 60, "count_tokens": 240}, {"requests": 60}, COUNTING, "ok",
     (60, 1, 100)),
    ("token counts: up to the limit", {"count_tokens": 240}, {"count_tokens": 239}, COUNTING, "ok", (0, 240, 100)),
    ("token counts: at the limit", {"count_tokens": 240}, {"count_tokens": 240}, COUNTING, "limit_count_tokens",
     (0, 240, 0)),
    ("token counts do not stop requests", {"count_tokens": 240}, {"count_tokens": 240}, MESSAGES, "ok", (1, 240, 100)),
    ("bytes: one below the limit", {"request_bytes": 1000}, {"request_bytes": 899}, MESSAGES, "ok", (1, 0, 999)),
    ("bytes: up to the limit", {"request_bytes": 1000}, {"request_bytes": 900}, MESSAGES, "ok", (1, 0, 1000)),
    ("bytes: one past the limit", {"request_bytes": 1000}, {"request_bytes": 901}, MESSAGES, "limit_request_bytes",
     (0, 0, 901)),
    ("bytes: token counts, too", {"request_bytes": 1000}, {"request_bytes": 901}, COUNTING, "limit_request_bytes",
     (0, 0, 901)),
    ("bytes: no limit", {}, {"request_bytes": 1 << 50}, MESSAGES, "ok", (1, 0, (1 << 50) + 100)),
]


def test(results):
    served = []

    def behaviour(peer):
        while True:
            served.append(peer.request())
            peer.send(ANSWER)

    with Service(behaviour) as service:
        for name, policy, used, endpoint, wanted, after in CASES:
            served.clear()
            connections = service.connections
            with Upstream(ledger=Ledger(**used), **policy) as upstream:
                answer, done = upstream.exchange(BODY, endpoint=endpoint)
                results.equal(name, done["code"], wanted, done)
                got = upstream.ledger.used()
                results.equal(name + ": used", (got["requests"], got["count_tokens"], got["request_bytes"]), after)
                sent = wanted == "ok"
                results.equal(name + ": sent", (len(served), service.connections - connections), (sent, sent))
                if not sent:
                    results.equal(name + ": the gateway's to answer", (answer, done["flags"]), (None, 0))
                    upstream.finish()
                    results.equal(name + ": and to tell", upstream.events, [])

        # Several helpers of one session share what is left.
        served.clear()
        ledger = Ledger()
        codes = []

        def one():
            with Upstream(ledger=ledger, requests=10) as upstream:
                for _ in range(8):
                    codes.append(upstream.exchange()[1]["code"])

        threads = [threading.Thread(target=one) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        results.equal("three at once: exactly the limit", (codes.count("ok"), codes.count("limit_requests"), len(served)),
                      (10, 14, 10))


upstream_test(test)

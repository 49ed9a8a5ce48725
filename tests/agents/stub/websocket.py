# SPDX-License-Identifier: LGPL-2.1-or-later
"""The Responses API over WebSocket: each text frame of the client is a
response.create."""
import base64
import hashlib
import json
import struct
import time
import zlib

import connection
from answers import error_body, responses_answer
from conversation import Plan, tools_of

WS_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


def serve(conn, rec, h):
    st = conn.stub
    rec["upgrade"] = "websocket"
    if st.ws != "accept":
        rec["status"] = int(st.ws)
        st.record(rec)
        conn.reply_json(int(st.ws), error_body("responses", int(st.ws), "no websocket here"))
        return
    key = base64.b64encode(hashlib.sha1((h["sec-websocket-key"] + WS_GUID).encode()).digest()).decode()
    conn.send(("HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n"
               "sec-websocket-accept: %s\r\n\r\n" % key).encode())
    rec["status"] = 101
    st.record(rec)
    msg = bytearray()
    while True:
        b0, b1 = conn.exactly(2)
        n = b1 & 127
        if n == 126:
            n = struct.unpack(">H", conn.exactly(2))[0]
        elif n == 127:
            n = struct.unpack(">Q", conn.exactly(8))[0]
        mask = conn.exactly(4) if b1 & 128 else b"\0\0\0\0"
        data = bytes(c ^ mask[i & 3] for i, c in enumerate(conn.exactly(n)))
        op = b0 & 15
        if op == 8:
            st.record({"conn": conn.cid, "kind": "ws-close", "bytes": n})
            send(conn, 8, data)
            raise connection.Closed
        if op == 9:
            send(conn, 10, data)
            continue
        if op == 10:
            continue
        msg += data
        if not b0 & 128:
            continue
        raw = bytes(msg)
        msg.clear()
        r = {"conn": conn.cid, "kind": "ws-message", "rsv1": bool(b0 & 64), "body_bytes": len(raw),
             "t": round(time.time() - st.t0, 3)}
        try:
            if b0 & 64:
                raw = zlib.decompressobj(-15).decompress(raw + b"\0\0\xff\xff")
            body = json.loads(raw)
            r["body"] = body
        except Exception as x:  # noqa: BLE001
            r["body_error"] = repr(x)[:200]
            st.record(r)
            continue
        body = dict(body, stream=True)
        if body.get("generate") is False:
            full, ev = responses_answer(body, Plan(), len(raw))
            ev = [x for x in ev if x[0] in ("response.created", "response.completed")]
            st.remember(full["id"], 0, Plan(), tools_of("responses", body), body)
        else:
            tools = tools_of("responses", body) or st.tools.get(body.get("previous_response_id"), [])
            plan, rnd = conn.make_plan("responses", body, tools)
            r["step"] = rnd
            full, ev = responses_answer(body, plan, len(raw))
            st.remember(full["id"], rnd, plan, tools, body)
            r["answer"] = {"text": plan.text, "calls": [[a, b] for a, b, _, _ in plan.calls], "ws": True}
        st.record(r)
        for _, d in ev:
            send(conn, 1, json.dumps(d).encode())

def send(conn, op, data):
    n = len(data)
    head = bytes([128 | op]) + (bytes([n]) if n < 126 else b"\x7e" + struct.pack(">H", n) if n < 65536
                                else b"\x7f" + struct.pack(">Q", n))
    conn.send(head + data)

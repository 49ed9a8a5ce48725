# SPDX-License-Identifier: LGPL-2.1-or-later
"""One connection to the double: HTTP/1.1 by hand, so that the log shows what was on
the wire."""
import base64
import json
import select
import socket
import struct
import time

import websocket
from answers import (Ids, anthropic_answer, chat_answer, error_body, est, gemini_answer, responses_answer,
                     schema_wanted)
from conversation import Plan, decode_body, plan_step, rounds_of, sample, tools_of, wire_of

REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
           413: "Payload Too Large", 426: "Upgrade Required", 429: "Too Many Requests",
           500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable", 529: "Overloaded"}


class Closed(Exception):
    pass


class Conn:
    def __init__(self, stub, sock, cid):
        self.stub, self.sock, self.cid = stub, sock, cid
        self.buf = bytearray()
        self.nreq = 0

    # -- reading
    def fill(self):
        d = self.sock.recv(65536)
        if not d:
            raise Closed
        self.buf += d

    def until(self, mark, limit=256 * 1024):
        while True:
            i = self.buf.find(mark)
            if i >= 0:
                out = bytes(self.buf[:i])
                del self.buf[:i + len(mark)]
                return out
            if len(self.buf) > limit:
                raise ValueError("head too long")
            self.fill()

    def exactly(self, n):
        while len(self.buf) < n:
            self.fill()
        out = bytes(self.buf[:n])
        del self.buf[:n]
        return out

    def send(self, b):
        self.sock.sendall(b)

    # -- one request
    def serve_one(self):
        while not self.buf:
            self.fill()
        if self.buf[0] == 0x16:
            while len(self.buf) < 600:
                r, _, _ = select.select([self.sock], [], [], 0.2)
                if not r:
                    break
                self.fill()
            self.stub.record({"conn": self.cid, "kind": "tls-client-hello", "bytes": len(self.buf),
                              "sni": sni_of(bytes(self.buf))})
            raise Closed
        head = self.until(b"\r\n\r\n")
        t0 = time.time()
        lines = head.decode("latin-1").split("\r\n")
        while lines and lines[0] == "":
            lines.pop(0)
        parts = lines[0].split(" ")
        if len(parts) != 3:
            self.stub.record({"conn": self.cid, "kind": "bad-request-line", "line": lines[0][:200]})
            raise Closed
        method, path, version = parts
        headers = []
        for ln in lines[1:]:
            k, _, v = ln.partition(":")
            headers.append([k, v.strip(" \t")])
        h = {}
        for k, v in headers:
            h.setdefault(k.lower(), v)
        self.nreq += 1
        rec = {"conn": self.cid, "req_on_conn": self.nreq, "open_conns": self.stub.open_conns,
               "t": round(t0 - self.stub.t0, 3), "method": method, "path": path, "version": version,
               "headers": headers, "head_bytes": len(head) + 4}
        if path.startswith("/__stub/"):
            return self.control(method, path, self.read_body(h, {}))
        wire = wire_of(path)
        if wire == "responses" and h.get("upgrade", "").lower() == "websocket":
            return websocket.serve(self, rec, h)
        if "upgrade" in h:
            rec["upgrade"] = h["upgrade"]
        early = self.stub.pick_fault(method, path, None, only="early")
        if early:
            rec["fault"] = early
            self.stub.record(rec)
            self.reply_json(early.get("status", 413), error_body(wire, early.get("status", 413)),
                            {"connection": "close"})
            raise Closed
        raw = self.read_body(h, rec)
        if rec.get("framing") != "none":
            rec["body_bytes"] = len(raw)
        body, text = None, None
        try:
            dec = decode_body(raw, h.get("content-encoding", "")) if raw else b""
            if len(dec) != len(raw):
                rec["decoded_bytes"] = len(dec)
            text = dec.decode("utf-8")
            body = json.loads(text) if text else None
        except Exception as x:  # noqa: BLE001 - whatever it is goes into the log
            rec["body_error"] = repr(x)[:200]
        if body is not None:
            rec["body"] = body
        elif text:
            rec["body_text"] = text
        elif raw:
            rec["body_b64"] = base64.b64encode(raw[:4096]).decode()
        rec["pipelined"] = bool(self.buf)
        rec["body_ms"] = round((time.time() - t0) * 1000, 1)
        try:
            keep = self.answer(rec, wire, method, path, h, body if isinstance(body, dict) else {}, len(raw))
        finally:
            rec["done_ms"] = round((time.time() - t0) * 1000, 1)
            self.stub.record(rec)
        if not keep or h.get("connection", "").lower() == "close" or version == "HTTP/1.0":
            raise Closed

    def read_body(self, h, rec):
        if h.get("expect", "").lower() == "100-continue":
            rec["expect_100"] = True
            self.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        if "chunked" in h.get("transfer-encoding", "").lower():
            sizes, out = [], bytearray()
            while True:
                line = self.until(b"\r\n")
                n = int(line.split(b";")[0], 16)
                if n == 0:
                    while self.until(b"\r\n"):
                        pass
                    break
                sizes.append(n)
                out += self.exactly(n)
                self.exactly(2)
            rec["framing"] = "chunked"
            rec["chunks"] = sizes[:50]
            return bytes(out)
        if "content-length" in h:
            rec["framing"] = "content-length"
            return self.exactly(int(h["content-length"]))
        rec["framing"] = "none"
        return b""

    # -- answering
    def reply(self, status, data, ctype, extra=None):
        hd = ["HTTP/1.1 %d %s" % (status, REASONS.get(status, "Status")), "content-type: " + ctype,
              "content-length: %d" % len(data), "request-id: " + Ids.new("req_")]
        for k, v in (extra or {}).items():
            hd.append("%s: %s" % (k, v))
        self.send(("\r\n".join(hd) + "\r\n\r\n").encode() + data)

    def reply_json(self, status, obj, extra=None):
        self.reply(status, json.dumps(obj).encode(), "application/json", extra)

    def chunk(self, b):
        self.send(b"%x\r\n" % len(b) + b + b"\r\n")

    def rst(self):
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise Closed

    def answer(self, rec, wire, method, path, h, body, nbytes):
        st = self.stub
        tools = tools_of(wire, body) or st.tools.get(body.get("previous_response_id"), [])
        f = st.pick_fault(method, path, bool(tools)) or {}
        kind = f.get("fault")
        if kind:
            rec["fault"] = f
        if kind == "close":
            raise Closed
        if kind == "hang":
            time.sleep(f.get("ms", 60000) / 1000)
            raise Closed
        if kind == "status":
            b = f.get("body")
            if b is None:
                b = error_body(wire, f["status"], f.get("message", "stub fault"))
            rec["status"] = f["status"]
            if isinstance(b, str):
                self.reply(f["status"], b.encode(), f.get("content_type", "text/plain"), f.get("headers"))
            else:
                self.reply_json(f["status"], b, f.get("headers"))
            return True
        if kind == "garbage":
            self.reply(200, b"<html>not what you asked for</html>", "text/html")
            return True
        if kind == "slow" and f.get("first_ms"):
            time.sleep(f["first_ms"] / 1000)
        rec["status"] = 200
        if wire in ("other", "models") or method in ("GET", "HEAD"):
            return self.probe(rec, wire, method, path)
        if not body:
            rec["status"] = 400
            self.reply_json(400, error_body(wire, 400, "body is not a JSON object"))
            return True
        if wire == "anthropic.count":
            self.reply_json(200, {"input_tokens": est(nbytes)})
            return True
        if wire == "gemini.count":
            self.reply_json(200, {"totalTokens": est(nbytes)})
            return True
        if wire == "responses.compact":
            self.reply_json(200, {"id": Ids.new("resp_"), "object": "response.compaction", "output": [
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "stub summary"}]}]})
            return True
        plan, rnd = self.make_plan(wire, body, tools)
        rec["step"] = rnd
        if kind == "echo_secret":
            plan.text = (plan.text or "") + f.get("text", "")
        if wire == "anthropic":
            full, ev = anthropic_answer(body, plan, nbytes)
        elif wire == "responses":
            full, ev = responses_answer(body, plan, nbytes)
            st.remember(full["id"], rnd, plan, tools, body)
        elif wire == "chat":
            full, ev = chat_answer(body, plan, nbytes)
        else:
            full, ev = gemini_answer(body, plan, nbytes, ":stream" in path)
        rec["answer"] = {"text": plan.text, "calls": [[n, a] for n, a, _, _ in plan.calls], "sse": ev is not None}
        if ev is None:
            if kind == "bytewise":
                data = json.dumps(full).encode()
                self.send(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
                          % len(data))
                for i in range(len(data)):
                    self.send(data[i:i + 1])
                    time.sleep(f.get("ms", 1) / 1000)
                return True
            self.reply_json(200, full)
            return True
        return self.stream(rec, wire, ev, f)

    def make_plan(self, wire, body, tools):
        st = self.stub
        prev = st.rounds.get(body.get("previous_response_id"), 0)
        rnd = rounds_of(wire, body, prev)
        if not tools:
            p = Plan()
            sch = schema_wanted(wire, body)
            p.text = json.dumps(sample(sch)) if sch else st.side_text
            return p, rnd
        script = st.script
        step = script[rnd] if rnd < len(script) else (script[-1] if script and "text" in script[-1]
                                                      else {"text": "done"})
        return plan_step(step, tools, st.cwd), rnd

    def stream(self, rec, wire, ev, f):
        kind = f.get("fault")
        st_join_end = self.stub.join_end  # last event and end of body in one write
        self.send(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
                  b"cache-control: no-cache\r\nrequest-id: " + Ids.new("req_").encode() +
                  b"\r\ntransfer-encoding: chunked\r\n\r\n")
        if kind == "big_event":
            self.chunk(b": " + b"x" * f.get("bytes", 1 << 20) + b"\n\n")
        for i, (name, data) in enumerate(ev):
            if kind in ("cut", "reset", "stall", "sse_error") and i == f.get("after_events", 3):
                if kind == "cut":
                    raise Closed
                if kind == "reset":
                    self.rst()
                if kind == "stall":
                    time.sleep(f.get("ms", 5000) / 1000)
                if kind == "sse_error":
                    b = f.get("body") or error_body(wire, 529, "stub overload")
                    if wire == "anthropic":
                        self.chunk(b"event: error\ndata: " + json.dumps(b).encode() + b"\n\n")
                    elif wire == "responses":
                        self.chunk(b"event: response.failed\ndata: " + json.dumps(
                            {"type": "response.failed", "sequence_number": 99, "response": {
                                "id": "resp_x", "status": "failed", "error": {
                                    "code": "server_is_overloaded", "message": "stub"}}}).encode() + b"\n\n")
                    else:
                        self.chunk(b"data: " + json.dumps(b).encode() + b"\n\n")
                    break
            s = data if isinstance(data, str) else json.dumps(data)
            out = (("event: %s\n" % name) if name else "") + "data: %s\n\n" % s
            if kind == "bytewise":
                for ch in out.encode():
                    self.chunk(bytes([ch]))
                    time.sleep(f.get("ms", 1) / 1000)
            elif i == len(ev) - 1 and st_join_end:
                b = out.encode()
                self.send(b"%x\r\n" % len(b) + b + b"\r\n0\r\n\r\n")
                return True
            else:
                self.chunk(out.encode())
            if kind == "slow":
                time.sleep(f.get("ms", 200) / 1000)
        self.send(b"0\r\n\r\n")
        return True

    def probe(self, rec, wire, method, path):
        if wire == "models":
            ids = self.stub.models
            obj = {"object": "list", "data": [{"id": m, "type": "model", "object": "model", "display_name": m,
                                               "created_at": "2025-01-01T00:00:00Z", "created": 1735689600,
                                               "owned_by": "stub"} for m in ids],
                   "models": [], "has_more": False, "first_id": ids[0], "last_id": ids[-1]}
            data = json.dumps(obj).encode()
        elif path.split("?")[0] in ("/", ""):
            data = b"{}"
        else:
            rec["status"] = 404
            data = json.dumps(error_body("anthropic", 404, "no such route in the stub")).encode()
        if method == "HEAD":
            self.send(b"HTTP/1.1 %d OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
                      % (rec["status"], len(data)))
        else:
            self.reply(rec["status"], data, "application/json")
        return True

    # -- control
    def control(self, method, path, raw):
        st = self.stub
        what = path[len("/__stub/"):]
        if what == "log":
            with st.lock:
                obj = list(st.records)
        elif what == "reset":
            with st.lock:
                st.records.clear()
                st.hits.clear()
                st.faults = []
                st.rounds.clear()
                st.tools.clear()
            obj = {"ok": True}
        elif what == "script":
            st.script = json.loads(raw)
            obj = {"ok": True}
        elif what == "faults":
            st.faults = [dict(r) for r in json.loads(raw)]
            st.hits.clear()
            obj = {"ok": True}
        else:
            obj = {"error": "unknown"}
        self.reply_json(200, obj)


def sni_of(b):
    """server name in a TLS ClientHello, or None"""
    try:
        p = 5 + 4 + 2 + 32
        p += 1 + b[p]
        p += 2 + struct.unpack(">H", b[p:p + 2])[0]
        p += 1 + b[p]
        end = p + 2 + struct.unpack(">H", b[p:p + 2])[0]
        p += 2
        while p + 4 <= end:
            ty, ln = struct.unpack(">HH", b[p:p + 4])
            if ty == 0:
                n = struct.unpack(">H", b[p + 7:p + 9])[0]
                return b[p + 9:p + 9 + n].decode("ascii", "replace")
            p += 4 + ln
    except (IndexError, struct.error):
        pass
    return None

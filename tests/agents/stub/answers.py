# SPDX-License-Identifier: LGPL-2.1-or-later
"""The answers of a model service, one function for each wire format."""
import json
import threading
import time

from conversation import Plan


class Ids:
    n = 0
    lock = threading.Lock()

    @classmethod
    def new(cls, prefix):
        with cls.lock:
            cls.n += 1
            return "%s%s" % (prefix, ("stub%06d" % cls.n).ljust(24, "0"))


def pieces(s, k=12):
    return [s[i:i + k] for i in range(0, len(s), k)] or [""]


def est(body_len):
    return max(1, body_len // 4)


def anthropic_answer(body, plan, nbytes):
    mid = Ids.new("msg_")
    model = body.get("model", "stub")
    usage = {"input_tokens": est(nbytes), "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
             "output_tokens": 1, "service_tier": "standard"}
    content = []
    if plan.think:
        content.append({"type": "thinking", "thinking": plan.think, "signature": "c3R1Yi1zaWduYXR1cmU="})
    if plan.text is not None and (plan.text or not plan.calls):
        content.append({"type": "text", "text": plan.text})
    for name, args, _, _ in plan.calls:
        content.append({"type": "tool_use", "id": Ids.new("toolu_"), "name": name, "input": args})
    stop = "tool_use" if plan.calls else "end_turn"
    msg = {"id": mid, "type": "message", "role": "assistant", "model": model, "content": content,
           "stop_reason": stop, "stop_sequence": None, "usage": dict(usage, output_tokens=25)}
    if not body.get("stream"):
        return msg, None
    ev = [("message_start", {"type": "message_start", "message": dict(
        msg, content=[], stop_reason=None, usage=usage)})]
    for i, b in enumerate(content):
        if b["type"] == "text":
            ev.append(("content_block_start", {"type": "content_block_start", "index": i,
                                               "content_block": {"type": "text", "text": ""}}))
            if i == 0:
                ev.append(("ping", {"type": "ping"}))
            for t in pieces(b["text"]):
                ev.append(("content_block_delta", {"type": "content_block_delta", "index": i,
                                                   "delta": {"type": "text_delta", "text": t}}))
        elif b["type"] == "thinking":
            ev.append(("content_block_start", {"type": "content_block_start", "index": i, "content_block": {
                "type": "thinking", "thinking": "", "signature": ""}}))
            for t in pieces(b["thinking"]):
                ev.append(("content_block_delta", {"type": "content_block_delta", "index": i,
                                                   "delta": {"type": "thinking_delta", "thinking": t}}))
            ev.append(("content_block_delta", {"type": "content_block_delta", "index": i, "delta": {
                "type": "signature_delta", "signature": b["signature"]}}))
        else:
            ev.append(("content_block_start", {"type": "content_block_start", "index": i,
                                               "content_block": dict(b, input={})}))
            for t in pieces(json.dumps(b["input"])):
                ev.append(("content_block_delta", {"type": "content_block_delta", "index": i,
                                                   "delta": {"type": "input_json_delta", "partial_json": t}}))
        ev.append(("content_block_stop", {"type": "content_block_stop", "index": i}))
    ev.append(("message_delta", {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None},
                                 "usage": {"output_tokens": 25}}))
    ev.append(("message_stop", {"type": "message_stop"}))
    return msg, ev


def responses_answer(body, plan, nbytes):
    rid = Ids.new("resp_")
    items = []
    if any(isinstance(i, dict) and i.get("type") == "compaction_trigger" for i in body.get("input") or []):
        items.append({"type": "compaction", "id": Ids.new("cmp_"), "encrypted_content": "c3R1Yg=="})
        plan = Plan()
    if plan.think:
        items.append({"type": "reasoning", "id": Ids.new("rs_"), "summary": [
            {"type": "summary_text", "text": plan.think}], "encrypted_content": "c3R1Yg=="})
    if plan.text is not None and (plan.text or not plan.calls):
        items.append({"type": "message", "id": Ids.new("msg_"), "role": "assistant", "status": "completed",
                      "content": [{"type": "output_text", "text": plan.text, "annotations": []}]})
    for name, args, kind, ns in plan.calls:
        cid = Ids.new("call_")
        if kind == "custom":
            items.append({"type": "custom_tool_call", "id": Ids.new("ctc_"), "call_id": cid, "name": name,
                          "input": args if isinstance(args, str) else json.dumps(args), "status": "completed"})
        elif kind == "local_shell":
            items.append({"type": "local_shell_call", "id": Ids.new("lsh_"), "call_id": cid, "status": "completed",
                          "action": {"type": "exec", "command": ["bash", "-lc", args.get("command", "")],
                                     "env": {}}})
        else:
            items.append({"type": "function_call", "id": Ids.new("fc_"), "call_id": cid, "name": name,
                          "arguments": json.dumps(args), "status": "completed"})
        if ns:
            items[-1]["namespace"] = ns
    inp = est(nbytes)
    usage = {"input_tokens": inp, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 25,
             "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": inp + 25}
    base = {"id": rid, "object": "response", "created_at": int(time.time()), "status": "in_progress",
            "model": body.get("model", "stub"), "output": [], "parallel_tool_calls": True,
            "tool_choice": "auto", "tools": [], "store": bool(body.get("store", True)), "error": None,
            "incomplete_details": None, "usage": None}
    done = dict(base, status="completed", output=items, usage=usage)
    if not body.get("stream"):
        return done, None
    ev = []
    seq = [0]

    def e(ty, **kw):
        d = {"type": ty, "sequence_number": seq[0]}
        d.update(kw)
        seq[0] += 1
        ev.append((ty, d))

    e("response.created", response=base)
    e("response.in_progress", response=base)
    for i, it in enumerate(items):
        if it["type"] == "message":
            txt = it["content"][0]["text"]
            e("response.output_item.added", output_index=i, item=dict(it, content=[], status="in_progress"))
            part = {"type": "output_text", "text": "", "annotations": []}
            e("response.content_part.added", item_id=it["id"], output_index=i, content_index=0, part=part)
            for t in pieces(txt):
                e("response.output_text.delta", item_id=it["id"], output_index=i, content_index=0, delta=t)
            e("response.output_text.done", item_id=it["id"], output_index=i, content_index=0, text=txt)
            e("response.content_part.done", item_id=it["id"], output_index=i, content_index=0,
              part=dict(part, text=txt))
        elif it["type"] == "function_call":
            e("response.output_item.added", output_index=i, item=dict(it, arguments="", status="in_progress"))
            for t in pieces(it["arguments"]):
                e("response.function_call_arguments.delta", item_id=it["id"], output_index=i, delta=t)
            e("response.function_call_arguments.done", item_id=it["id"], output_index=i,
              arguments=it["arguments"])
        elif it["type"] == "custom_tool_call":
            e("response.output_item.added", output_index=i, item=dict(it, input="", status="in_progress"))
            for t in pieces(it["input"]):
                e("response.custom_tool_call_input.delta", item_id=it["id"], output_index=i, delta=t)
            e("response.custom_tool_call_input.done", item_id=it["id"], output_index=i, input=it["input"])
        else:
            e("response.output_item.added", output_index=i, item=it)
        e("response.output_item.done", output_index=i, item=it)
    e("response.completed", response=done)
    return done, ev


def chat_answer(body, plan, nbytes):
    cid = Ids.new("chatcmpl-")
    model = body.get("model", "stub")
    inp = est(nbytes)
    usage = {"prompt_tokens": inp, "completion_tokens": 25, "total_tokens": inp + 25}
    calls = [{"id": Ids.new("call_"), "type": "function",
              "function": {"name": n, "arguments": json.dumps(a)}} for n, a, _, _ in plan.calls]
    fin = "tool_calls" if calls else "stop"
    m = {"role": "assistant", "content": plan.text if (plan.text is not None or calls) else ""}
    if calls:
        m["tool_calls"] = calls
    if plan.think:
        m["reasoning_content"] = plan.think
    full = {"id": cid, "object": "chat.completion", "created": int(time.time()), "model": model,
            "choices": [{"index": 0, "message": m, "finish_reason": fin}], "usage": usage}
    if not body.get("stream"):
        return full, None
    head = {"id": cid, "object": "chat.completion.chunk", "created": int(time.time()), "model": model}
    ev = []

    def c(delta, finish=None):
        ev.append((None, dict(head, choices=[{"index": 0, "delta": delta, "finish_reason": finish}])))

    c({"role": "assistant", "content": ""})
    if plan.think:
        for t in pieces(plan.think):
            c({"reasoning_content": t})
    if plan.text:
        for t in pieces(plan.text):
            c({"content": t})
    for i, k in enumerate(calls):
        c({"tool_calls": [{"index": i, "id": k["id"], "type": "function",
                           "function": {"name": k["function"]["name"], "arguments": ""}}]})
        for t in pieces(k["function"]["arguments"]):
            c({"tool_calls": [{"index": i, "function": {"arguments": t}}]})
    c({}, fin)
    if (body.get("stream_options") or {}).get("include_usage"):
        ev.append((None, dict(head, choices=[], usage=usage)))
    ev.append((None, "[DONE]"))
    return full, ev


def gemini_answer(body, plan, nbytes, stream):
    parts = []
    if plan.think:
        parts.append({"text": plan.think, "thought": True})
    if plan.text is not None and (plan.text or not plan.calls):
        parts.append({"text": plan.text})
    for n, a, _, _ in plan.calls:
        parts.append({"functionCall": {"name": n, "args": a}})
    inp = est(nbytes)
    um = {"promptTokenCount": inp, "candidatesTokenCount": 25, "totalTokenCount": inp + 25}
    rid = Ids.new("gem")
    if not stream:
        return {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
                "usageMetadata": um, "modelVersion": "stub", "responseId": rid}, None
    ev = []
    for i, p in enumerate(parts):
        cand = {"content": {"role": "model", "parts": [p]}, "index": 0}
        if i == len(parts) - 1:
            cand["finishReason"] = "STOP"
        ev.append((None, {"candidates": [cand], "usageMetadata": um, "modelVersion": "stub", "responseId": rid}))
    return None, ev


def schema_wanted(wire, body):
    if wire == "anthropic":
        f = (body.get("output_config") or {}).get("format") or body.get("output_format") or {}
        return f.get("schema")
    if wire == "responses":
        f = (body.get("text") or {}).get("format") or {}
        return f.get("schema")
    if wire == "chat":
        f = body.get("response_format") or {}
        return (f.get("json_schema") or {}).get("schema")
    if wire == "gemini":
        g = body.get("generationConfig") or {}
        return g.get("responseJsonSchema") or g.get("responseSchema")
    return None


ERR_TYPES = {400: "invalid_request_error", 401: "authentication_error", 403: "permission_error",
             404: "not_found_error", 413: "request_too_large", 429: "rate_limit_error", 500: "api_error",
             529: "overloaded_error"}


def error_body(wire, status, message="stub fault"):
    ty = ERR_TYPES.get(status, "api_error")
    if wire.startswith("anthropic"):
        return {"type": "error", "error": {"type": ty, "message": message}, "request_id": Ids.new("req_")}
    if wire.startswith("gemini"):
        return {"error": {"code": status, "message": message, "status": ty.upper()}}
    return {"error": {"message": message, "type": ty, "param": None, "code": None}}

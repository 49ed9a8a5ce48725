# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a request to a model service says: decoding, tools offered, the step that
a script takes next."""
import ctypes
import ctypes.util
import gzip
import json
import zlib

SHELL_NAMES = ["Bash", "bash", "exec_command", "shell_command", "shell", "run_shell_command",
               "execute_command", "run_commands", "exec", "local_shell", "terminal", "run_terminal_cmd"]
WRITE_NAMES = ["Write", "write", "write_file", "write_to_file", "create_file", "editor"]


def zstd_decompress(data, limit=64 << 20):
    name = ctypes.util.find_library("zstd") or "libzstd.so.1"
    z = ctypes.CDLL(name)
    z.ZSTD_createDStream.restype = ctypes.c_void_p

    class Buf(ctypes.Structure):
        _fields_ = [("p", ctypes.c_void_p), ("size", ctypes.c_size_t), ("pos", ctypes.c_size_t)]

    z.ZSTD_decompressStream.argtypes = [ctypes.c_void_p, ctypes.POINTER(Buf), ctypes.POINTER(Buf)]
    z.ZSTD_decompressStream.restype = ctypes.c_size_t
    z.ZSTD_isError.argtypes = [ctypes.c_size_t]
    z.ZSTD_freeDStream.argtypes = [ctypes.c_void_p]
    ds = z.ZSTD_createDStream()
    try:
        src = ctypes.create_string_buffer(data, len(data))
        inb = Buf(ctypes.cast(src, ctypes.c_void_p), len(data), 0)
        dst = ctypes.create_string_buffer(1 << 17)
        out = bytearray()
        while True:
            outb = Buf(ctypes.cast(dst, ctypes.c_void_p), 1 << 17, 0)
            r = z.ZSTD_decompressStream(ds, ctypes.byref(outb), ctypes.byref(inb))
            if z.ZSTD_isError(r):
                raise ValueError("bad zstd data")
            out += dst.raw[:outb.pos]
            if len(out) > limit:
                raise ValueError("zstd body over limit")
            if inb.pos >= inb.size and outb.pos < outb.size:
                return bytes(out)
    finally:
        z.ZSTD_freeDStream(ds)


def decode_body(data, encoding):
    for enc in reversed([e.strip().lower() for e in encoding.split(",") if e.strip()]):
        if enc in ("gzip", "x-gzip"):
            data = gzip.decompress(data)
        elif enc == "deflate":
            try:
                data = zlib.decompress(data)
            except zlib.error:
                data = zlib.decompress(data, -15)
        elif enc == "zstd":
            data = zstd_decompress(data)
        elif enc == "identity":
            pass
        else:
            raise ValueError("unknown content-encoding " + enc)
    return data


def wire_of(path):
    p = path.split("?", 1)[0].rstrip("/")
    if p.endswith("/messages/count_tokens"):
        return "anthropic.count"
    if p.endswith("/messages"):
        return "anthropic"
    if p.endswith("/responses"):
        return "responses"
    if p.endswith("/responses/compact"):
        return "responses.compact"
    if p.endswith("/chat/completions"):
        return "chat"
    if ":streamGenerateContent" in p or ":generateContent" in p:
        return "gemini"
    if ":countTokens" in p:
        return "gemini.count"
    if p.endswith("/models") or "/models/" in p:
        return "models"
    return "other"


def tools_of(wire, body):
    """list of (name, schema, kind, namespace)"""
    out = []
    offered = list(body.get("tools") or [])
    if wire == "responses":  # newer clients offer their tools in an input item
        for it in body.get("input") or []:
            if isinstance(it, dict) and it.get("type") == "additional_tools":
                offered += it.get("tools") or []

    def responses_tool(t, ns):
        ty = t.get("type")
        if ty == "function":
            out.append((t.get("name"), t.get("parameters") or {}, "function", ns))
        elif ty in ("custom", "local_shell"):
            out.append((t.get("name") or ty, {}, ty, ns))
        elif ty == "namespace":
            for u in t.get("tools") or []:
                responses_tool(u, t.get("name"))

    for t in offered:
        if not isinstance(t, dict):
            continue
        if wire == "anthropic":
            if "input_schema" in t:
                out.append((t.get("name"), t["input_schema"], "function", None))
        elif wire == "responses":
            responses_tool(t, None)
        elif wire == "chat":
            f = t.get("function") or {}
            out.append((f.get("name"), f.get("parameters") or {}, "function", None))
        elif wire == "gemini":
            for f in t.get("functionDeclarations") or []:
                out.append((f.get("name"), f.get("parametersJsonSchema") or f.get("parameters") or {}, "function", None))
    return out


def rounds_of(wire, body, prev_rounds):
    n = 0
    if wire == "anthropic":
        for m in body.get("messages") or []:
            c = m.get("content")
            if m.get("role") == "assistant" and isinstance(c, list) and any(
                    isinstance(b, dict) and b.get("type") == "tool_use" for b in c):
                n += 1
    elif wire == "chat":
        n = sum(1 for m in body.get("messages") or [] if m.get("role") == "assistant" and m.get("tool_calls"))
    elif wire == "responses":
        n = prev_rounds
        last_call = False
        for it in body.get("input") or []:
            if not isinstance(it, dict):
                continue
            ty = it.get("type", "")
            if ty.endswith("_call"):
                if not last_call:
                    n += 1
                last_call = True
            elif ty.endswith("_call_output"):
                last_call = False
    elif wire == "gemini":
        for m in body.get("contents") or []:
            if any("functionCall" in p for p in m.get("parts") or []):
                n += 1
    return n


def sample(schema, depth=0):
    """the smallest value that fits a JSON schema"""
    if not isinstance(schema, dict) or depth > 6:
        return "x"
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return schema["enum"][0]
    for k in ("anyOf", "oneOf"):
        if schema.get(k):
            return sample(schema[k][0], depth + 1)
    ty = schema.get("type")
    if isinstance(ty, list):
        ty = ty[0]
    ty = (ty or ("object" if "properties" in schema else "string")).lower()
    if ty == "object":
        props = schema.get("properties") or {}
        return {k: sample(props.get(k, {}), depth + 1) for k in schema.get("required") or list(props)}
    if ty == "array":
        return [sample(schema.get("items") or {}, depth + 1)] * (schema.get("minItems") or 0)
    if ty in ("integer", "number"):
        return schema.get("minimum", 1)
    if ty == "boolean":
        return False
    if ty == "null":
        return None
    return "stub"


def fill_args(schema, values):
    props = schema.get("properties") or {}
    req = schema.get("required") or []
    out = {}
    for k, ps in props.items():
        if k in values:
            v = values[k]
            ty = ps.get("type")
            if isinstance(ty, list):
                ty = ty[0]
            if k in ("command", "cmd") and (ty or "").lower() == "array":
                v = ["bash", "-lc", v]
            if k == "commands" and (ty or "").lower() == "array":
                items = ps.get("items") or {}
                alts = items.get("anyOf") or [items]
                if not any((a.get("type") or "") == "string" for a in alts):
                    v = [{**sample(alts[0]), "command": v}]
                else:
                    v = [v]
            out[k] = v
        elif k in req:
            out[k] = sample(ps)
    return out if props else dict(values)


class Plan:
    """what one answer consists of"""

    def __init__(self):
        self.think = None
        self.text = None
        self.calls = []  # (name, args or raw string, kind, namespace)


def plan_step(step, tools, cwd):
    def sub(x):
        if isinstance(x, str):
            return x.replace("$CWD", cwd)
        if isinstance(x, dict):
            return {k: sub(v) for k, v in x.items()}
        if isinstance(x, list):
            return [sub(v) for v in x]
        return x

    p = Plan()
    p.think = step.get("think")
    p.text = step.get("text")
    by = {}
    for n, s, k, ns in tools:
        by.setdefault(n, (s, k, ns))

    def add(st):
        st = sub(st)
        if "shell" in st:
            cmd = st["shell"]
            for n in SHELL_NAMES:
                if n in by and by[n][1] != "custom":
                    s, k, ns = by[n]
                    p.calls.append((n, fill_args(s, {"command": cmd, "cmd": cmd, "commands": cmd,
                                                     "description": "stub step"}), k, ns))
                    return
            if "exec" in by and by["exec"][1] == "custom":  # a script tool that calls nested tools
                js = ("const r = await tools.exec_command({cmd: %s}); text(r.output ?? JSON.stringify(r));"
                      % json.dumps(cmd))
                p.calls.append(("exec", js, "custom", by["exec"][2]))
                return
        elif "write" in st:
            w = st["write"]
            for n in WRITE_NAMES:
                if n in by:
                    s, k, ns = by[n]
                    v = {x: w["path"] for x in ("file_path", "filePath", "path", "absolute_path", "absolutePath",
                                                "filepath")}
                    v.update({"content": w["content"], "file_text": w["content"], "new_text": w["content"],
                              "contents": w["content"]})
                    if n == "editor":
                        v["command"] = "create"
                    p.calls.append((n, fill_args(s, v), k, ns))
                    return
            if "apply_patch" in by:
                patch = "*** Begin Patch\n*** Add File: %s\n%s\n*** End Patch\n" % (
                    w["path"], "\n".join("+" + x for x in w["content"].rstrip("\n").split("\n")))
                s, k, ns = by["apply_patch"]
                p.calls.append(("apply_patch", patch if k == "custom" else
                                fill_args(s, {"input": patch, "patchText": patch}), k, ns))
                return
            add({"shell": "printf %%s '%s' > '%s'" % (w["content"], w["path"])})
            return
        elif "tool" in st and (st["tool"] in by or st.get("force")):
            _, k, ns = by.get(st["tool"], ({}, "function", None))
            p.calls.append((st["tool"], st.get("args", {}), k, ns))
            return
        if p.text is None:
            p.text = "(stub: no offered tool fits this step)"

    if "calls" in step:
        for st in step["calls"]:
            add(st)
    elif any(k in step for k in ("shell", "write", "tool")):
        add(step)
    elif p.text is None:
        p.text = "ok"
    return p

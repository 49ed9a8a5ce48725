# SPDX-License-Identifier: LGPL-2.1-or-later
"""What tools/quickstart shows once anet is built: demo.py PREFIX

1. A small agent in the sandbox does a task with a model: the real service if ANTHROPIC_API_KEY is set, else
   the project's double of it.
2. The same agent tries what it must not manage, without anet and then in the sandbox.

Part 2 and the double live in namespaces of their own (tests/lib/private.py): /home, /root, /tmp and /run are
empty directories there, the secrets to be found are planted, api.anthropic.com is the double on loopback.
Exit status: 0 if everything went as it must.
"""
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import textwrap
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
PREFIX = os.path.abspath(sys.argv[1])
os.environ["ANET_PREFIX"] = PREFIX
sys.path.insert(0, os.path.join(HERE, "..", "..", "tests", "lib"))
import private  # noqa: E402
from model import Model  # noqa: E402
from tap import Skip  # noqa: E402
from world import KEY, World  # noqa: E402

# demo.json, the runtime, is in the configuration of this anet.
RUN = [os.path.join(PREFIX, "bin", "anet"), "run", "--agent", "demo", "--", "python3", "agent.py"]
SCRIPT = [{"write": {"path": "hello.txt", "content": "hello from a sandboxed agent\n"}},
          {"shell": "cat hello.txt"}, {"text": "hello.txt is written and reads as it should."}]
COLOUR = sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def paint(text, code):
    return "\033[%sm%s\033[0m" % (code, text) if COLOUR else text


def heading(text):
    print("\n" + paint(text, "1"), flush=True)


def events(process, facts=None):
    """The agent's JSON lines; what is none of them is shown as it is."""
    if facts is not None:
        process.stdin.write(json.dumps(facts).encode())
        process.stdin.close()
    for line in process.stdout:
        try:
            yield json.loads(line)
        except ValueError:
            print("  " + line.decode("utf-8", "replace").rstrip(), flush=True)


def show_job(process):
    """Prints the agent's work as it goes on; whether it ended well."""
    for event in events(process):
        if event["event"] == "task":
            print("  task:  " + event["text"])
        elif event["event"] == "says":
            print("  model: " + event["text"])
        else:
            print("  tool:  %s %s -> %s" % (event["name"], json.dumps(event["input"]), event["output"].strip()))
        sys.stdout.flush()
    status = process.wait()
    if status != 0:
        print(paint("  the agent ended with status %d" % status, "31"))
    return status == 0


def collect(process, facts):
    outcomes = {event["what"]: event for event in events(process, facts)}
    status = process.wait()
    if status != 0:
        print(paint("  the agent ended with status %d" % status, "31"))
    return outcomes


def anet_run(world, *arguments, **popen):
    popen.setdefault("stderr", None)
    return world.start([*RUN, *arguments], env={"ANTHROPIC_API_KEY": KEY}, **popen)


def real_job():
    """Part 1 against the real service, as the caller and in his own network."""
    workspace = tempfile.mkdtemp(prefix="anet-quickstart-", dir="/var/tmp")
    try:
        shutil.copy(os.path.join(HERE, "agent.py"), workspace)
        process = subprocess.Popen([*RUN, "job"], cwd=workspace, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        return show_job(process) and os.path.exists(os.path.join(workspace, "hello.txt"))
    finally:
        shutil.rmtree(workspace, ignore_errors=True)


def double_job(world, model):
    ok = show_job(anet_run(world, "job"))
    written = os.path.join(world.workspace, "hello.txt")
    ok = ok and os.path.exists(written)
    requests = model.requests()
    if not requests:
        print("  The service's double got no request.")
        return False
    body = requests[0]["body"]
    print("\n  %-15s %-28s %s" % ("", "the agent sent", "the service got"))
    for name, sent, got in (
            ("key", "anet-placeholder-key", "the real one" if model.headers("x-api-key")[0] == KEY else "?"),
            ("model", "claude-opus-5-5", body.get("model")),
            ("max_tokens", "100000", body.get("max_tokens"))):
        print("  %-15s %-28s %s" % (name, sent, got))
    return ok


def plant(world):
    """What there is to be stolen, and the host's open doors."""
    world.file(".ssh/id_ed25519", "a private key, planted by the demonstration\n", 0o600)
    world.file(".aws/credentials", "a credential, planted by the demonstration\n", 0o600)
    facts = {"home": world.home, "config": os.path.join(PREFIX, "etc/anet/runtimes/demo.json"),
             "abstract": "anet-demo-%d" % os.getpid(),
             "key_prefix": KEY[:16]}
    shutil.copy(os.path.join(HERE, "agent.py"), world.workspace)
    port = socket.create_server(("127.0.0.1", 0))
    abstract = socket.socket(socket.AF_UNIX)
    abstract.bind("\0" + facts["abstract"])
    abstract.listen()
    for listener in (port, abstract):
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
    facts["port"] = port.getsockname()[1]
    return facts


def serve(listener):
    while True:
        listener.accept()[0].close()


def in_words(event):
    return "-" if event is None else "worked" if event["worked"] else "refused"


def show_table(without, inside, model):
    """Prints it; whether every row is as it must be."""
    width = max(len(what) for what in inside)
    room = shutil.get_terminal_size((200, 24)).columns - width - 48 if sys.stdout.isatty() else 1000
    print("  %-*s  %-13s %-10s %-18s %s" % (width, "", "without anet", "in anet", "by", "the agent was told"))
    bad = []
    for what, event in inside.items():
        layer, detail, control = event["layer"], event["detail"], without.get(what)
        right = not event.get("broken") and event["worked"] == (layer in (None, True))
        word = in_words(event)
        if layer is True:
            layer = "gateway"
            if event["worked"]:
                body = model.requests()[-1]["body"]
                word, right = "rewritten", body.get("max_tokens", 0) <= 8192
                detail = "the service was asked for %s tokens of %s" % (body.get("max_tokens"), body.get("model"))
        if layer == "gateway":
            control = None  # there is none without anet
            # A gateway that died refuses as well, but not so.
            right = right and (event["worked"] or "anet: " in event["detail"])
        if not right:
            bad.append(what)
        if len(detail) > room:
            detail = detail[:max(room - 1, 0)] + "\u2026" if room > 10 else ""
        print("  %-*s  %-13s %s %-18s %s" % (width, what, in_words(control), paint("%-10s" % word, "32" if right else "31"),
                                           layer or "", detail))
    for what in bad:
        print(paint("  NOT AS IT MUST BE: %s" % what, "31"))
    return not bad


def main():
    key = os.environ.get("ANTHROPIC_API_KEY")
    if key:
        heading("1. An agent in the sandbox does a task with the real model service (this costs a little)")
        first = real_job()
    try:
        private.enter()
    except Skip as reason:
        print("The demonstration cannot run: %s" % reason)
        return 1
    world = World("root" if private.is_root else "user")
    facts = plant(world)
    with Model(script=SCRIPT, cwd=world.workspace, side_text="Hello.") as model:
        if not key:
            heading("1. An agent in the sandbox does a task with a model")
            print("  ANTHROPIC_API_KEY is not set: a double stands in for api.anthropic.com, behind TLS.\n")
            first = double_job(world, model)
        heading("2. The same agent tries what it must not manage")
        pipes = {"stdin": subprocess.PIPE}
        without = collect(world.start(["python3", "agent.py", "attempts"], env={"ANTHROPIC_API_KEY": KEY},
                                      stderr=None, **pipes), facts)
        with tempfile.TemporaryFile() as told:
            inside = collect(anet_run(world, "attempts", stderr=told, **pipes), facts)
            second = bool(inside) and show_table(without, inside, model)
            told.seek(0)
            print("\n  What anet told the operator meanwhile:\n")
            sys.stdout.flush()
            print(textwrap.indent(told.read().decode("utf-8", "replace").rstrip(), "  "))
    if first and second:
        refused = sum(not event["worked"] for event in inside.values())
        heading("All as it must be: the task was done, %d of %d attempts were refused." % (refused, len(inside)))
        return 0
    heading("Something was not as it must be: see above.")
    return 1


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)

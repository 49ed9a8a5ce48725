# SPDX-License-Identifier: LGPL-2.1-or-later
"""The task of SPEC's scenario by a real agent from npm that speaks OpenAI's wire,
in the sandbox, against the model service's double; and a request of it that
breaks a rule.  Claude Code has its own: claude.py."""
import json
import os
import re
import shutil
import subprocess

import npm
import private
from agents import without_comments
from model import PLACEHOLDER, Model, ModelStub  # noqa: F401
from tap import Skip, run_test
from world import ANET, KEY, PATIENCE, has, require_product, worlds

TASK = "Create hello.txt with a greeting and list the folder"
MODEL = "gpt-6-luna"
BASE = "https://%s/v1" % private.OPENAI_HOST
RUNTIMES = os.path.join(private.PREFIX, "share", "anet", "runtimes")
REMOTE = "git.example/team-of-the-operator"

# The slowest needs 12 s of an idle processor.
SECONDS = 6 * PATIENCE

# All that a request has; no agent's own field is among them.
HEADER_FIELDS = {"host", "user-agent", "accept-encoding", "accept", "authorization", "content-type", "content-length"}
# What people and tools wrote.  It may say where it was written.
PROMPT = ("messages", "input", "tools")

# Looks for the key, which the command itself holds in two pieces only.
LOOK = """
cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline >/tmp/seen 2>/dev/null
printf '%%s%%s\\n' '%s' '%s' >/tmp/wanted
echo "bytes of processes: $(wc -c </tmp/seen), with the key: $(grep -caFf /tmp/wanted /tmp/seen)"
mkdir /tmp/apart && mv /tmp/wanted /tmp/apart
echo "files with the key: $(timeout 30 grep -rlaF --exclude-dir=apart -D skip -f /tmp/apart/wanted \
/etc /run /tmp ~ . 2>/dev/null | wc -l)"
""" % (KEY[:20], KEY[20:])

SCRIPT = [{"write": {"path": "$CWD/hello.txt", "content": "hello from the stub\n"}},
          {"shell": "ls -la $CWD && cat $CWD/hello.txt"}, {"shell": LOOK}, {"text": "Done: hello.txt is written."}]


class Client:
    """`path`: of the API that it uses; `change(runtime)` makes its runtime ask for what
    a rule refuses; `more_requests`: besides one for each step of the script;
    `refused`: how often it asks then."""

    def __init__(self, name, path, change, more_requests=0, refused=1):
        self.name, self.path, self.change = name, path, change
        self.more_requests, self.refused = more_requests, refused


def install(name):
    """Before private.enter().  What must be in PATH then."""
    return [os.path.join(npm.install(each), "bin") for each in (name, "node")]


def own_runtimes():
    """The installed ones in a directory that the test can write to."""
    ours = os.path.join(private.directory, "runtimes")
    shutil.copytree(RUNTIMES, ours)
    private.mount(ours, RUNTIMES, flags=private.MS_BIND)


def load(name):
    with open(os.path.join(RUNTIMES, name + ".json")) as file:
        return without_comments(file.read())


def variant(name, new_name, change):
    """Another runtime of that program."""
    runtime = load(name)
    runtime["name"] = new_name
    change(runtime)
    with open(os.path.join(RUNTIMES, new_name + ".json"), "w") as file:
        json.dump(runtime, file)


def configure(world, name, runtime, **more):
    """Its service is that of OpenAI, where the runtime leaves it to the agent."""
    base = {} if "host" in load(runtime) else {"api_base": BASE}
    value = {"runtime": runtime, "model": MODEL, **base, **more}
    return world.agent(name, value)


def ask(world, agent, *words):
    return world.run([ANET, "run", "--agent", agent, *(words or ("--task", TASK))], env={"OPENAI_API_KEY": KEY},
                     timeout=SECONDS)


def make_repository(world):
    """Some agents tell the service of it, with the address and the commit."""
    if not has("git"):
        raise Skip("there is no git")
    for command in (["init", "-q"], ["remote", "add", "origin", "https://%s.git" % REMOTE],
                    ["-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "--allow-empty", "-m", "first"]):
        subprocess.run(["git", *command], cwd=world.workspace, check=True, env=world.env, **world.identity())


def fields(record):
    return {name.lower(): value for name, value in record["headers"]}


def check_requests(results, records):
    """What may leave the machine."""
    results.equal("all header fields are anet's", {name for record in records for name in fields(record)}, HEADER_FIELDS)
    results.equal("the operator's key is the only credential", {fields(record)["authorization"] for record in records},
                  {"Bearer " + KEY})
    results.ok("who asks is anet", all(re.fullmatch(r"anet/[0-9.a-z~-]+", fields(record)["user-agent"])
                                       for record in records), [fields(record)["user-agent"] for record in records])
    results.equal("the pinned model", {record["body"]["model"] for record in records}, {MODEL})
    results.equal("nothing is stored there", {record["body"].get("store") for record in records}, {False})
    tokens = [record["body"].get(name) for record in records
              for name in ("max_tokens", "max_completion_tokens", "max_output_tokens") if name in record["body"]]
    results.ok("each answer has at most 8192 tokens", len(tokens) == len(records) and
               all(0 < number <= 8192 for number in tokens), tokens)
    results.equal("nothing that identifies", identifying(records), [])


def identifying(records):
    """What is in these requests of that which must not leave the machine."""
    everything = json.dumps([[record["headers"], record["body"]] for record in records])
    beside = json.dumps([{name: value for name, value in record["body"].items() if name not in PROMPT} for record in records])
    return [text for text in (PLACEHOLDER, REMOTE, "installation") if text in everything] + \
        [text for text in (os.uname().release, "/work", "/home", "metadata", "device", '"user"', "session", "thread")
         if text in beside]


def task(results, world, model, client):
    model.cwd, model.script = world.workspace, SCRIPT
    model.records.clear()
    make_repository(world)
    configure(world, "worker", client.name)
    result = ask(world, "worker")
    results.equal("status", result.status, 0, result)
    results.contains("the final text is on stdout", result.text, "Done: hello.txt is written.\n")
    hello = os.path.join(world.workspace, "hello.txt")
    content = open(hello).read() if os.path.exists(hello) else None
    results.equal("the file is there", content, "hello from the stub\n", result)
    if content and private.is_root:
        results.equal("and belongs to the workspace's owner", os.lstat(hello).st_uid, world.uid)
    records = model.requests(client.path)
    results.equal("nothing else was asked of the service",
                  [record for record in model.records if "path" in record and record not in records], [])
    results.equal("the requests", len(records), len(SCRIPT) + client.more_requests,
                  [sorted(record["body"]) for record in records])
    results.lacks("none was refused", result.errors, "refused a request")
    check_requests(results, records)
    found = json.dumps([record["body"] for record in records])
    results.contains("a tool looked at the processes", found, "with the key: 0")
    results.contains("... and at the files", found, "files with the key: 0")
    results.lacks("no key on standard output and error", result.text + result.errors, KEY)


# Both write to one standard error: a line of anet's may begin in the middle of one of the client's.
REFUSED = r"anet: refused a request of the agent[^\n]*"


def refused_requests(result):
    return len(re.findall(REFUSED, result.errors))


def shown(result):
    """What the client itself says: anet's own lines are not among it."""
    return re.sub(REFUSED, "", result.text + result.errors)


def refusal(results, world, model, client):
    model.cwd, model.script = world.workspace, [{"text": "It must not come this far."}]
    model.records.clear()
    variant(client.name, "breaks", client.change)
    configure(world, "breaker", "breaks")
    result = ask(world, "breaker")
    results.ok("it ends with a failure", result.status not in (0, "timeout"), result)
    results.contains("it shows the sentence", shown(result), "anet: tools that run at the model service are not allowed")
    results.equal("it does not ask again", refused_requests(result), client.refused, result)
    results.equal("nothing was forwarded", [record["path"] for record in model.records if "path" in record], [])


def client_test(client, *others):
    """Runs all of it; `others(results, world, model)` come after."""

    def test(results):
        require_product()
        path = install(client.name)
        private.enter()
        own_runtimes()
        with Model(cwd="/") as model:
            for world in worlds():
                world.env["PATH"] = ":".join(path + [world.env["PATH"]])
                with results.under("%s as %s: " % (client.name, world.user)):
                    task(results, world, model, client)
            with results.under("%s, against a rule: " % client.name):
                refusal(results, world, model, client)
            for part in others:
                with results.under("%s, %s: " % (client.name, part.__doc__)):
                    part(results, world, model)

    run_test(test)

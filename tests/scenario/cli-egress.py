#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=300
"""The hosts that runs may reach, as they are written: what is new is asked about at the
terminal, a model service is in no list, and `anet why --host` says what allows one."""
import json
import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import machine  # noqa: E402
from agents import ESCAPE, agent, clean, left, path_of, read, value, without_comments, write  # noqa: E402
from harness import ANET, Terminal, product_test, worlds  # noqa: E402

CONFIG = os.path.join(machine.config_directory(), "config.json")
MANY = ["h%d.example" % n for n in range(64)]


def asked(world, *words, answer="y\n", streams=None):
    """Status and what the terminal showed; `answer` comes when it is asked."""
    terminal = Terminal([*(streams or ()), ANET, *words], cwd=world.workspace, env=world.env, **world.identity())
    was_asked = terminal.expect("[y/N] ", 10)
    if was_asked and answer is not None:
        terminal.type(answer)
    elif was_asked:
        os.kill(terminal.process.pid, signal.SIGKILL)
    status = terminal.wait(15)
    text = terminal.read()
    terminal.close()
    return status, text, was_asked


def alone(world, *words):
    """Without a terminal, whoever runs the tests has one."""
    return world.run([ANET, *words], start_new_session=True)


def egress_of(world, name="demo"):
    return value(world, name).get("egress")


def asking(results, world):
    clean(world)
    agent(world, "add", "demo", "--runtime", "command", "--strategy", "srt")
    before = read(path_of(world, "demo"))
    for answer in ("n\n", "\n", "maybe\n", "yy\n", "Y\n", "\x04", "yes please\n"):
        status, text, _ = asked(world, "agent", "set", "demo", "--egress", "pypi.org", answer=answer)
        results.equal("the answer %r" % answer, (status, read(path_of(world, "demo")), "[not_confirmed]" in text),
                      (77, before, True), text)
    status, text, _ = asked(world, "agent", "set", "demo", "--egress", "pypi.org,files.example", "--model", "x")
    results.equal("yes", (status, egress_of(world), value(world, "demo")["model"]), (0, ["pypi.org", "files.example"], "x"), text)
    for part in ('runs of agent "demo"', "\r\n  pypi.org\r\n  files.example\r\n", "way out"):
        results.contains("what was asked: %r" % part, text, part)
    status, text, _ = asked(world, "agent", "set", "demo", "--egress", "new.example,pypi.org", answer="yes\n")
    results.equal("one goes, one comes", (status, egress_of(world)), (0, ["new.example", "pypi.org"]), text)
    results.ok("only what is new is listed", "  new.example\r\n" in text and "  pypi.org" not in text, text)
    status, text, _ = asked(world, "agent", "set", "demo", "--egress", "public")
    results.ok("public", status == 0 and egress_of(world) == "public" and "  every public host\r\n" in text, text)
    results.equal("nothing but the lock is left", left(world), [".lock"])
    for name, words, want in (("a list in the place of public", ["--egress", "a.example,b.example"], ["a.example", "b.example"]),
                              ("less of the list", ["--egress", "b.example"], ["b.example"]),
                              ("the same", ["--egress", "b.example"], ["b.example"]),
                              ("none", ["--egress", "none"], "none"),
                              ("unset", ["--unset", "egress"], None)):
        result = alone(world, "agent", "set", "demo", *words)
        results.equal("taken away without a question: " + name, (result.status, egress_of(world)), (0, want), result)
    status, text, was_asked = asked(world, "agent", "set", "demo", "--egress", "none")
    results.equal("nor at a terminal", (status, was_asked), (0, False), text)


def no_terminal(results, world):
    clean(world)
    agent(world, "add", "demo", "--runtime", "command", "--strategy", "srt", "--egress", "none")
    before = read(path_of(world, "demo"))
    for words in (["set", "demo", "--egress", "pypi.org"], ["set", "demo", "--egress", "public"],
                  ["add", "new", "--runtime", "command", "--strategy", "srt", "--egress", "pypi.org"]):
        result = world.run([ANET, "agent", *words], start_new_session=True, input=b"y\n")
        results.ok("no terminal: " + " ".join(words), result.status == 77 and "[terminal_required]" in result.errors, result)
    results.equal("nothing is written", (read(path_of(world, "demo")), os.path.exists(path_of(world, "new"))), (before, False))
    status, text, _ = asked(world, "agent", "set", "demo", "--egress", "pypi.org",
                            streams=["sh", "-c", 'exec "$@" </dev/null >/dev/null 2>&1', "sh"])
    results.equal("a person, whatever the streams are", (status, egress_of(world)), (0, ["pypi.org"]), text)
    status, text, _ = asked(world, "agent", "set", "demo", "--egress", "b.example", answer=None)
    results.equal("killed while it asks", (status, egress_of(world)), (-signal.SIGKILL, ["pypi.org"]), text)
    status, text, _ = asked(world, "agent", "set", "demo", "--egress", "b.example", answer="\x03")
    results.equal("interrupted while it asks", (status, egress_of(world)), (-signal.SIGINT, ["pypi.org"]), text)


def typed_before(results, world):
    """An answer to a question that nobody has seen is none."""
    clean(world)
    agent(world, "add", "demo", "--runtime", "command", "--strategy", "srt")
    terminal = Terminal(["sh", "-c", 'echo ready; read -r go; sleep 0.5; exec "$@"', "sh", ANET, "agent", "set", "demo",
                         "--egress", "pypi.org"], cwd=world.workspace, env=world.env, **world.identity())
    terminal.expect("ready")
    terminal.type("go\n")
    terminal.type("y\n")
    shown = terminal.expect("[y/N] ")
    results.equal("what was typed before is no answer", (shown, terminal.process.poll(), egress_of(world)), (True, None, None),
                  terminal.read())
    terminal.type("y\n")
    results.equal("and then", (terminal.wait(10), egress_of(world)), (0, ["pypi.org"]))
    terminal.close()


def while_it_asks(results, world):
    """Others are not kept waiting, and what they wrote stays."""
    clean(world)
    agent(world, "add", "demo", "--runtime", "command", "--strategy", "srt")
    terminal = Terminal([ANET, "agent", "set", "demo", "--egress", "pypi.org"], cwd=world.workspace, env=world.env,
                        **world.identity())
    terminal.expect("[y/N] ")
    result = agent(world, "set", "demo", "--model", "other", timeout=20)
    results.equal("another writer", (result.status, value(world, "demo")["model"]), (0, "other"), result)
    terminal.type("y\n")
    status = terminal.wait(15)
    results.equal("both are there", (status, egress_of(world), value(world, "demo")["model"]), (0, ["pypi.org"], "other"),
                  terminal.read())
    terminal.close()
    terminal = Terminal([ANET, "agent", "set", "demo", "--egress", "pypi.org,b.example"], cwd=world.workspace, env=world.env,
                        **world.identity())
    terminal.expect("[y/N] ")
    alone(world, "agent", "set", "demo", "--egress", "none")
    terminal.forget()
    terminal.type("y\n")
    again = terminal.expect("[y/N] ")
    text = terminal.read()
    terminal.type("n\n")
    results.equal("what is new has become more: asked again", (again, "  pypi.org\r\n" in text, terminal.wait(15), egress_of(world)),
                  (True, True, 77, "none"), text)
    terminal.close()


def adding(results, world):
    clean(world)
    status, text, _ = asked(world, "agent", "add", "demo", "--runtime", "command", "--egress", "pypi.org")
    results.equal("a new agent", (status, value(world, "demo")), (0, {"runtime": "command", "strategy": "srt",
                                                                     "egress": ["pypi.org"]}), text)
    status, text, _ = asked(world, "agent", "add", "other", "--runtime", "command", "--egress", "pypi.org", answer="n\n")
    results.equal("no", (status, os.path.exists(path_of(world, "other"))), (77, False), text)
    result = alone(world, "agent", "set", "demo", "--strategy", "host")
    results.ok("no strategy without a boundary", result.status == 69 and "[egress_unsupported]" in result.errors, result)
    result = alone(world, "agent", "set", "demo", "--strategy", "host", "--egress", "none")
    results.equal("but without the hosts", (result.status, value(world, "demo")["strategy"]), (0, "host"), result)
    result = alone(world, "agent", "set", "demo", "--egress", "a.example")
    results.ok("nor hosts without a boundary", result.status == 69 and "[egress_unsupported]" in result.errors, result)
    write(world, "demo", json.dumps({"runtime": "command", "strategy": "srt", "egress": MANY}))
    result = alone(world, "agent", "set", "demo", "--model", "x")
    results.equal("64 hosts stay", (result.status, egress_of(world)), (0, MANY), result)
    result = alone(world, "agent", "set", "demo", "--egress", ",".join([*MANY, "more.example"]))
    results.ok("65 do not", result.status == 78 and "[host_invalid]" in result.errors and "more than 64" in result.errors, result)
    write(world, "demo", '{"runtime": "command", "strategy": "srt", "egress": ["a.example"], "modell": 1}')
    result = alone(world, "agent", "set", "demo", "--egress", "a.example")
    results.ok("a file with a mistake", result.status == 78 and "modell" in result.errors, result)
    for entry in (ESCAPE, "a.example\n", "a" * 254, "b\u00fccher.example", "1.2.3.4", "a.example:443", "*.example", "x.local"):
        result = alone(world, "agent", "set", "demo", "--egress", entry)
        results.ok("refused: %.30r" % entry, result.status == 78 and "[host_invalid]" in result.errors and
                   b"\033" not in result.err, result)


def services(results, world):
    """SPEC S8.1: a list has no model service, whichever of the two comes first."""
    clean(world)
    base = ["--runtime", "command", "--strategy", "srt", "--model", "x"]
    agent(world, "add", "based", *base, "--api-base", "https://llm.example/v1")
    agent(world, "add", "demo", "--runtime", "command", "--strategy", "srt")
    for host, part in (("llm.example", 'agent "based"'), ("api.openai.com", "models.json"), ("api.anthropic.com", "models.json")):
        for words in (["set", "demo"], ["add", "new", *base]):
            result = alone(world, "agent", *words, "--egress", "a.example," + host)
            results.ok("%s: %s" % (words[0], host), result.status == 78 and "[egress_model_host]" in result.errors and
                       part in result.errors and host in result.errors, result)
    result = alone(world, "agent", "set", "based", "--egress", "llm.example")
    results.ok("its own", result.status == 78 and "[egress_model_host]" in result.errors, result)
    asked(world, "agent", "set", "demo", "--egress", "later.example")
    for words in (["set", "based"], ["add", "new", *base]):
        result = alone(world, "agent", *words, "--api-base", "https://later.example:8443")
        results.ok("%s: an api_base that a list has" % words[0], result.status == 78 and "[egress_model_host]" in result.errors and
                   "later.example" in result.errors and 'agent "demo"' in result.errors, result)
    result = alone(world, "agent", "set", "based", "--api-base", "https://free.example")
    results.equal("one that no list has", result.status, 0, result)
    # An editor does not ask.
    write(world, "based", '{"runtime": "command", "strategy": "srt", "model": "x", "api_base": "https://later.example"}')
    result = alone(world, "config", "check")
    results.ok("config check", result.status == 78 and "later.example" in result.text and "[egress_model_host]" in result.text, result)
    result = alone(world, "agent", "set", "demo", "--model", "y")
    results.ok("another change of it waits", result.status == 78 and "[egress_model_host]" in result.errors, result)
    result = alone(world, "run", "--agent", "demo", "--", "true")
    results.ok("no session starts", result.status == 78 and "[egress_model_host]" in result.errors, result)
    result = alone(world, "agent", "set", "demo", "--egress", "none")
    results.equal("until it is taken away", (result.status, alone(world, "config", "check").status), (0, 0), result)
    write(world, "demo", '{"runtime": "command", "strategy": "host", "egress": "public"}')
    result = alone(world, "config", "check")
    results.ok("config check: no boundary", "[egress_unsupported]" in result.text, result)


def explained(results, world):
    clean(world)
    write(world, "demo", '{"runtime": "command", "strategy": "srt",\n"egress": ["pypi.org", "files.example"]}')
    write(world, "open", '{"runtime": "command", "strategy": "srt", "egress": "public"}')
    write(world, "full", json.dumps({"runtime": "command", "strategy": "srt", "egress": MANY}))
    origin = path_of(world, "demo") + ":2"
    for name, host, verdict, code, allow, config in (
            ("demo", "pypi.org", "through a tunnel", None, None, origin),
            ("demo", "evil.example", "refused", "tunnel_host",
             "anet agent set demo --egress pypi.org,files.example,evil.example", origin),
            ("demo", "www.pypi.org", "refused", "tunnel_host",
             "anet agent set demo --egress pypi.org,files.example,www.pypi.org", origin),
            ("demo", "api.openai.com", "refused", "egress_model_host", None, None),
            ("demo", "PyPI.org", "refused", "host_invalid", None, None),
            ("demo", "pypi.org.", "refused", "host_invalid", None, None),
            ("demo", "127.0.0.1", "refused", "host_invalid", None, None),
            ("open", "evil.example", "through a tunnel", None, None, path_of(world, "open") + ":1"),
            ("open", "nas.local", "refused", "host_invalid", None, None),
            ("full", "evil.example", "refused", "tunnel_host", "the list has as many as it may", path_of(world, "full") + ":1"),
            ("command", "pypi.org", "refused", "tunnel_host", "anet run --agent command --egress pypi.org", None)):
        result, said = world.run_json([ANET, "why", "--agent", name, "--host", host], {})
        results.equal("why %s %s" % (name, host), (said.get("verdict"), said.get("code"), said.get("allow"), said.get("config")),
                      (verdict, code, allow, config), result)
        results.equal("its status", result.status, 0 if verdict == "through a tunnel" else 1)
    # The command that was named, word for word.
    result, said = world.run_json([ANET, "why", "--agent", "demo", "--host", "evil.example"], {})
    status, text, _ = asked(world, *said["allow"].split()[1:])
    result, said = world.run_json([ANET, "why", "--agent", "demo", "--host", "evil.example"], {})
    results.equal("what it names allows it", (status, said["verdict"]), (0, "through a tunnel"), text)
    result = agent(world, "show", "demo")
    results.contains("agent show", result.text, '[ "pypi.org", "files.example", "evil.example" ]')
    result = agent(world, "show", "open")
    results.ok("agent show: public", "egress" in result.text and "public" in result.text, result)


def for_peers(results, world):
    """anet autoreply: the machine's, so root's."""
    for path in (CONFIG, CONFIG.replace("config.json", "config.d/9.json")):
        if os.path.exists(path):
            os.unlink(path)
    if world.user != "root":
        result = alone(world, "autoreply", "set", "--egress-allow", "pypi.org")
        results.ok("not a user's", result.status == 77 and "[needs_root]" in result.errors, result)
        path = world.file(".config/anet/config.json", '{"auto_reply": {"sandbox": {"egress_allow": ["pypi.org"]}}}', 0o600)
        result = alone(world, "config", "check")
        results.ok("nor his file's", result.status == 78 and "machine's configuration only" in result.text, result)
        os.unlink(path)
        result, shown = world.run_json([ANET, "autoreply", "show"], {})
        results.equal("show", [row["key"] for row in shown["values"]], ["auto_reply.sandbox.egress_allow"], result)
        return
    text = '// how\n{\n  "limits": {"tasks": 99}, // many\n  "auto_reply": {/* who */ "sandbox": {"egress_allow": ["a.example"]}}\n}\n'
    with open(CONFIG, "w") as file:
        file.write(text)
    status, shown, _ = asked(world, "autoreply", "set", "--egress-allow", "b.example,a.example")
    results.equal("yes: nothing else is changed", (status, read(CONFIG)),
                  (0, text.replace('["a.example"]', '["b.example", "a.example"]')), shown)
    results.ok("what was asked", "turns that answer peers" in shown and "  b.example\r\n" in shown and "  a.example" not in shown, shown)
    before = read(CONFIG)
    status, shown, _ = asked(world, "autoreply", "set", "--egress-allow", "c.example", answer="n\n")
    results.equal("no", (status, read(CONFIG)), (77, before), shown)
    result = alone(world, "autoreply", "set", "--egress-allow", "c.example")
    results.ok("no terminal", result.status == 77 and "[terminal_required]" in result.errors and read(CONFIG) == before, result)
    result, shown = world.run_json([ANET, "autoreply", "show"], {})
    row = shown["values"][0]
    results.equal("show", (shown["schema"], row["key"], row["value"], row["file"], row["line"]),
                  ("anet.autoreply/1", "auto_reply.sandbox.egress_allow", ["b.example", "a.example"], CONFIG, 4), result)
    result = alone(world, "autoreply", "set", "--egress-allow", "a.example")
    results.equal("one is taken away without a question", result.status, 0, result)
    for hosts, code in (("public", "host_invalid"), ("*.example", "host_invalid"), ("api.openai.com", "egress_model_host"),
                        (",".join([*MANY, "more.example"]), "host_invalid")):
        result = alone(world, "autoreply", "set", "--egress-allow", hosts)
        results.ok("refused: %.30s" % hosts, result.status == 78 and "[%s]" % code in result.errors, result)
    clean(world)
    result = agent(world, "add", "based", "--runtime", "command", "--strategy", "srt", "--model", "x", "--api-base",
                   "https://a.example")
    results.ok("an api_base that it names", result.status == 78 and "[egress_model_host]" in result.errors and
               "auto_reply.sandbox.egress_allow" in result.errors, result)
    result = alone(world, "autoreply", "set", "--egress-allow", "")
    results.equal("emptied", (result.status, without_comments(read(CONFIG))),
                  (0, {"limits": {"tasks": 99}, "auto_reply": {"sandbox": {"egress_allow": []}}}), result)
    result = alone(world, "autoreply", "set", "--egress-allow", "")
    results.ok("so already", result.status == 0 and "Nothing is changed" in result.text, result)
    for words in (["set"], ["show", "--egress-allow", "a.example"], ["set", "--json", "--egress-allow", "a.example"], ["sett"], [],
                  ["set", "--egress-allow"], ["show", "x"]):
        result = alone(world, "autoreply", *words)
        results.ok("refused: autoreply " + " ".join(words), result.status == 64 and "[usage]" in result.errors, result)
    os.makedirs(os.path.dirname(CONFIG) + "/config.d", exist_ok=True)
    later = os.path.dirname(CONFIG) + "/config.d/9.json"
    with open(later, "w") as file:
        file.write('{"auto_reply": {"sandbox": {"egress_allow": []}}}')
    result = alone(world, "autoreply", "set", "--egress-allow", "z.example")
    results.ok("another file says it later", result.status == 78 and "[setting_overridden]" in result.errors and
               later + ":1" in result.errors and "z.example" not in read(CONFIG), result)
    os.unlink(later)
    os.unlink(CONFIG)


def test(results):
    for world in worlds():
        for part in (asking, no_terminal, typed_before, while_it_asks, adding, services, explained, for_peers):
            with results.under("as %s: %s: " % (world.user, part.__name__)):
                part(results, world)
                clean(world)


product_test(test, overlays=machine.config_overlays())

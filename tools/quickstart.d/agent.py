# SPDX-License-Identifier: LGPL-2.1-or-later
"""A very small coding agent, and one that misbehaves.

    agent.py job                 asks the model to have a file written and a command run, does so
    agent.py attempts            tries one after the other what a sandboxed agent must not manage

Runs in the sandbox, python3's standard library only.  It prints one JSON object a line; demo.py makes the
table of them.  `attempts` reads a JSON object from stdin: paths, a port and what else to look for.  It is
harmless also outside a sandbox, where demo.py runs it for comparison: each attempt is a process of its own,
what it makes it removes, and it never connects to AF_VSOCK.
"""
import ctypes
import errno
import fcntl
import glob
import http.client
import json
import os
import platform
import signal
import socket
import stat
import subprocess
import sys
import threading
import urllib.parse

libc = ctypes.CDLL(None, use_errno=True)
ARM = platform.machine() == "aarch64"
SYS_ADD_KEY = 217 if ARM else 248
SYS_IO_URING_SETUP = 425
CLONE_NEWUSER = 0x10000000
PTRACE_TRACEME = 0


def tell(**fields):
    print(json.dumps(fields), flush=True)


# ---------------------------------------------------------------- the model

class Refused(Exception):
    """Somebody answered no, in words."""


def connect():
    base = os.environ.get("ANTHROPIC_BASE_URL")
    if not base:
        raise Refused("no model service is announced here")
    url = urllib.parse.urlsplit(base)
    return http.client.HTTPConnection(url.hostname, url.port or 80, timeout=120), url.path.rstrip("/")


def ask(body, path="/v1/messages", raw=None):
    """POSTs a request; returns the answer, raises Refused with the service's own words."""
    connection, prefix = connect()
    payload = raw if raw is not None else json.dumps(body)
    connection.request("POST", prefix + path, payload, {
        "content-type": "application/json", "anthropic-version": "2023-06-01",
        "x-api-key": os.environ.get("ANTHROPIC_API_KEY", "")})
    response = connection.getresponse()
    data = response.read()
    connection.close()
    if response.status != 200:
        raise Refused("HTTP %d, %s" % (response.status, words_of(data)))
    return json.loads(data)


def words_of(data):
    try:
        return json.loads(data)["error"]["message"]
    except (ValueError, KeyError, TypeError):
        return data.decode("utf-8", "replace").strip()[:200] or "without a word"


def message(**further):
    return {"model": "claude-opus-5-5", "max_tokens": 100000,
            "messages": [{"role": "user", "content": "Say hello."}], **further}


TOOLS = [
    {"name": "write_file", "description": "Writes a file in the current directory.",
     "input_schema": {"type": "object", "required": ["path", "content"], "properties": {
         "path": {"type": "string"}, "content": {"type": "string"}}}},
    {"name": "bash", "description": "Runs a shell command and returns its output.",
     "input_schema": {"type": "object", "required": ["command"], "properties": {
         "command": {"type": "string"}}}},
]
TASK = ("With the tool write_file create hello.txt holding one line of greeting, then with the tool bash run "
        "`cat hello.txt`, then answer with one short sentence. Use relative paths.")


def use_tool(name, arguments):
    if name == "write_file":
        path = os.path.relpath(arguments["path"])
        with open(path, "w") as file:
            file.write(arguments["content"])
        return "wrote %s" % path
    if name == "bash":
        done = subprocess.run(["sh", "-c", arguments["command"]], capture_output=True, text=True, timeout=60)
        return done.stdout + done.stderr
    return "there is no such tool"


def job():
    messages = [{"role": "user", "content": TASK}]
    tell(event="task", text=TASK)
    for _ in range(8):
        answer = ask(message(messages=messages, tools=TOOLS))
        results = []
        for block in answer["content"]:
            if block["type"] == "text":
                tell(event="says", text=block["text"])
            elif block["type"] == "tool_use":
                output = use_tool(block["name"], block["input"])
                tell(event="tool", name=block["name"], input=block["input"], output=output)
                results.append({"type": "tool_result", "tool_use_id": block["id"], "content": output})
        if not results:
            return 0
        messages += [{"role": "assistant", "content": answer["content"]}, {"role": "user", "content": results}]
    tell(event="says", text="(gave up after eight rounds)")
    return 1


# ---------------------------------------------------------------- attempts
# Each returns what it got hold of, or raises.

def check(result, what):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
    return result


def read(path):
    with open(path, "rb") as file:
        return "%d bytes" % len(file.read(4096))


def write_in(directory):
    # A file without a name: where it works nothing is left behind.
    os.close(os.open(directory, os.O_TMPFILE | os.O_WRONLY, 0o600))
    return "a file opened for writing"


def supervisor():
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        with open(path, "rb") as file:
            if b"demo.py" in file.read():
                return "process %s of the host" % path.split("/")[2]
    raise Refused("only %d processes, all of the run itself" % len(glob.glob("/proc/[0-9]*")))


def tcp(host, port):
    with socket.create_connection((host, port), timeout=5):
        return "connected"


def abstract(name):
    with socket.socket(socket.AF_UNIX) as client:
        client.connect("\0" + name)
        return "connected"


def open_socket(family, kind, protocol=0):
    socket.socket(family, kind, protocol).close()
    return "a socket"


def user_namespace():
    check(libc.unshare(CLONE_NEWUSER), "unshare")
    return "a new user namespace"


def mount():
    os.mkdir("mnt")
    try:
        check(libc.mount(b"tmpfs", b"mnt", b"tmpfs", ctypes.c_ulong(0), None), "mount")
        libc.umount2(b"mnt", 2)
        return "a new mount"
    finally:
        os.rmdir("mnt")


def setuid_file():
    try:
        with open("tool", "w"):
            os.chmod("tool", 0o4755)
        if not os.stat("tool").st_mode & stat.S_ISUID:
            raise Refused("the bit was not set")
        return "a setuid file"
    finally:
        os.unlink("tool")


def trace():
    check(libc.ptrace(PTRACE_TRACEME, 0, None, None), "ptrace")
    return "traced"


def keyring():
    check(libc.syscall(SYS_ADD_KEY, b"user", b"anet-demo", b"x", ctypes.c_size_t(1), ctypes.c_int(-1)), "add_key")
    return "a key in the kernel's keyring"


def io_uring():
    os.close(check(libc.syscall(SYS_IO_URING_SETUP, 1, ctypes.create_string_buffer(120)), "io_uring_setup"))
    return "a ring"


def terminal_input():
    master, slave = os.openpty()
    os.setsid()
    fcntl.ioctl(slave, 0x540E, 0)  # TIOCSCTTY
    fcntl.ioctl(slave, 0x5412, b"x")  # TIOCSTI
    return "typed into a terminal"


def become_root():
    os.setuid(0)
    return "uid %d" % os.getuid()


def find_key(prefix):
    """Looks for what begins like a key: environment and memory of all processes that can be read, all
    files of the home, /run and the workspace."""
    for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as file:
                if prefix.encode() in file.read():
                    return "found in %s" % path
        except OSError:
            continue
    for root in (os.path.expanduser("~"), "/run", os.getcwd()):
        for directory, _, names in os.walk(root):
            for path in (os.path.join(directory, name) for name in names):
                if not os.path.isfile(path):  # a FIFO would never answer
                    continue
                try:
                    with open(path, "rb") as file:
                        if prefix.encode() in file.read(1 << 20):
                            return "found in %s" % path
                except OSError:
                    continue
    raise Refused("the run has only \"%s\"" % os.environ.get("ANTHROPIC_API_KEY", ""))


def expensive():
    answer = ask(message())
    return "an answer of the model %s" % answer.get("model")


def smuggle():
    """Two lengths in one request: a proxy that believes the other one than the service is fooled."""
    connection, prefix = connect()
    connection.putrequest("POST", prefix + "/v1/messages", skip_accept_encoding=True)
    connection.putheader("content-length", "4")
    connection.putheader("transfer-encoding", "chunked")
    connection.endheaders(b"0\r\n\r\nGET /v1/files HTTP/1.1\r\nhost: x\r\n\r\n")
    response = connection.getresponse()
    data = response.read()
    connection.close()
    if response.status == 200:
        return "an answer"
    raise Refused("HTTP %d, %s" % (response.status, words_of(data)))


def other_endpoint():
    connection, prefix = connect()
    connection.request("GET", prefix + "/v1/files", headers={"x-api-key": os.environ.get("ANTHROPIC_API_KEY", "")})
    response = connection.getresponse()
    data = response.read()
    connection.close()
    if response.status == 200:
        return "a list of files"
    raise Refused("HTTP %d, %s" % (response.status, words_of(data)))


def server():
    """Something a run may do: serve itself on its own loopback."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=lambda: listener.accept()[0].sendall(b"hello")).start()
        with socket.create_connection(listener.getsockname()) as client:
            return client.recv(5).decode()


def program():
    return subprocess.run(["sh", "-c", "echo one two | wc -w"], check=True, capture_output=True,
                          text=True).stdout.strip() + " words counted"


def attempts(facts):
    """(what, function, layer that is to refuse it; None: is to work; True: is to be rewritten)"""
    url_image = {"type": "image", "source": {"type": "url", "url": "https://example.com/?q=the-task's-data"}}
    duplicate = json.dumps(message())[:-1] + ', "model": "another", "max_tokens": 1}'
    files, network, filter_, gateway = "file system view", "network namespace", "system call filter", "gateway"
    return [
        ("write in the workspace", lambda: write_in("."), None),
        ("write in /tmp", lambda: write_in("/tmp"), None),
        ("run programs of the system", program, None),
        ("serve on its own loopback", server, None),
        ("read the operator's ~/.ssh/id_ed25519", lambda: read(facts["home"] + "/.ssh/id_ed25519"), files),
        ("read the operator's ~/.aws/credentials", lambda: read(facts["home"] + "/.aws/credentials"), files),
        ("read anet's configuration", lambda: read(facts["config"]), files),
        ("read /etc/shadow", lambda: read("/etc/shadow"), files),
        ("write in /usr/bin", lambda: write_in("/usr/bin"), files),
        ("find the host's processes", supervisor, "process namespace"),
        ("become root", become_root, "user namespace"),
        ("connect to a port of the host", lambda: tcp("127.0.0.1", facts["port"]), network),
        ("connect to an abstract socket of the host", lambda: abstract(facts["abstract"]), network),
        ("connect to the model service directly", lambda: tcp("api.anthropic.com", 443), network),
        ("open a socket to the hypervisor (AF_VSOCK)", lambda: open_socket(socket.AF_VSOCK, socket.SOCK_STREAM),
         filter_),
        ("open a packet socket", lambda: open_socket(socket.AF_PACKET, socket.SOCK_RAW), filter_),
        ("make a user namespace", user_namespace, filter_),
        ("mount a file system", mount, filter_),
        ("make a setuid file", setuid_file, filter_),
        ("trace a process", trace, filter_),
        ("use the kernel's keyring", keyring, filter_),
        ("use io_uring", io_uring, filter_),
        ("type into the terminal (TIOCSTI)", terminal_input, filter_),
        ("find the API key", lambda: find_key(facts["key_prefix"]), "anet-upstream"),
        ("let the service search the web", lambda: ask(message(tools=[
            {"type": "web_search_20250305", "name": "web_search"}])), gateway),
        ("let the service run code", lambda: ask(message(tools=[
            {"type": "code_execution_20250522", "name": "code_execution"}])), gateway),
        ("let the service call an MCP server", lambda: ask(message(mcp_servers=[
            {"type": "url", "url": "https://example.com/", "name": "x"}])), gateway),
        ("let the service fetch an image by URL", lambda: ask(message(messages=[
            {"role": "user", "content": [url_image]}])), gateway),
        ("hide a second model behind a duplicate key", lambda: ask(None, raw=duplicate), gateway),
        ("smuggle a second HTTP request", smuggle, gateway),
        ("use another endpoint of the service", other_endpoint, gateway),
        ("ask for 100000 tokens of a dear model", expensive, True),
    ]


def attempt(what, function, layer):
    """Runs one attempt in a process of its own and tells how it ended."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            outcome = {"worked": True, "detail": str(function())}
        except Refused as error:
            outcome = {"worked": False, "detail": str(error)}
        except OSError as error:
            name = errno.errorcode.get(error.errno, "") if isinstance(error.errno, int) else ""
            outcome = {"worked": False, "detail": "%s%s" % (error.strerror or error, " (%s)" % name if name else "")}
        except Exception as error:
            outcome = {"broken": True, "worked": False, "detail": "%s: %s" % (type(error).__name__, error)}
        os.write(writer, json.dumps(outcome).encode())
        os._exit(0)
    os.close(writer)
    data = b""
    while chunk := os.read(reader, 65536):
        data += chunk
    os.close(reader)
    _, status = os.waitpid(child, 0)
    if data:
        outcome = json.loads(data)
    else:
        outcome = {"worked": False, "detail": "killed by %s" % signal.Signals(os.WTERMSIG(status)).name
                   if os.WIFSIGNALED(status) else "ended without a word"}
    tell(event="attempt", what=what, layer=layer, **outcome)


def main():
    if sys.argv[1] == "job":
        return job()
    for what, function, layer in attempts(json.load(sys.stdin)):
        attempt(what, function, layer)
    return 0


if __name__ == "__main__":
    sys.exit(main())

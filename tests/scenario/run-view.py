#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a run sees: read-only system directories, a short /etc with accounts
made up, a fresh /proc, private /tmp and HOME, and an environment built from
nothing (SPEC S2.1, S2.2, S2.6)."""
import os
import re
import socket
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import product_test, worlds  # noqa: E402

# What may be there; nothing else is.
ENVIRONMENT = {"HOME", "USER", "LOGNAME", "SHELL", "PATH", "TERM", "TMPDIR", "PIP_RETRIES", "CARGO_NET_RETRY",
               "npm_config_fetch_retries", "LANG", "LC_ALL", "LANGUAGE", "TZ", "PWD",
               "SHLVL", "_", "OLDPWD"}
PREFIXES = ("ANET_", "LC_")

# What the caller has in his environment and the run must not.
HOST_ENVIRONMENT = {
    "SECRET_TOKEN": "s3cret", "AWS_SECRET_ACCESS_KEY": "s3cret", "ANTHROPIC_API_KEY": "s3cret",
    "OPENAI_API_KEY": "s3cret", "GITHUB_TOKEN": "s3cret", "SSH_AUTH_SOCK": "/tmp/agent", "DISPLAY": ":0",
    "WAYLAND_DISPLAY": "wayland-0", "XAUTHORITY": "/tmp/x", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/bus",
    "XDG_RUNTIME_DIR": "/run/user/1", "LD_PRELOAD": "", "LD_LIBRARY_PATH": "/nowhere", "PYTHONPATH": "/nowhere",
    "HTTPS_PROXY": "http://proxy:3128", "http_proxy": "http://proxy:3128", "ALL_PROXY": "socks5://proxy",
    "NO_PROXY": "*", "NODE_OPTIONS": "--max-old-space-size=4096", "BASH_ENV": "/nowhere", "ENV": "/nowhere",
    "GIT_SSH_COMMAND": "s3cret", "DOCKER_HOST": "unix:///run/docker.sock", "KUBECONFIG": "s3cret",
    "VAULT_TOKEN": "s3cret", "TMPDIR": "/var/tmp", "MAIL": "/var/mail/x", "GCONV_PATH": "/nowhere",
    "ANET_SOMETHING": "s3cret"}

# Files that programs need.  Everything else in /etc is the host's business.
ETC_ALLOWED = {"alternatives", "crypto-policies", "group", "hostname", "hosts", "ld.so.cache", "localtime",
               "nsswitch.conf", "os-release", "passwd", "pki", "protocols", "services", "ssl"}

# /proc files that tell about the host or change it.
PROC_EMPTY = ["cmdline", "keys", "key-users", "kallsyms", "kcore", "config.gz"]


def read_only(results, world):
    for place in ("/", "/usr", "/usr/bin", "/bin", "/lib", "/etc", "/dev", "/proc", "/sys", "/var", "/home", "/opt",
                  "/usr/local"):
        result = world.sh('test -d "$1" || exit 0; if touch "$1/x" 2>&1; then exit 1; fi; exit 0', place)
        results.ok("%s cannot be written" % place, result.status == 0, result)
    for place, name in (("/tmp", "/tmp"), ("$HOME", "HOME"), ("/dev/shm", "/dev/shm")):
        result = world.sh("touch %s/x && ls -A %s" % (place, place))
        results.ok("%s is empty and can be written" % name, result.text.split() == ["x"], result)
    result = world.sh("ls -A /run; stat -f -c '%b %S' /tmp /run $HOME /dev/shm")
    sizes = [int(line.split()[0]) * int(line.split()[1]) for line in result.text.splitlines() if
             len(line.split()) == 2 and line.split()[0].isdigit()]
    results.ok("/tmp, /run, HOME and /dev/shm are bounded", len(sizes) == 4 and
               all(0 < size <= 1 << 30 for size in sizes), result)
    result = world.sh("cp /bin/true /tmp/program && /tmp/program && cp /bin/true $HOME/p && $HOME/p && exit 3")
    results.equal("programs can be executed in /tmp and HOME", result.status, 3, result)
    result = world.sh("echo $TMPDIR; echo $HOME; cd; pwd -P; cd /tmp; pwd -P")
    results.equal("HOME and TMPDIR", result.text.split(), ["/tmp", "/home/agent", "/home/agent", "/tmp"], result)


def accounts(results, world):
    result = world.sh("whoami; id -un; id -gn; getent passwd; getent group")
    results.equal("the account", result.text.split()[:3], ["agent"] * 3, result)
    results.lacks("no account of the host", result.text, "alice")
    users = [line.split(":")[0] for line in world.sh("cat /etc/passwd").text.splitlines()]
    results.ok("passwd is short", 0 < len(users) <= 4, users)
    result = world.sh("cat /etc/hosts; hostname; cat /etc/hostname; uname -n; cat /proc/sys/kernel/hostname")
    results.lacks("no host name of the host", result.text, socket.gethostname())
    results.lacks("no hosts of the host", result.text, "api.anthropic.com")
    results.contains("localhost resolves", world.sh("getent hosts localhost").text, "localhost")
    result = world.sh("ls /etc")
    extra = {name for name in result.text.split() if not re.fullmatch("java(-[0-9]+-openjdk)?", name)} - ETC_ALLOWED
    results.equal("/etc is a short list", extra, set(), result)
    result = world.sh("for f in shadow gshadow sudoers ssh anet machine-id; do cat /etc/$f 2>/dev/null; done; true")
    results.equal("... without secrets and the machine's id", result.text.strip(), "", result)


def kernel(results, world):
    for name in PROC_EMPTY:
        result = world.sh("head -c 100 /proc/%s 2>/dev/null | tr -d '\\0'" % name)
        results.equal("/proc/%s shows nothing" % name, result.text, "", result)
    result = world.sh("ls -d /proc/[0-9]* | wc -l; cat /proc/1/comm")
    results.ok("only its own processes", result.text and int(result.text.split()[0]) <= 5, result)
    links = world.sh("cd /proc/self/ns && for n in user pid ipc uts cgroup net mnt; do readlink $n; done").text.split()
    ours = [os.readlink("/proc/self/ns/" + name) for name in ("user", "pid", "ipc", "uts", "cgroup", "net", "mnt")]
    results.ok("all namespaces are new", len(links) == 7 and not set(links) & set(ours), (links, ours))
    result = world.sh("ls /sys 2>/dev/null | wc -l; cat /proc/net/dev")
    devices = [line.split(":")[0].strip() for line in result.text.splitlines() if ":" in line]
    results.equal("loopback is the only network device", devices, ["lo"], result)
    result = world.python("import socket; s = socket.create_server(('127.0.0.1', 8000)); "
                          "c = socket.create_connection(('127.0.0.1', 8000)); print('ok')")
    results.equal("a server and a client on its loopback", result.text, "ok\n", result)
    result = world.sh("cat /proc/self/limits; ulimit -c")
    results.ok("core files are as good as off", result.text.split()[-1] in ("0", "1"), result)


def environment(results, world):
    result = world.run(world.argv(["/usr/bin/env", "-0"]), env=HOST_ENVIRONMENT)
    pairs = dict(item.split("=", 1) for item in result.text.split("\0") if item)
    extra = {name for name in pairs if name not in ENVIRONMENT and not name.startswith(PREFIXES)}
    results.equal("nothing but the list", extra, set(), result)
    results.lacks("no value of the caller's", result.text, "s3cret")
    results.ok("no variable of the caller's with a name like ours", "ANET_SOMETHING" not in pairs)
    want = {"HOME": "/home/agent", "USER": "agent", "LOGNAME": "agent", "TMPDIR": "/tmp", "TERM": "xterm"}
    results.equal("the fixed ones", {name: pairs.get(name) for name in want}, want)
    results.ok("a short PATH", set(pairs.get("PATH", "").split(":")) <= {
        "/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin"}, pairs.get("PATH"))
    results.ok("the limits are told", any(name.startswith("ANET_LIMIT_") for name in pairs), sorted(pairs))
    result = world.run(world.argv(["env"]), env={"TERM": "screen-256color", "TZ": "Asia/Tokyo", "LANG": "de_DE.UTF-8"})
    for text in ("TERM=screen-256color", "TZ=Asia/Tokyo", "LANG=de_DE.UTF-8"):
        results.contains("passed on: " + text, result.text, text)
    # An environment as from a broken parent.
    result = world.run(["env", "-i", *world.argv(["sh", "-c", "exit 3"])])
    results.equal("an empty environment", result.status, 3, result)


def test(results):
    for world in worlds():
        for part in (read_only, accounts, kernel, environment):
            with results.under("as %s: " % world.user):
                part(results, world)


product_test(test)

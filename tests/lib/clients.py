# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs that fetch something by HTTPS, as agents use them, and servers for them on
the internet of internet.py: what each of them does outside it must do through a tunnel.

    internet = internet.Internet()
    servers = clients.Servers(internet)
    for client in clients.available(results, node_program): …
"""
import os
import shutil
import subprocess

import git_server
import npm
import packages
import private
import websites

WWW, GIT, NPM, PYTHON, GO = ("%s.example.com" % name for name in ("www", "git", "npm", "python", "go"))
HOSTS = (WWW, GIT, NPM, PYTHON, GO)
PAGE = "hello from the web\n"
README = "hello from git\n"
# Packages that `greeting-all` needs.
NEEDED = 48
# Named by no list of a test, although it answers.
OTHER = "other.example.com"
# What a run finds programs in, and where the test puts some.
PATH, OURS = "/usr/local/bin:/usr/bin:/bin", "/usr/local/bin"
BUNDLE = os.path.join(private.CA_DIR, "ca-certificates.crt")


def in_system(program):
    """Whether a run sees it."""
    return shutil.which(program, path=PATH) is not None


class Client:
    """`needs`: programs; `script`: of the shell, in an empty directory, with $1 the host,
    for which it works when that is `host`: then it prints `want`.  `tells`: whether it
    shows why a tunnel was refused, and not the status alone; `asks`: how many tunnels it
    asks for at most when each is refused."""

    def __init__(self, name, needs, host, script, want, tells=True, asks=1):
        self.name, self.needs, self.host, self.script, self.want = name, needs.split(), host, script, want
        self.tells, self.asks = tells, asks

    def argv(self, host=None):
        return ["sh", "-c", 'cd "$(mktemp -d)" || exit 9\n' + self.script, "sh", host or self.host]

    def missing(self):
        """Of what it needs, what no run sees."""
        return [name for name in self.needs if not in_system(name)]


class Servers:
    """All of them at one public address; `site.asked` tells who asked for what."""

    def __init__(self, world):
        self.address = world.address()
        repositories = os.path.join(private.directory, "repositories")
        os.mkdir(repositories)
        git_server.make_repository(repositories, "demo", {"README": README})
        answers = {WWW: websites.text(PAGE), OTHER: websites.text(PAGE), NPM: packages.npm_registry(NPM, NEEDED),
                   PYTHON: packages.python_index(), GO: packages.go_proxy(),
                   GIT: git_server.git_server(repositories, pushable=True)}
        for host in answers:
            world.name(host, self.address)
        self.repositories = repositories
        self.site = websites.Site(world.listen(self.address), world.certificate(*answers), answers)
        _java_trust()


def _java_trust():
    """Java has a store of its own; Debian's Java looks for it beside the others."""
    if not in_system("keytool"):
        return
    store = os.path.join(private.CA_DIR, "java", "cacerts")
    os.makedirs(os.path.dirname(store), exist_ok=True)
    subprocess.run(["keytool", "-importcert", "-noprompt", "-storetype", "JKS", "-alias", "test", "-file", BUNDLE,
                    "-keystore", store, "-storepass", "changeit"], check=True, capture_output=True)


JAVA = """
import java.net.*;
import java.net.http.*;

public class Get {
    public static void main(String[] arguments) throws Exception {
        URI uri = URI.create(arguments[1]);
        if (arguments[0].equals("client"))
            System.out.print(HttpClient.newHttpClient().send(HttpRequest.newBuilder(uri).build(),
                HttpResponse.BodyHandlers.ofString()).body());
        else
            System.out.print(new String(uri.toURL().openStream().readAllBytes()));
    }
}
"""

GO_SOURCE = """
package main

import ("fmt"; "io"; "net/http"; "os")

func main() {
	answer, err := http.Get(os.Args[1])
	if err != nil { fmt.Fprintln(os.Stderr, err); os.Exit(1) }
	body, _ := io.ReadAll(answer.Body)
	fmt.Print(string(body))
	if answer.StatusCode != 200 { os.Exit(1) }
}
"""

FETCH = "fetch(process.argv[1]).then(async r => { process.stdout.write(await r.text()); " \
    "process.exitCode = r.ok ? 0 : 1 }, e => { console.error(e); process.exitCode = 1 })"
HTTPS_GET = "require(\"https\").get(process.argv[1], r => r.pipe(process.stdout))" \
    ".on(\"error\", e => { console.error(e); process.exitCode = 1 })"
URLLIB = "import sys, urllib.request; sys.stdout.write(urllib.request.urlopen(sys.argv[1]).read().decode())"
NODE = "NODE_EXTRA_CA_CERTS=%s node-proxied -e '%%s' \"https://$1/\"" % BUNDLE


CLIENTS = (
    Client("curl", "curl", WWW, 'curl -sS "https://$1/"', PAGE, tells=False),
    Client("curl -i", "curl", WWW, 'curl -sSi "https://$1/"', PAGE),
    Client("wget", "wget", WWW, 'wget -O - "https://$1/"', PAGE),
    Client("git clone", "git", GIT, 'git clone -q "https://$1/demo.git" && cat demo/README', README, tells=False),
    Client("git push", "git", GIT, """
export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x@example.com GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x@example.com
git init -q . && git commit -q --allow-empty -m "$1" &&
git push -q "https://$1/demo.git" "HEAD:refs/heads/b$(date +%s%N)" && echo pushed""", "pushed\n", tells=False),
    Client("npm install", "npm node", NPM, """
NODE_EXTRA_CA_CERTS=%s npm install --registry "https://$1/" greeting && node -p 'require("greeting")'
""" % BUNDLE, packages.GREETING, asks=3),
    Client("node's fetch", "node-proxied", WWW, NODE % FETCH, PAGE, tells=False),
    Client("node's https.get", "node-proxied", WWW, NODE % HTTPS_GET, PAGE),
    Client("urllib", "python3", WWW, """/usr/bin/python3 -c '%s' "https://$1/" """ % URLLIB, PAGE),
    Client("pip download", "pip3", PYTHON, """
/usr/bin/pip3 download -q --index-url "https://$1/simple" greeting && ls""", "greeting-1.0.0", asks=2),
    Client("pip install", "pip3", PYTHON, """
/usr/bin/pip3 install -q --target . --index-url "https://$1/simple" greeting &&
/usr/bin/python3 -c 'import greeting; print(greeting.TEXT)'""", packages.GREETING, asks=2),
    Client("Go's net/http", "go-get", WWW, 'go-get "https://$1/"', PAGE),
    Client("go get", "go", GO, """
export GOPROXY="https://$1" GONOSUMDB="*" GOFLAGS=-mod=mod
go mod init x.example && go get %s@v%s && cat go.mod
""" % (packages.GO_MODULE, packages.VERSION), "require " + packages.GO_MODULE, asks=3),
    Client("Java's HttpClient", "java keytool", WWW, 'java -cp %s Get client "https://$1/"' % OURS, PAGE, tells=False),
    Client("Java's URL", "java keytool", WWW, 'java -cp %s Get url "https://$1/"' % OURS, PAGE),
)


def node():
    """A Node that knows NODE_USE_ENV_PROXY.  Before private.enter()."""
    return os.path.join(npm.install("node"), "bin", "node")


def place_node(program):
    """Puts it where runs see it, as `node-proxied`."""
    shutil.copy(program, os.path.join(OURS, "node-proxied"))


def _build(program, source, content, *command):
    """Compiles what a run then finds in OURS, where the compiler is there."""
    if not in_system(program):
        return
    path = os.path.join(private.directory, source)
    with open(path, "w", encoding="utf-8") as file:
        file.write(content)
    subprocess.run([program, *command, path], check=True, capture_output=True, cwd=private.directory,
                   env={"PATH": PATH, "HOME": private.directory, "GOFLAGS": "-mod=mod", "CGO_ENABLED": "0"})


def available(results, node_program):
    """Those whose programs are on this machine, ready in OURS, which must be the test's
    own (an overlay of private.enter()); a skip for each of the others."""
    place_node(node_program)
    _build("go", "get.go", GO_SOURCE, "build", "-o", os.path.join(OURS, "go-get"))
    _build("javac", "Get.java", JAVA, "-d", OURS)
    found = []
    for client in CLIENTS:
        missing = client.missing()
        if missing:
            results.skip(client.name, "%s is not installed below /usr" % missing[0])
        else:
            found.append(client)
    return found

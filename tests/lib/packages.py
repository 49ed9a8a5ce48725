# SPDX-License-Identifier: LGPL-2.1-or-later
"""Package registries for websites.py, each with one small package `greeting` 1.0.0:
npm's, Python's (PEP 503) and Go's.  What is installed says GREETING."""
import base64
import hashlib
import io
import json
import tarfile
import zipfile

from websites import Answer, files

NAME, VERSION = "greeting", "1.0.0"
GREETING = "hello from the registry"
GO_MODULE = "code.example.org/greeting"


def _tarball(content):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for path, text in content.items():
            entry = tarfile.TarInfo(path)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return data.getvalue()


def _zip(content):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in content.items():
            archive.writestr(path, text)
    return data.getvalue()


def _npm_package(host, name, main, needs):
    """Its document and its tarball, each at its path."""
    manifest = {"name": name, "version": VERSION, "main": "index.js", "license": "MIT",
                "dependencies": {need: VERSION for need in needs}}
    tarball = _tarball({"package/package.json": json.dumps(manifest), "package/index.js": main})
    path = "/%s/-/%s-%s.tgz" % (name, name, VERSION)
    integrity = "sha512-" + base64.b64encode(hashlib.sha512(tarball).digest()).decode()
    dist = {"tarball": "https://%s%s" % (host, path), "integrity": integrity,
            "shasum": hashlib.sha1(tarball).hexdigest()}
    document = json.dumps({"name": name, "dist-tags": {"latest": VERSION},
                           "versions": {VERSION: dict(manifest, dist=dist)}})
    return {"/" + name: document.encode(), path: tarball}


def npm_registry(host, needed=0):
    """As the public registry: one document for each package, tarballs beside it.  There
    is `greeting-all`, too, which needs that many further packages."""
    others = ["greeting-%d" % number for number in range(needed)]
    tree = _npm_package(host, NAME, "module.exports = %s;\n" % json.dumps(GREETING), [])
    tree.update(_npm_package(host, NAME + "-all", "", others))
    for name in others:
        tree.update(_npm_package(host, name, "", []))
    return files(tree, [(".tgz", "application/octet-stream"), ("", "application/json")])


def python_index():
    """The simple API, and a wheel."""
    information = "%s-%s.dist-info" % (NAME, VERSION)
    content = {
        NAME + ".py": "TEXT = %r\n" % GREETING,
        information + "/METADATA": "Metadata-Version: 2.1\nName: %s\nVersion: %s\n" % (NAME, VERSION),
        information + "/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    content[information + "/RECORD"] = "".join("%s,,\n" % path for path in [*content, information + "/RECORD"])
    wheel = _zip(content)
    file = "%s-%s-py3-none-any.whl" % (NAME, VERSION)
    page = "<!DOCTYPE html><html><body><a href=\"/files/%s#sha256=%s\">%s</a></body></html>" % (
        file, hashlib.sha256(wheel).hexdigest(), file)
    serve = files({"/simple/%s/" % NAME: page.encode(), "/files/" + file: wheel}, [("/", "text/html")])
    # As an index does it for a name without the last slash.
    return lambda request: Answer(301, headers=[("location", request.path + "/")]) \
        if request.path == "/simple/" + NAME else serve(request)


def go_proxy():
    """GOPROXY's protocol (go help goproxy)."""
    module = "module %s\n\ngo 1.19\n" % GO_MODULE
    inside = "%s@v%s/" % (GO_MODULE, VERSION)
    archive = _zip({inside + "go.mod": module,
                    inside + "greeting.go": "package greeting\n\nconst Text = %s\n" % json.dumps(GREETING)})
    at = "/%s/@v/" % GO_MODULE
    information = json.dumps({"Version": "v" + VERSION, "Time": "2026-01-01T00:00:00Z"}).encode()
    return files({at + "list": b"v%s\n" % VERSION.encode(), at + "v%s.info" % VERSION: information,
                  "/%s/@latest" % GO_MODULE: information, at + "v%s.mod" % VERSION: module.encode(),
                  at + "v%s.zip" % VERSION: archive}, [(".info", "application/json")])

# SPDX-License-Identifier: LGPL-2.1-or-later
"""HTTPS servers that real clients use: many names, one listening socket.

    site = Site(listener, certificate, {"registry.example.org": npm_registry(package)})

A host is served by a function from Request to Answer, in a thread for each
connection.  What was asked for stands in site.asked, as (host, method, path).
"""
import contextlib
import gzip
import http.server
import ssl
import threading

import tls_stub


class Answer:
    """`body`: bytes, or an iterable of them, sent in chunks as they come."""

    def __init__(self, status, body=b"", kind="text/plain", headers=()):
        self.status, self.body, self.kind, self.headers = status, body, kind, list(headers)


class Request:
    def __init__(self, host, method, path, query, headers, body):
        self.host, self.method, self.path, self.query = host, method, path, query
        self.headers, self.body = headers, body


def text(content, kind="text/plain"):
    """Serves the same for every path."""
    return lambda _: Answer(200, content.encode(), kind)


def files(tree, kinds=()):
    """Serves `tree`, of path to bytes; `kinds`: of suffix to media type."""

    def answer(request):
        if request.path not in tree:
            return Answer(404, b"there is no %s here\n" % request.path.encode())
        kind = next((kind for suffix, kind in kinds if request.path.endswith(suffix)), "application/octet-stream")
        return Answer(200, tree[request.path], kind)

    return answer


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = tls_stub.PATIENCE

    def setup(self):
        # Not in the thread that accepts: a client may take its time.
        self.request.settimeout(self.timeout)
        self.request = self.server.site.context.wrap_socket(self.request, server_side=True)
        super().setup()

    def log_message(self, *_):
        pass

    def _body(self):
        data = b""
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            while True:
                length = int(self.rfile.readline().split(b";")[0], 16)
                data += self.rfile.read(length)
                self.rfile.readline()
                if length == 0:
                    break
        else:
            data = self.rfile.read(int(self.headers.get("content-length", 0)))
        return gzip.decompress(data) if self.headers.get("content-encoding") == "gzip" else data

    def _serve(self):
        site = self.server.site
        host = self.headers.get("host", "").split(":")[0].lower()
        path, _, query = self.path.partition("?")
        site.asked.append((host, self.command, path))
        body = self._body()
        serve = site.hosts.get(host)
        answer = serve(Request(host, self.command, path, query, self.headers, body)) if serve else \
            Answer(421, b"this is not %s\n" % host.encode())
        self._send(answer)

    def _send(self, answer):
        whole = isinstance(answer.body, bytes)
        self.send_response(answer.status)
        self.send_header("content-type", answer.kind)
        for name, value in answer.headers:
            self.send_header(name, value)
        if whole:
            self.send_header("content-length", str(len(answer.body)))
        else:
            self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        if self.command == "HEAD":
            return
        if whole:
            self.wfile.write(answer.body)
            return
        for piece in answer.body:
            if piece:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    do_GET = do_HEAD = do_POST = do_PUT = _serve


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, site, listener):
        self.site = site
        super().__init__(listener.getsockname()[:2], _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener

    def handle_error(self, request, client_address):
        pass  # a client that leaves, or does not believe the certificate, is part of the tests


class Site:
    """`listener`: a listening socket, of whatever network namespace; `certificate`: as
    tls_stub.make_certificate() returns it."""

    def __init__(self, listener, certificate, hosts):
        self.hosts, self.asked = hosts, []
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(*certificate)
        self.server = _Server(self, listener)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        with contextlib.suppress(OSError):
            self.server.server_close()

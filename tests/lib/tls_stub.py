# SPDX-License-Identifier: LGPL-2.1-or-later
"""A model service that a test scripts byte by byte, in the place of the real one
(private.py): by TLS as api.anthropic.com, port 443, or plain.

    def behaviour(peer):
        request = peer.request()
        peer.send(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok")

    with Service(behaviour) as service: …

Each connection runs behaviour(peer) in a thread, and is closed when it returns.
"""
import contextlib
import os
import select
import socket
import ssl
import struct
import subprocess
import threading
import time

import private

PATIENCE = 20.0


class Request:
    def __init__(self, head, body):
        self.head, self.body = head, body
        lines = head.decode("latin-1").split("\r\n")
        self.line = lines[0]
        self.fields = [tuple(part.strip() for part in line.split(":", 1)) for line in lines[1:] if line]

    def field(self, name):
        return [value for key, value in self.fields if key.lower() == name]


class Peer:
    """One connection as the service sees it."""

    def __init__(self, sock, number):
        self.sock, self.number, self.received = sock, number, bytearray()

    def _more(self):
        data = self.sock.recv(65536)
        if not data:
            raise EOFError
        self.received += data

    def head(self):
        while b"\r\n\r\n" not in self.received:
            self._more()
        return self._take(self.received.index(b"\r\n\r\n") + 4)[:-4]

    def _take(self, length):
        taken = bytes(self.received[:length])
        del self.received[:length]
        return taken

    def request(self):
        """The next request, whole."""
        head = self.head()
        length = int(Request(head, b"").field("content-length")[0])
        while len(self.received) < length:
            self._more()
        return Request(head, self._take(length))

    def send(self, data):
        self.sock.sendall(data)

    def chunk(self, data):
        self.send(b"%x\r\n%s\r\n" % (len(data), data))

    def close_without_notice(self):
        """A TCP end without TLS's close_notify: what an attacker can do, too."""
        os.close(self.sock.detach())

    def reset(self):
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.close(self.sock.detach())

    def wait_gone(self, seconds=PATIENCE):
        """Seconds until the other side has left; None if it stays."""
        begin = time.monotonic()
        while time.monotonic() - begin < seconds:
            if select.select([self.sock], [], [], 0.05)[0]:
                try:
                    if not self.sock.recv(65536):
                        return time.monotonic() - begin
                except OSError:
                    return time.monotonic() - begin
        return None

    def close(self):
        with contextlib.suppress(OSError, ValueError):
            if isinstance(self.sock, ssl.SSLSocket) and self.sock.fileno() >= 0:
                self.sock.settimeout(1)
                self.sock.unwrap()
        with contextlib.suppress(OSError):
            self.sock.close()


class Service:
    def __init__(self, behaviour, certificate=None, plain=False, port=443, address="127.0.0.1", configure=None):
        self.behaviour, self.context = behaviour, None
        self.connections = self.open = 0
        self.errors, self.peers = [], []
        if not plain:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(*(certificate or private.certificate()))
            if configure:
                configure(self.context)
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.listener = socket.create_server((address, port), family=family, backlog=16)
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self._accept, daemon=True)
        self.thread.start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                sock, _ = self.listener.accept()
                self.connections += 1
                threading.Thread(target=self._serve, args=(sock, self.connections), daemon=True).start()

    def _serve(self, sock, number):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.settimeout(PATIENCE)
        self.open += 1
        try:
            if self.context:
                sock = self.context.wrap_socket(sock, server_side=True)
            peer = Peer(sock, number)
            self.peers.append(peer)
            self.behaviour(peer)
            peer.close()
        except (OSError, EOFError) as error:
            self.errors.append(error)
            sock.close()
        finally:
            self.open -= 1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # shutdown() wakes the thread in accept(), which would keep the port.
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join(PATIENCE)


def make_certificate(name, hosts=(private.MODEL_HOST,), days=2, self_signed=False, common_name="test"):
    """(certificate file, key file), signed by the CA that this machine trusts unless
    `self_signed`; `days` 0: expired already (OpenSSL 3.5 takes no less).  Of `hosts` those
    that begin with "IP:" are addresses."""
    base = os.path.join(private.directory, "tls")
    path = lambda suffix: os.path.join(base, name + suffix)
    names = ",".join(host if host.startswith("IP:") else "DNS:" + host for host in hosts)

    def openssl(*arguments):
        subprocess.run(("openssl",) + arguments, check=True, capture_output=True, cwd=base)

    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", path(".key"),
            "-out", path(".csr"), "-subj", "/CN=" + common_name)
    with open(path(".extensions"), "w") as file:
        file.write("subjectAltName=%s\n" % names if hosts else "")
    signer = ("-signkey", path(".key")) if self_signed else ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial")
    openssl("x509", "-req", "-in", path(".csr"), *signer, "-days", str(days), "-extfile", path(".extensions"),
            "-out", path(".pem"))
    return path(".pem"), path(".key")

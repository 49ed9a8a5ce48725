#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""anet-upstream: the service must prove who it is, and the key is not sent before."""
import os
import ssl
import sys
import warnings
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import private
import records
from tls_stub import Service, make_certificate
from upstream import Upstream, upstream_test

warnings.simplefilter("ignore", DeprecationWarning)  # of TLS 1.1, which is the point
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class Script:
    def __init__(self):
        self.requests = 0

    def __call__(self, peer):
        while True:
            peer.request()
            self.requests += 1
            peer.send(ANSWER)


def versions(minimum, maximum):
    def configure(context):
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version, context.maximum_version = minimum, maximum

    return configure


def protocols(*names):
    return lambda context: context.set_alpn_protocols(list(names))


def exchange(results, name, wanted, certificate=None, configure=None, text="", environment=()):
    script = Script()
    with Service(script, certificate=certificate, configure=configure), Upstream(environment=environment) as upstream:
        answer, done = upstream.exchange()
        results.equal(name, done["code"], wanted, done)
        if wanted == "ok":
            results.equal(name + ": the answer", answer.body, b"ok")
        else:
            results.equal(name + ": nothing was sent to it", script.requests, 0)
            results.equal(name + ": the gateway may answer", (answer, done["flags"]), (None, 0))
            results.contains(name + ": says why", done["detail"].decode(), text)
            upstream.finish()
            results.equal(name + ": an event", [event["code"] for event in upstream.events], [wanted])


# host of the policy, where the service listens, names of its certificate, outcome, SNI
PLACES = [
    ("127.0.0.1", "127.0.0.1", ["IP:127.0.0.1"], "ok", None),
    ("127.1.2.3", "127.1.2.3", ["IP:127.0.0.1", "IP:127.1.2.3", "x.example"], "ok", None),
    ("::1", "::1", ["IP:::1"], "ok", None),
    ("127.0.0.1", "127.0.0.1", ["IP:127.0.0.2"], "upstream_tls", None),
    ("::1", "::1", ["IP:::2", "IP:127.0.0.1"], "upstream_tls", None),
    ("127.0.0.1", "127.0.0.1", ["127.0.0.1"], "upstream_tls", None),  # as a DNS name it counts for nothing
    ("127.0.0.1", "127.0.0.1", [], "upstream_tls", None),
    ("127.0.0.1", "127.0.0.1", [private.MODEL_HOST, "*"], "upstream_tls", None),
    ("localhost", "127.0.0.1", ["localhost"], "ok", "localhost"),
    ("localhost", "127.0.0.1", ["IP:127.0.0.1", "IP:::1"], "upstream_tls", "localhost"),
    ("models", "127.0.0.1", ["models"], "ok", "models"),
    ("models.corp.internal", "127.0.0.1", ["*.corp.internal"], "ok", "models.corp.internal"),
    ("gpu-3.lan", "127.0.0.1", ["gpu-3.lan"], "ok", "gpu-3.lan"),
    ("gpu-3.lan", "127.0.0.1", ["gpu-4.lan", "*.gpu-3.lan", "lan"], "upstream_tls", "gpu-3.lan"),
]


def places(results):
    """Services of a local network: internal names, and addresses, which are no names."""
    with open("/etc/hosts", "a") as file:
        file.write("127.0.0.1 models models.corp.internal gpu-3.lan\n")
    for number, (host, address, names, wanted, sni) in enumerate(PLACES):
        seen, script = [], Script()

        def configure(context):
            context.sni_callback = lambda sock, name, _: seen.append(name)

        certificate = make_certificate("place-%d" % number, names, common_name=host)
        with results.under("%s with %s: " % (host, names)), \
                Service(script, certificate=certificate, configure=configure, address=address, port=8443), \
                Upstream(host=host.encode(), port=8443, wire=records.WIRE_OPENAI, base_path=b"/v1") as upstream:
            answer, done = upstream.exchange(endpoint=records.RESPONSES)
            results.equal("outcome", done["code"], wanted, done)
            results.equal("sent", script.requests, 1 if wanted == "ok" else 0)
            results.equal("SNI", seen, [sni])
            if wanted != "ok":
                results.contains("why", done["detail"].decode(), "mismatch")


def links(results):
    """The CA directory of Debian is links to links to other directories."""
    script = Script()
    trusted = os.path.join(private.directory, "tls", "trusted")
    name = os.listdir(trusted)[0]
    moved = os.path.join(private.directory, "tls", "local")
    os.mkdir(moved)
    os.rename(os.path.join(trusted, name), os.path.join(moved, "test.crt"))
    os.symlink("test.pem", os.path.join(trusted, name))
    for place in ("/usr/local/share/ca-certificates", "/usr/share/ca-certificates"):
        if not os.path.isdir(place):
            results.skip("certificates in " + place, "this machine has no such directory")
            continue
        private.mount(moved, place, flags=private.MS_BIND)
        os.symlink(place + "/test.crt", os.path.join(trusted, "test.pem"))
        with Service(script), Upstream() as upstream:
            results.equal("certificates in " + place, upstream.exchange()[1]["code"], "ok")
        os.unlink(os.path.join(trusted, "test.pem"))
    # Another directory: Landlock knows a directory by its inode, under all its names.
    elsewhere = os.path.join(private.directory, "tls", "elsewhere")
    os.mkdir(elsewhere)
    os.rename(os.path.join(moved, "test.crt"), os.path.join(elsewhere, "test.crt"))
    os.symlink(elsewhere + "/test.crt", os.path.join(trusted, "test.pem"))
    if private.libc.syscall(444, None, 0, 1) < 1:  # landlock_create_ruleset(2): its version
        results.skip("certificates elsewhere", "this kernel has no Landlock")
        return
    with Service(script), Upstream() as upstream:
        done = upstream.exchange()[1]
        results.equal("certificates elsewhere", done["code"], "upstream_tls")
        results.contains("certificates elsewhere: says where it looked", done["detail"].decode(), private.CA_DIR)


def test(results):
    host, tls = private.MODEL_HOST, ssl.TLSVersion
    exchange(results, "the right certificate", "ok")
    exchange(results, "TLS 1.2", "ok", configure=versions(tls.TLSv1_2, tls.TLSv1_2))
    exchange(results, "TLS 1.3", "ok", configure=versions(tls.TLSv1_3, tls.TLSv1_3))
    exchange(results, "TLS 1.1", "upstream_tls", configure=versions(tls.TLSv1_1, tls.TLSv1_1), text="version")
    exchange(results, "ALPN with HTTP/1.1", "ok", configure=protocols("h2", "http/1.1"))
    exchange(results, "ALPN without HTTP/1.1", "ok", configure=protocols("h2"))
    exchange(results, "a wildcard", "ok", make_certificate("wildcard", ["*.anthropic.com"]))
    exchange(results, "another name", "upstream_tls", make_certificate("other", ["api.example.com"]), text="hostname mismatch")
    exchange(results, "a partial wildcard", "upstream_tls", make_certificate("partial", ["a*.anthropic.com"]),
             text="hostname mismatch")
    exchange(results, "the name only as a common name", "upstream_tls", make_certificate("cn", [], common_name=host),
             text="hostname mismatch")
    exchange(results, "an expired one", "upstream_tls", make_certificate("expired", days=0), text="expired")
    own = make_certificate("own", self_signed=True)
    exchange(results, "one signed by itself", "upstream_tls", own, text="self-signed certificate")
    # Whoever starts the helper has no say about who is trusted.
    directory = os.path.dirname(own[0])
    with open(os.path.join(directory, "openssl.cnf"), "w") as file:
        file.write("openssl_conf = x\n[x]\nproviders = y\n[y]\ndefault = z\n[z]\nactivate = 0\n")
    exchange(results, "trusted by the environment only", "upstream_tls", own, text="self-signed certificate",
             environment={"SSL_CERT_FILE": own[0], "SSL_CERT_DIR": directory})
    exchange(results, "openssl.cnf of the environment", "ok",
             environment={"OPENSSL_CONF": os.path.join(directory, "openssl.cnf")})
    # Nor has a proxy of the environment.
    exchange(results, "a proxy of the environment", "ok",
             environment={"HTTPS_PROXY": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9", "ALL_PROXY": "x"})
    places(results)
    links(results)


upstream_test(test)

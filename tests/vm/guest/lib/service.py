# SPDX-License-Identifier: LGPL-2.1-or-later
"""A model service in the machine: the project's double as api.anthropic.com,
port 443, with a certificate that the machine trusts."""
import os
import shutil
import subprocess
import sys

from units import CONFIG, run
from vm import ANET, SHARE

sys.path.insert(0, os.path.join(SHARE, "tests", "agents", "stub"))
from modelstub import ModelStub  # noqa: E402

HOST = "api.anthropic.com"
TLS = "/run/vm/tls"
# Looks like one, opens nothing; long and odd enough to be found wherever it leaks.
KEY = "sk-ant-test-7Qx2vKeyThatMustNeverShowUpInside9Zw4"


def openssl(*arguments):
    return subprocess.run(("openssl",) + arguments, check=True, capture_output=True, cwd=TLS, text=True).stdout


def certificate():
    """(certificate file, key file); made once, with the authority that the machine then trusts."""
    pair = os.path.join(TLS, "server.pem"), os.path.join(TLS, "server.key")
    if os.path.exists(pair[0]):
        return pair
    os.makedirs(TLS, mode=0o700)
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    openssl("req", "-x509", *curve, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=test CA",
            "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign")
    openssl("req", *curve, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=" + HOST)
    with open(os.path.join(TLS, "extensions"), "w") as file:
        file.write("subjectAltName=DNS:%s\n" % HOST)
    openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
            "-extfile", "extensions", "-out", "server.pem")
    shutil.copy(os.path.join(TLS, "ca.pem"),
                "/etc/ssl/certs/%s.0" % openssl("x509", "-hash", "-noout", "-in", "ca.pem").strip())
    return pair


def prepare_machine():
    """The name of the service, the runtime of the demonstration, a key for it."""
    with open("/etc/hosts", "r+") as hosts:
        if HOST not in hosts.read():
            hosts.write("127.0.0.1 %s\n" % HOST)
    os.makedirs(os.path.join(CONFIG, "runtimes"), exist_ok=True)
    shutil.copy(os.path.join(SHARE, "quickstart.d", "demo.json"), os.path.join(CONFIG, "runtimes"))
    os.makedirs("/usr/local/lib/anet-demo", exist_ok=True)
    shutil.copy(os.path.join(SHARE, "quickstart.d", "agent.py"), "/usr/local/lib/anet-demo")
    if not os.path.exists(os.path.join(CONFIG, "credentials", "anthropic")):
        set_key(KEY)


def set_key(key, name="anthropic"):
    status, text = run(ANET, "credential", "set", name, input=key + "\n")
    if status != 0:
        raise RuntimeError("anet credential set: status %s: %s" % (status, text))


class Model(ModelStub):
    """`with Model(script=...) as model:`; strings of the script may hold "$CWD"."""

    def __init__(self, **keywords):
        prepare_machine()
        super().__init__(port=443, tls=certificate(), **keywords)

    def requests(self, path="/v1/messages"):
        """The recorded requests to that path, as dictionaries."""
        with self.lock:
            return [record for record in self.records if record.get("path", "").split("?")[0] == path]

    def headers(self, name, path="/v1/messages"):
        """The values of one header in all requests to that path."""
        return [value for record in self.requests(path) for key, value in record["headers"] if key.lower() == name]

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=240
"""A run reaches no socket of the host: no port, no name, no abstract name, no
family that is not in its network namespace (SPEC S2.1, S2.4)."""
import os
import shutil
import socket
import subprocess
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from attack import BWRAP, CAPS, HOST, attempt, build  # noqa: E402
from harness import has, product_test, worlds  # noqa: E402

AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_VSOCK = 1, 2, 10, 16, 17, 40
STREAM, DGRAM, RAW, SEQPACKET = 1, 2, 3, 5
SCTP, MPTCP, ICMP, UDPLITE = 132, 262, 1, 136

# Only made, never connected.  name, family, type, protocol, control
FAMILIES = [
    ("AF_VSOCK stream", AF_VSOCK, STREAM, 0, HOST),
    ("AF_VSOCK datagram", AF_VSOCK, DGRAM, 0, HOST),
    ("AF_VSOCK, high bits set", AF_VSOCK | 1 << 32, STREAM, 0, HOST),
    ("AF_PACKET", AF_PACKET, RAW, 0, CAPS),
    ("raw IPv4", AF_INET, RAW, 255, CAPS),
    ("raw IPv6", AF_INET6, RAW, 255, CAPS),
    ("raw, high bits set", AF_INET, RAW | 1 << 32, 255, CAPS),
    ("MPTCP", AF_INET, STREAM, MPTCP, HOST),
    ("MPTCP over IPv6", AF_INET6, STREAM, MPTCP, HOST),
    ("SCTP", AF_INET, STREAM, SCTP, HOST),
    ("SCTP seqpacket", AF_INET, SEQPACKET, SCTP, HOST),
    ("DCCP", AF_INET, 6, 33, HOST),
    ("UDP-Lite", AF_INET, DGRAM, UDPLITE, HOST),
    ("netlink: uevents", AF_NETLINK, RAW, 15, HOST),
    ("netlink: generic", AF_NETLINK, RAW, 16, HOST),
    ("netlink: netfilter", AF_NETLINK, RAW, 12, HOST),
    ("netlink: audit", AF_NETLINK, RAW, 9, HOST),
    ("netlink: sock_diag", AF_NETLINK, RAW, 4, HOST),
    ("netlink: xfrm", AF_NETLINK, RAW, 6, HOST),
    ("AF_ALG", 38, SEQPACKET, 0, HOST),
    ("AF_KEY", 15, RAW, 2, CAPS),
    ("AF_XDP", 44, RAW, 0, CAPS),
    ("AF_TIPC", 30, STREAM, 0, HOST),
    ("AF_BLUETOOTH", 31, RAW, 1, HOST),
    ("AF_CAN", 29, RAW, 1, CAPS),
    ("AF_RDS", 21, SEQPACKET, 0, HOST),
    ("AF_NFC", 39, RAW, 0, HOST),
    ("AF_QIPCRTR", 42, DGRAM, 0, HOST),
    ("AF_SMC", 43, STREAM, 0, HOST),
]

# Where daemons that give away the host listen.
UNIX_PATHS = ["/run/docker.sock", "/run/dbus/system_bus_socket", "/run/systemd/private", "/run/podman/podman.sock",
              "/run/containerd/containerd.sock", "/run/libvirt/libvirt-sock", "/run/snapd.socket",
              "/run/user/%(uid)d/bus", "/run/user/%(uid)d/gnupg/S.gpg-agent", "/run/user/%(uid)d/wayland-0",
              "/run/anet/control.sock", "/tmp/.X11-unix/X0", "/tmp/ssh-XXXXagent/agent.1", "/var/tmp/some.sock",
              "/dev/shm/some.sock", "/home/alice/.some.sock", "@abstract-name", "@/tmp/.X11-unix/X0"]


def greeter(listener):
    """Says hello to whoever comes."""
    def serve():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            connection.sendall(b"hello from the host")
            connection.close()

    threading.Thread(target=serve, daemon=True).start()


def listen_unix(path):
    listener = socket.socket(socket.AF_UNIX)
    if path.startswith("@"):
        listener.bind("\0" + path[1:])
    else:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.exists(path):
            os.unlink(path)
        listener.bind(path)
        os.chmod(path, 0o777)
    listener.listen(8)
    greeter(listener)
    return listener


def listen_tcp(address):
    listener = socket.create_server((address, 0))
    greeter(listener)
    return listener.getsockname()[1]


def listen_udp(address):
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind((address, 0))

    def serve():
        while True:
            _, sender = server.recvfrom(100)
            server.sendto(b"hello from the host", sender)

    threading.Thread(target=serve, daemon=True).start()
    return server.getsockname()[1]


def local_network():
    """An address of this machine that is not loopback; None where none can be made."""
    if not has("ip"):
        return None
    for kind in ("dummy", "veth", "bridge"):
        if subprocess.run(["ip", "link", "add", "lan0", "type", kind], capture_output=True).returncode == 0:
            subprocess.run(["ip", "addr", "add", "192.0.2.1/24", "dev", "lan0"], check=True)
            subprocess.run(["ip", "link", "set", "lan0", "up"], check=True)
            return "192.0.2.1"
    return None


def test(results):
    addresses = ["127.0.0.1", "127.0.0.53"]
    if local_network():
        addresses.append("192.0.2.1")
    else:
        results.skip("a port on the local network", "this machine has no `ip` program or no device for it to make")
    tcp = {address: listen_tcp(address) for address in addresses}
    udp = {address: listen_udp(address) for address in addresses}
    for world in worlds():
        with results.under("as %s: " % world.user):
            program = build(world)
            # Root's runs keep a directory there that others may not enter.
            shutil.rmtree("/run/anet", ignore_errors=True)
            for name, family, kind, protocol, where in FAMILIES:
                attempt(results, world, name, [program, "socket", str(family), str(kind), str(protocol)], where)
            for address in addresses:
                attempt(results, world, "TCP port of the host at " + address,
                        [program, "tcp", address, str(tcp[address])])
                attempt(results, world, "UDP port of the host at " + address,
                        [program, "udp", address, str(udp[address])])
            for path in UNIX_PATHS:
                path %= {"uid": world.uid}
                listener = listen_unix(path)
                # BWRAP: / is bound, as in many a hand-made sandbox; a read-only
                # bind would not stop connect() either.  An abstract name is not a file.
                hidden_by_dev = path.startswith("/dev/")
                attempt(results, world, "unix socket " + path, [program, "unix", path],
                        HOST if hidden_by_dev else BWRAP)
                listener.shutdown(socket.SHUT_RDWR)  # also ends the accept() that waits in the thread
                listener.close()
            for name, argv in (("UNIX stream", (AF_UNIX, STREAM, 0)), ("TCP", (AF_INET, STREAM, 6)),
                               ("UDP", (AF_INET6, DGRAM, 17)), ("TCP over IPv6", (AF_INET6, STREAM, 0)),
                               ("netlink: route", (AF_NETLINK, RAW, 0))):
                inside = world.anet(program, "socket", *map(str, argv))
                results.ok("what agents need still works: " + name, inside.status == 0, inside)


product_test(test)

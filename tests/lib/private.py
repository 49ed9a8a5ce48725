# SPDX-License-Identifier: LGPL-2.1-or-later
"""A machine of the test's own: namespaces in which it may change anything.

After enter() the program is PID 1 of a PID namespace, alone with its
children, and has a network with loopback only, a host name, IPC, and a view of
the filesystem where /home, /root, /tmp, /run, /var/tmp and /dev/shm are empty
directories of its own, and /etc/passwd, group, hosts and the CA directory are
its own files.  What the program under test leaves behind is therefore easy to
see, and gone with the test.

Root enters directly; anybody else through a user namespace that maps only
his own id, so that the programs he starts are as unprivileged as he is.
"""
import contextlib
import ctypes
import fcntl
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile

from tap import Skip

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x20000, 0x4000000, 0x8000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 0x20, 0x1000, 0x4000, 0x40000
PR_SET_PDEATHSIG = 1

USER_NAME, USER_ID = "alice", 61234
OTHER_NAME, OTHER_ID = "bob", 61235

TREE = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PREFIX = os.path.realpath(os.environ.get("ANET_PREFIX", "/usr/local"))
CACHE = os.path.realpath(os.environ.get("ANET_CACHE") or os.path.expanduser("~/.cache/anet-tests"))
CA_DIR = os.environ.get("ANET_CA_DIR", "/etc/ssl/certs")
MODEL_HOST, OPENAI_HOST = "api.anthropic.com", "api.openai.com"

libc = ctypes.CDLL(None, use_errno=True)

# Where this test keeps its files on disk, and what enter() found out.
directory = None
is_root = os.geteuid() == 0


def _check(result, what):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, "%s: %s" % (what, os.strerror(number)))


def mount(source, target, kind=None, flags=0, data=None):
    encode = lambda text: os.fsencode(text) if text is not None else None
    _check(libc.mount(encode(source), encode(target), encode(kind), ctypes.c_ulong(flags),
                      encode(data)), "mount %s" % target)


def unmount(target):
    _check(libc.umount2(os.fsencode(target), 2), "umount %s" % target)


def _raise_loopback():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        request = struct.pack("16sh22x", b"lo", 0x41)  # IFF_UP | IFF_RUNNING
        fcntl.ioctl(control, 0x8914, request)  # SIOCSIFFLAGS


def _write(path, text):
    with open(path, "w") as file:
        file.write(text)


def _enter_user_namespace():
    uid, gid = os.geteuid(), os.getegid()
    if libc.unshare(CLONE_NEWUSER) != 0:
        raise Skip("this user cannot make a user namespace: %s" % os.strerror(ctypes.get_errno()))
    try:
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", "%d %d 1" % (uid, uid))
        _write("/proc/self/gid_map", "%d %d 1" % (gid, gid))
    except OSError as error:
        raise Skip("this user cannot use a user namespace: %s" % error)


def _cover(place, keep):
    """An empty directory of ours in the place of `place`, with what is needed
    of the original put back."""
    descriptors = [(path, os.open(path, os.O_PATH)) for path in keep
                   if path.startswith(place + "/") and os.path.isdir(path)]
    ours = os.path.join(directory, "cover", place.strip("/").replace("/", "-"))
    os.makedirs(ours)
    # The other account must reach what is put back: the product, when it was built below /root.
    os.chmod(ours, {"/tmp": 0o1777, "/var/tmp": 0o1777, "/root": 0o711 if descriptors else 0o700}.get(place, 0o755))
    mount(ours, place, flags=MS_BIND)
    for path, descriptor in descriptors:
        os.makedirs(path, exist_ok=True)
        mount("/proc/self/fd/%d" % descriptor, path, flags=MS_BIND | MS_REC)
        # A test may remove what is below a home: never the interpreter or the cache.
        if path in (sys.base_prefix, CACHE):
            mount(None, path, flags=MS_BIND | MS_REMOUNT | MS_RDONLY)
        os.close(descriptor)


def _accounts():
    passwd = ["root:x:0:0:root:/root:/bin/sh", "nobody:x:65534:65534:nobody:/nonexistent:/bin/false",
              "%s:x:%d:%d::/home/%s:/bin/sh" % (USER_NAME, user_id(), group_id(), USER_NAME),
              "%s:x:%d:%d::/home/%s:/bin/sh" % (OTHER_NAME, OTHER_ID, OTHER_ID, OTHER_NAME)]
    group = ["root:x:0:", "tty:x:5:", "nogroup:x:65534:", "%s:x:%d:" % (USER_NAME, group_id()),
             "%s:x:%d:" % (OTHER_NAME, OTHER_ID)]
    for name, lines in (("passwd", passwd), ("group", group)):
        ours = os.path.join(directory, name)
        _write(ours, "\n".join(lines) + "\n")
        mount(ours, "/etc/" + name, flags=MS_BIND)


def mount_points():
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as table:
        return {line.split()[4] for line in table}


def empty(top):
    """Removes what is in a directory, but nothing that is mounted there: a bind
    mount has the device of its parent, so that rmtree() would go through it."""
    mounted = mount_points()
    for where, names, files in os.walk(top):
        names[:] = [name for name in names if os.path.join(where, name) not in mounted]
        for name in files + [name for name in names if os.path.islink(os.path.join(where, name))]:
            os.unlink(os.path.join(where, name))
    for where, names, _ in os.walk(top, topdown=False):
        for name in names:
            path = os.path.join(where, name)
            if not any(place == path or place.startswith(path + "/") or path.startswith(place + "/")
                       for place in mounted if place.startswith(top + "/")):
                os.rmdir(path)


def user_id():
    return USER_ID if is_root else os.getuid()


def group_id():
    return USER_ID if is_root else os.getgid()


def _homes():
    for name, uid, gid in ((USER_NAME, user_id(), group_id()), (OTHER_NAME, OTHER_ID, OTHER_ID)):
        home = "/home/" + name
        os.mkdir(home, 0o755)
        if is_root:
            os.chown(home, uid, gid)


def _certificates():
    """A CA of the test's own that everybody here trusts, and one certificate."""
    base = os.path.join(directory, "tls")
    os.makedirs(base)

    def openssl(*arguments, **keywords):
        return subprocess.run(("openssl",) + arguments, check=True, capture_output=True, cwd=base,
                              text=True, **keywords).stdout

    try:
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=anet test CA",
                "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign")
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=" + MODEL_HOST)
        _write(os.path.join(base, "extensions"), "subjectAltName=DNS:%s,DNS:%s\n" % (MODEL_HOST, OPENAI_HOST))
        openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
                "-CAcreateserial", "-days", "2", "-extfile", "extensions", "-out", "server.pem")
        name = openssl("x509", "-hash", "-noout", "-in", "ca.pem").strip() + ".0"
    except FileNotFoundError:
        raise Skip("the program openssl is not installed")
    trusted = os.path.join(base, "trusted")
    os.mkdir(trusted)
    shutil.copy(os.path.join(base, "ca.pem"), os.path.join(trusted, name))
    if os.path.isdir(CA_DIR):
        mount(trusted, CA_DIR, flags=MS_BIND)


def certificate():
    """(certificate file, key file) of the model service's double."""
    return os.path.join(directory, "tls", "server.pem"), os.path.join(directory, "tls", "server.key")


def _fork_into_pid_namespace():
    """Goes on in the child, PID 1 there; the parent waits and passes the status on."""
    child = os.fork()
    if child == 0:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        return
    while True:
        try:
            _, status = os.waitpid(child, 0)
            break
        except InterruptedError:
            continue
    shutil.rmtree(directory, ignore_errors=True)
    code = os.waitstatus_to_exitcode(status)
    os._exit(code if code >= 0 else 128 - code)


def _overlay(place):
    """The same directory, but what is written to it goes with the test."""
    upper, work = (os.path.join(directory, "overlay" + place.replace("/", "-"), name) for name in ("upper", "work"))
    os.makedirs(upper)
    os.makedirs(work)
    try:
        mount("overlay", place, "overlay", 0, "lowerdir=%s,upperdir=%s,workdir=%s" % (place, upper, work))
    except OSError as error:
        raise Skip("this machine has no overlay filesystem for %s (%s)" % (place, error))


def _cover_state(overlays):
    """What root's runs leave records in."""
    if not is_root or any("/var/lib/anet".startswith(place) for place in overlays):
        return
    if os.path.isdir("/var/lib/anet"):
        mount("state", "/var/lib/anet", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755")
        return
    with contextlib.suppress(Skip):
        _overlay("/var/lib")


def enter(keep=(), overlays=()):
    """See the top of this file.  `keep`: further paths that must stay visible;
    `overlays`: system directories that the test writes to (root only)."""
    global directory
    os.umask(0o022)
    base = os.environ.get("ANET_TEST_DIR") or "/var/tmp"
    directory = tempfile.mkdtemp(prefix="anet-test-", dir=base)
    os.chmod(directory, 0o755)
    try:
        if not is_root:
            _enter_user_namespace()
        _check(libc.unshare(CLONE_NEWPID), "unshare")
    except Exception:
        shutil.rmtree(directory, ignore_errors=True)
        raise
    _fork_into_pid_namespace()
    # Not before the fork: the parent removes the directory where nothing covers it.
    _check(libc.unshare(CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET), "unshare")
    mount(None, "/", flags=MS_REC | MS_PRIVATE)
    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV)
    mount("shm", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777")
    _raise_loopback()
    socket.sethostname("test-host")
    for place in overlays if is_root else ():
        _overlay(place)
    _cover_state(overlays)
    visible = [TREE, PREFIX, CACHE, directory, sys.base_prefix] + [os.path.realpath(path) for path in keep]
    for place in ("/home", "/root", "/tmp", "/run", "/var/tmp"):
        if os.path.isdir(place) and (is_root or place != "/root"):
            _cover(place, visible)
    _accounts()
    _homes()
    hosts = os.path.join(directory, "hosts")
    _write(hosts, "127.0.0.1 localhost %s %s\n::1 localhost\n" % (MODEL_HOST, OPENAI_HOST))
    mount(hosts, "/etc/hosts", flags=MS_BIND)
    _certificates()

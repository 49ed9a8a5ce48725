# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the tests of this directory one after the other in one boot.

    runner.py STATE TEST...

Their TAP lines come out as one list, each name with its file in front.  A test
may say near its top

    # test: timeout=300   seconds that it may take (default 120)
    # test: last          after all others
    # test: suite=trixie  only on that machine (tests/vm/run)

One that hangs is killed and counts as failed; after a failure the journal since
the test's begin and the state of anet's units are printed.  One that ends with
RESET has the machine reset, as by its power switch, and is then run again with
the argument `after`; what is left to do is kept in the file STATE meanwhile.
Exit status: 0, 1 if something failed, 77 if nothing could be checked.
"""
import json
import os
import re
import selectors
import signal
import subprocess
import sys
import time

GUEST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
LINE = re.compile(r"^(ok|not ok) \d+ - (.*)$")
DEFAULT_TIMEOUT = 120
SKIP, RESET = 77, 99
JOURNAL_LINES = 150


class Test:
    def __init__(self, name):
        self.name, self.timeout, self.last = name, DEFAULT_TIMEOUT, False
        with open(os.path.join(GUEST, name), encoding="utf-8") as file:
            for _, line in zip(range(20), file):
                match = re.match(r"# test:(.*)", line)
                for word in match.group(1).split() if match else ():
                    key, _, value = word.partition("=")
                    if key == "timeout":
                        self.timeout = int(value)
                    elif key == "last":
                        self.last = True


class Runner:
    def __init__(self, state):
        self.state = state
        self.count = self.passed = self.failed = 0

    def line(self, word, name):
        self.count += 1
        if word != "ok":
            self.failed += 1
        elif " # SKIP" not in name:
            self.passed += 1
        print("%s %d - %s" % (word, self.count, name), flush=True)

    def pass_on(self, test, text):
        match = LINE.match(text)
        if match:
            self.line(match.group(1), "%s: %s" % (test.name, match.group(2)))
        elif not re.match(r"1\.\.\d+$", text):
            print(text, flush=True)

    def run(self, test, arguments):
        """The exit status, or "timeout"."""
        process = subprocess.Popen([sys.executable, os.path.join(GUEST, test.name), *arguments],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        end, text, open_end = time.monotonic() + test.timeout, b"", True
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            # Not until end of file: what the test left behind may hold its output open.
            while time.monotonic() < end and (open_end and process.poll() is None):
                if selector.select(0.2):
                    data = os.read(process.stdout.fileno(), 65536)
                    open_end = bool(data)
                    text += data
                    *lines, text = text.split(b"\n")
                    for line in lines:
                        self.pass_on(test, line.decode("utf-8", "replace"))
            os.set_blocking(process.stdout.fileno(), False)
            text += process.stdout.read() or b""
        for line in text.splitlines():
            self.pass_on(test, line.decode("utf-8", "replace"))
        try:
            return process.wait(max(0.1, min(5, end - time.monotonic())))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return "timeout"

    def one(self, test, arguments):
        begin, failed, count, cpu = time.time(), self.failed, self.count, cpu_times()
        print("# ---- %s %s" % (test.name, " ".join(arguments)), flush=True)
        status = self.run(test, arguments)
        if status == "timeout":
            self.line("not ok", "%s: ended within %d s" % (test.name, test.timeout))
        elif status == SKIP and self.count == count:
            self.line("ok", "%s: all of it # SKIP see above" % test.name)
        elif status not in (0, SKIP, RESET) and self.failed == failed:
            self.line("not ok", "%s: ended with status %s" % (test.name, status))
        if self.failed != failed:
            show(begin)
        if status != RESET:
            tidy()
        # A machine that was idle has waited for something; else it was only slow.
        idle, whole = (after - before for before, after in zip(cpu, cpu_times()))
        print("# ---- %s took %.0f s, %.0f %% of it idle" % (test.name, time.time() - begin, 100 * idle / max(whole, 1)),
              flush=True)
        return status

    def all(self, names):
        tests = sorted((Test(name) for name in names), key=lambda test: test.last)
        jobs = [(test.name, []) for test in tests]
        with open(self.state) as file:
            text = file.read()
        if text:
            saved = json.loads(text)
            jobs = saved["jobs"]
            self.count, self.passed, self.failed = saved["counts"]
            # Used up: what comes now is no reset of ours.
            os.truncate(self.state, 0)
            os.sync()
        while jobs:
            name, arguments = jobs.pop(0)
            if self.one(Test(name), arguments) == RESET:
                self.reset([(name, ["after"])] + jobs)
        return 1 if self.failed else 0 if self.passed else SKIP

    def reset(self, jobs):
        with open(self.state, "w") as file:
            json.dump({"jobs": jobs, "counts": [self.count, self.passed, self.failed]}, file)
            file.flush()
            os.fsync(file.fileno())
        # The disk has no journal of its own: what was written must be there, also what others wrote.
        os.sync()
        print("# ---- the machine is reset", flush=True)
        with open("/proc/sysrq-trigger", "w") as trigger:
            trigger.write("b")
        time.sleep(60)
        sys.exit("the machine did not reset")


def cpu_times():
    """Idle and all time of the processors, in their unit."""
    with open("/proc/stat") as file:
        fields = [int(word) for word in file.readline().split()[1:9]]
    return fields[3] + fields[4], sum(fields)


def call(*argv, timeout=30):
    try:
        result = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                timeout=timeout)
        return result.stdout.decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        return "(%s did not end within %d s)\n" % (" ".join(argv), timeout)


def show(begin):
    """What a person would look at."""
    for argv in (["journalctl", "--no-pager", "--output=short-precise", "--since=@%f" % begin,
                  "--lines=%d" % JOURNAL_LINES],
                 ["systemctl", "--no-pager", "--no-legend", "--plain", "--all", "list-units", "anet*"],
                 ["systemctl", "--no-pager", "--full", "--lines=0", "status", "anet-session@*"]):
        print("# $ " + " ".join(argv))
        for line in call(*argv).splitlines():
            print("#   " + line[:400])
    sys.stdout.flush()


def tidy():
    """The next test begins without sessions and without failed units."""
    call("systemctl", "stop", "anet-session@*.service", timeout=200)
    call("systemctl", "reset-failed")


if __name__ == "__main__":
    sys.exit(Runner(sys.argv[1]).all(sys.argv[2:]))

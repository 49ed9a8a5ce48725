# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a test program prints: one line for each thing that it checked.

    ok 3 - as user: exit status 3
    not ok 4 - as user: a signal becomes 128+n
    # got 0, want 137
    ok 5 - x32 system calls # SKIP this kernel has no x32

tests/run counts these lines.  Exit status: 0, 1 if something failed, 77 if
nothing could be checked.
"""
import os
import sys
import traceback

EXIT_SKIP = 77


class Skip(Exception):
    """The whole test, or the block it is raised in, cannot run here."""


class Results:
    def __init__(self):
        self.count = self.failed = self.skipped = 0
        self.prefix = ""

    def _line(self, word, name, tail=""):
        self.count += 1
        print("%s %d - %s%s%s" % (word, self.count, self.prefix, name, tail), flush=True)

    def ok(self, name, condition, detail=""):
        """Whether it held; `detail` is shown if not."""
        if condition:
            self._line("ok", name)
        else:
            self.failed += 1
            self._line("not ok", name)
            for line in str(detail).splitlines():
                print("# " + line, flush=True)
        return bool(condition)

    def equal(self, name, got, want, detail=""):
        return self.ok(name, got == want, "got  %r\nwant %r\n%s" % (got, want, detail))

    def contains(self, name, text, part):
        return self.ok(name, part in text, "no %r in %r" % (part, text[-2000:]))

    def lacks(self, name, text, part):
        return self.ok(name, part not in text, "%r is in %r" % (part, text[-2000:]))

    def fail(self, name, detail=""):
        return self.ok(name, False, detail)

    def skip(self, name, reason):
        self.skipped += 1
        self._line("ok", name, " # SKIP " + reason)

    def note(self, text):
        for line in str(text).splitlines():
            print("# " + line, flush=True)

    def under(self, prefix):
        """`with results.under("as root: "):` names what is checked below it;
        Skip raised inside skips the rest of the block."""
        return _Under(self, prefix)

    def finish(self):
        print("1..%d" % self.count, flush=True)
        if self.failed:
            return 1
        return EXIT_SKIP if self.count == self.skipped else 0


class _Under:
    def __init__(self, results, prefix):
        self.results, self.prefix = results, prefix

    def __enter__(self):
        self.before = self.results.prefix
        self.results.prefix += self.prefix
        return self.results

    def __exit__(self, kind, value, trace):
        if kind is not None and issubclass(kind, Skip):
            self.results.skip("the rest", str(value))
            kind = None
        elif kind is not None and issubclass(kind, Exception):
            self.results.fail("no exception in the test", "".join(
                traceback.format_exception(kind, value, trace)))
            kind = None
        self.results.prefix = self.before
        return kind is None


def leave(status):
    """Ends at once: threads and children of a test need no farewell."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def run_test(function):
    """Runs function(results) and ends the program."""
    results = Results()
    try:
        function(results)
    except Skip as skip:
        if results.count == 0:
            print("# skipped: %s" % skip)
            leave(EXIT_SKIP)
        results.skip("the rest", str(skip))
    except Exception:  # a bug in the test, or a product that does the unexpected
        results.fail("no exception in the test", traceback.format_exc())
    leave(results.finish())

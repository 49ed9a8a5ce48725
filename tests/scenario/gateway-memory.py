#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""An idle gateway is small, also after a large request."""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from gateway import MESSAGE, Gateway, message, post
from records import LIMIT_BODY_BYTES
from tap import Skip, run_test

IDLE_KIB = 1536


def pss_kib(pid):
    try:
        with open("/proc/%d/smaps_rollup" % pid) as file:
            return next(int(line.split()[1]) for line in file if line.startswith("Pss:"))
    except OSError as error:  # a gateway cannot be looked into by its own user
        raise Skip("only root sees another process's memory: %s" % error)


def test(results):
    with Gateway() as gateway:
        gateway.agent.send(post(MESSAGE))
        gateway.agent.answer()
        first = pss_kib(gateway.pid)
        results.note("idle: %d KiB" % first)
        results.ok("idle below %d KiB" % IDLE_KIB, first < IDLE_KIB, first)

        many = b'{"model":"x","max_tokens":1,"messages":[' + b",".join(
            [b'{"role":"user","content":"hi"}'] * 30000) + b"]}"
        # What needs the most memory of all that the limit of values lets through.
        objects = b'{"model":"x","max_tokens":1,"messages":[],"tools":[' + b",".join([b"{}"] * 199000) + b"]}"
        for name, body in (("nearly 8 MiB of text", message(LIMIT_BODY_BYTES - 4096)),
                           ("30000 messages", many), ("199000 objects", objects)):
            gateway.agent.send(post(body))
            results.equal(name + " are served", gateway.agent.answer().status, 200)
        end = time.monotonic() + 10
        while pss_kib(gateway.pid) >= IDLE_KIB and time.monotonic() < end:
            time.sleep(0.1)
        with open("/proc/%d/status" % gateway.pid) as file:
            results.note(" ".join(line.strip() for line in file if line.startswith(("VmPeak", "VmHWM"))))
        last = pss_kib(gateway.pid)
        results.note("afterwards: %d KiB" % last)
        results.ok("small again", last < IDLE_KIB, last)


run_test(test)

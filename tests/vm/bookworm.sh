#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=2000 alone
# All of tests/vm/guest on Debian 12: systemd 252, bubblewrap 0.8. The first run builds the machine.
exec "$(dirname "$0")/run" --suite bookworm

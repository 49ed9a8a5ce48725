#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# test: timeout=2000 alone
# All of tests/vm/guest on Debian 13: systemd 257, bubblewrap 0.12. The first run builds the machine.
exec "$(dirname "$0")/run" --suite trixie

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_NOTIFY_H
#define ANET_OS_NOTIFY_H

/*
 * What a service tells systemd, by the protocol of sd_notify(3): one datagram to
 * the socket that $NOTIFY_SOCKET names.  By hand, since libsystemd costs a
 * supervisor more at its start than all the rest of it.  Without a manager that
 * listens, nothing happens: each returns 0 or -errno, which may be ignored.
 */

/* Assignments as sd_notify(3) lists them, one a line: "READY=1\nSTATUS=…". */
int notify_send(const char *state);

/* STATUS= alone, one line: what stands in `systemctl status`. */
int notify_status(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

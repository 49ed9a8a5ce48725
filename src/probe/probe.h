/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_PROBE_PROBE_H
#define ANET_PROBE_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The host's side of the assertions: what is open there while the probe runs. */
struct probe_host {
	uint16_t port;		/* listening on the host's 127.0.0.1 */
	uint8_t abstract[107];	/* name of a listening abstract socket, without its NUL
				 */
	size_t abstract_length; /* sun_path less the first byte: unix(7) */
};

/*
 * An assertion: true if it holds, else what was seen instead, for people, in
 * `detail`.  Runs in a process of its own, which it may harm.
 */
#define PROBE_DETAIL 160
typedef bool probe_check(const struct probe_host *host, char detail[PROBE_DETAIL]);

/* Network: src/probe/network.c. */
probe_check probe_loopback;
probe_check probe_host_tcp;
probe_check probe_host_abstract;
probe_check probe_vsock;

/* What the filter refuses: src/probe/calls.c. */
probe_check probe_keyring;
probe_check probe_userns;
probe_check probe_io_uring;
probe_check probe_ptrace;
probe_check probe_mount;
probe_check probe_setid;
probe_check probe_tiocsti;

/* What the process is and sees: src/probe/process.c. */
probe_check probe_i386;
probe_check probe_x32;
probe_check probe_caps;
probe_check probe_proc_masked;

/* Writes `format` into detail and returns false. */
bool probe_failed(char detail[PROBE_DETAIL], const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif

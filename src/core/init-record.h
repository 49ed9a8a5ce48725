/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_INIT_RECORD_H
#define ANET_CORE_INIT_RECORD_H

#include <stdint.h>
#include "core/limits.h"

/*
 * Between a supervisor and the first process of its run.
 *
 * anet-init is executed by bwrap with exactly these descriptors besides its
 * standard ones.  The record is a sealed memfd: struct init_record, then
 * n_checks times struct init_check, then `text_bytes` of strings, each ended
 * by a NUL: the working directory, argc arguments, envc variables, (path, text) of
 * n_files files for the home, and the targets that the checks point to by offset.
 */
enum init_fd {
	INIT_FD_CONTROL = 3,  /* AF_UNIX SOCK_SEQPACKET to the supervisor */
	INIT_FD_LIFELINE = 4, /* pipe; its EOF ends the run */
	INIT_FD_RECORD = 5,
	INIT_FD_COUNT = 6,
};

#define INIT_MAGIC 0x494e4131u /* "1ANI" */
#define INIT_VERSION 3

enum init_flags {
	INIT_TTY = 1 << 0,	  /* the agent gets a terminal of the run's own devpts */
	INIT_STDERR_PIPE = 1 << 1, /* with INIT_TTY: but not for its standard error */
	INIT_ENDPOINT = 1 << 2,	  /* open the listener of the model endpoint */
	/* There is no sandbox: it is not PID 1, and ends its descendants itself. */
	INIT_HOST = 1 << 3,
	INIT_REPORT = 1 << 4, /* let what the agent asks for be watched */
	INIT_TUNNEL = 1 << 5, /* open the listener of the tunnel endpoint */
};

struct init_record {
	uint32_t magic;
	uint16_t version;
	uint16_t size; /* sizeof(struct init_record) */
	uint32_t flags;
	uint32_t n_checks;
	uint32_t argc;
	uint32_t envc;
	uint32_t text_bytes;
	uint32_t n_files;
};

/* What a mount must be: (st_dev, st_ino) of the source that was checked. */
struct init_check {
	uint64_t dev;
	uint64_t ino;
	uint32_t target; /* offset into the text */
	uint32_t read_only;
};

/* The most that READY carries. */
#define INIT_READY_FDS 4

enum init_message_type {
	/* To the supervisor.  READY carries the listener (INIT_ENDPOINT), that of
	 * the tunnels (INIT_TUNNEL), the terminal's master (INIT_TTY), then the
	 * notifications (INIT_REPORT; with a negative errno as its value it could not
	 * have them). */
	INIT_READY = 1,
	INIT_REFUSED = 2, /* value: enum reason */
	INIT_STARTED = 3, /* the agent's execve() succeeded */
	INIT_EXITED = 4,  /* value: wait status of the agent (wait(2)) */
	/* From the supervisor. */
	/* value: RLIMIT_NPROC of the agent, where no scope limits tasks; 0: none. */
	INIT_START = 5,
	INIT_SIGNAL = 6, /* value: signal for the agent's process group */
};

struct init_message {
	uint32_t magic;
	uint16_t version;
	uint16_t type;
	int32_t value;
	char detail[LIMIT_DETAIL + 1];
};

#endif

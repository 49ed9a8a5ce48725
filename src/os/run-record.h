/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_RUN_RECORD_H
#define ANET_OS_RUN_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a supervisor is to run: the part of a session's preparation that its
 * helpers need not know.  Written by `anet run` (or the prepare step), sealed,
 * read once by anet-session.  Paths are bytes, not text; absolute, without
 * NUL, at most PATH_MAX - 1 long.
 */
enum run_mount_flags {
	RUN_MOUNT_WRITABLE = 1 << 0,
	/* Part of the runtime's program: may lie below a never-visible path
	 * (SPEC S2.4), always read-only. */
	RUN_MOUNT_PROGRAM = 1 << 1,
	/* A directory that anet itself made for this session: exempt from what is
	 * never visible (SPEC S2.4). */
	RUN_MOUNT_ASSIGNED = 1 << 2,
	/* Of `mounts` in the configuration (SPEC S9). */
	RUN_MOUNT_CONFIGURED = 1 << 3,
};

struct run_mount {
	char *source;
	char *target;
	uint32_t flags;
};

/* A file that the run finds in its home, with mode 0600. */
struct run_file {
	char *path; /* core/home-path.h */
	char *text;
};

struct run_record {
	char *workspace; /* bound writable at its own path; the run's cwd */
	uint32_t workspace_flags; /* RUN_MOUNT_ASSIGNED or 0 */
	char **argv;	 /* NULL-terminated; argv[0] is looked up in PATH */
	char **env;	 /* NULL-terminated; the run's whole environment */
	struct run_mount *mounts;
	size_t n_mounts;
	struct run_file *files;
	size_t n_files;
};

/* Writes `record` into a new sealed memfd.  0, -E2BIG beyond LIMIT_MOUNTS,
 * LIMIT_ARG_BYTES, LIMIT_HOME_FILES or LIMIT_HOME_FILE_BYTES, -EINVAL for an empty argv or a path that is not as above,
 * or -errno. */
int run_record_write(const struct run_record *record, int *ret_fd);

/* The same as bytes, to be freed by the caller. */
int run_record_format(const struct run_record *record, void **ret_bytes, size_t *ret_size);

/* Reads a record; the caller frees it.  `sealed`: demands a memfd that nobody
 * can change.  0, -EBADMSG, or -errno. */
int run_record_read(int fd, bool sealed, struct run_record *ret_record);

/* Frees what run_record_read() gave; nothing else. */
void run_record_free(struct run_record *record);

/* `size` bytes as a memfd of this name, sealed for good.  0 or -errno. */
int sealed_memfd(const char *name, const void *bytes, size_t size, int *ret_fd);

/* The policy record as a sealed memfd, for helpers to pread().  0 or -errno. */
struct policy;
int policy_write(const struct policy *policy, int *ret_fd);

/*
 * The supervisor in the foreground: `anet run` execs ANET_HELPER_DIR
 * /anet-session, without arguments and with an empty environment but for TERM,
 * HOME (whose credential files are never visible), NO_COLOR
 * and what locates the user's bus (XDG_RUNTIME_DIR, DBUS_SESSION_BUS_ADDRESS),
 * keeping 0 to 2 and exactly these:
 */
enum session_fd {
	SESSION_FD_POLICY = 3,
	SESSION_FD_RUN = 4,
	/* With POLICY_CREDENTIAL_FD: a sealed memfd that holds the key and
	 * nothing else.  With POLICY_PROBE: a SEQPACKET socket on which the
	 * supervisor sends one struct report (OUTCOME) with the reason that
	 * kept the sandbox from starting, or REASON_OK. */
	SESSION_FD_EXTRA = 5,
	/* With POLICY_SEPARATE_UIDS: a lock on the pair of uids, held for as
	 * long as the supervisor lives. */
	SESSION_FD_UID_LOCK = 6,
	/* With POLICY_REPORT: where what the run asks for is told
	 * (core/seen-record.h). */
	SESSION_FD_REPORT = 7,
};

#endif

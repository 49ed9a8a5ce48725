/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_SESSION_SESSION_H
#define ANET_SESSION_SESSION_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <termios.h>

#include "core/handover.h"
#include "core/init-record.h"
#include "core/ledger.h"
#include "core/policy.h"
#include "core/reason.h"
#include "core/refused-record.h"
#include "core/session-state.h"
#include "os/bwrap.h"
#include "os/clock.h"
#include "os/run-record.h"
#include "os/protected.h"
#include "os/scope.h"
#include "os/view.h"
#include "session/connections.h"
#include "session/watch.h"

/*
 * The state of a supervisor.  One per process; every descriptor here is owned
 * by it until the process ends unless a comment says otherwise.
 */
struct session;

/* One direction of the run's standard streams. */
struct stream {
	struct watch from, to;
	bool from_always, to_always; /* not pollable: a file, /dev/null */
	bool to_blocks;		     /* the caller's own, shared: must not be O_NONBLOCK */
	bool ended;
	struct lines *lines; /* NULL: to a descriptor */
	size_t begin, end;
	uint8_t buffer[64 * 1024];
};

/* What anet-files measures. */
struct measured {
	int fd;	      /* readable directory, as the run sees it */
	size_t entry; /* of the view */
};

/* The policy goes with them, and what is shared. */
#define MAX_MEASURED (HANDOVER_MAX_FDS - 2)

/* What belongs to an entry of the view besides. */
struct mount {
	int tree; /* detached mount, only when root gives it to a run; else -1 */
};

enum stage {
	STAGE_STARTING, /* bwrap builds the sandbox */
	STAGE_RUNNING,
	STAGE_ENDING, /* the lifeline is closed */
	STAGE_GONE,   /* every process of the run has ended */
};

/* Lines of the run's output on their way to the journal. */
struct lines {
	const char *name; /* "stdout", "stderr" */
	size_t length;
	char text[LIMIT_JOURNAL_LINE];
};

struct session {
	struct policy policy;
	struct run_record run;
	int policy_fd, credential_fd, report_fd;
	/* With POLICY_REPORT, else -1: the socket of the report, and the notifications
	 * of the run's calls. */
	int seen_fd, notifications;
	uint64_t soft_files; /* RLIMIT_NOFILE of who started it */
	int init_program, files_program, gateway_program, upstream_program,
		tunnel_program, scope_program, watch_program;
	int null_fd;

	struct view view;
	struct mount *mounts; /* one for each entry of the view */
	struct measured measured[MAX_MEASURED]; /* the workspace first */
	size_t n_measured;

	/* With POLICY_PROTECT only. */
	struct protected_share *share;
	int share_fd;
	int left_record; /* os/protected-record.h; -1: cannot be kept */
	uint64_t left;	 /* rows that the run made or replaced */
	int left_kept;	 /* 0, or why there is no record of them: -errno */
	bool files_begun;

	/* Of the strategy `host` only; else -1. */
	int host_listener, endpoint_key_fd;

	int ledger_fd, ledger_read_fd;
	struct ledger *ledger;

	int epoll;
	struct watch signals, control, wall_clock, tick, deadline, files, watcher,
		scope_memory, scope_tasks, second;

	/* Of a unit (POLICY_UNIT) only. */
	char unit[LIMIT_UNIT_NAME + 1];
	int live; /* the directory for the state */
	gid_t helpers_group;
	struct session_state state; /* as written last */
	unsigned int lines_left; /* that may go to the journal now */
	uint64_t lines_at, lines_told_at, lines_dropped;

	enum stage stage;
	uint64_t started_at; /* monotonic milliseconds */
	enum reason reason; /* why it ended, if not by the agent's own exit */
	char detail[LIMIT_DETAIL + 1];
	bool agent_ended;
	int agent_status;
	int end_signal; /* the caller's, or 0 */

	pid_t bwrap_pid, files_pid;
	int lifeline;
	int go; /* a byte to begin, another when the sandbox stands */

	bool tty, tty_raw, stderr_tty;
	struct termios tty_saved;
	int master;
	int tty_out, tty_err; /* opened anew, not blocking; -1: could not be */
	struct stream in, out, err;
	struct lines out_lines, err_lines;
	bool streams_begun;
	char diagnostics[4096]; /* what bwrap says before the run begins */
	size_t diagnostics_length;

	struct endpoint endpoints[ENDPOINT_KINDS];
	struct waiting waiting[MAX_PLACES];
	struct watch lingering[MAX_LINGERING];
	size_t n_lingering; /* so far; the next one has the place of the oldest */
	struct pair pairs[MAX_PLACES], *warm_pair;
	struct tunnel tunnel_places[MAX_PLACES], *warm_tunnel;
	uint64_t connections, tunnels;
	unsigned int connections_open, tunnels_open;

	/* What could not be said while a full-screen program had the terminal. */
	struct held {
		enum reason reason;
		const char *helper;
		char detail[LIMIT_DETAIL + 1];
	} held[8];
	size_t n_held; /* may be more than there are places */
	struct refusals {
		uint64_t n;
		char detail[LIMIT_DETAIL + 1]; /* of the first */
	} refusals[REASON_COUNT];
	struct refused_record kept; /* the last ones, and the file that they go to, or -1 */
	int kept_fd;
	unsigned int events; /* told lately: a run must not flood the journal */
	uint64_t events_at, events_hidden;

	bool have_scope;
	struct scope scope;
	uint64_t refused;
};

/* records.c: what is to be run, from descriptors or, for a unit, from the
 * directory of its session.  Refuses the start by itself. */
void records_from_descriptors(struct session *session);
void records_of_unit(struct session *session, const char *template, const char *instance);

/* unit.c: what a session of a unit has besides. */
/* The second's timer, while root still can: state, watchdog. */
int unit_begin(struct session *session);
/* The agent has begun. */
void unit_started(struct session *session);
void unit_ended(struct session *session, enum reason reason, const char *detail);
/* The group of the helpers' sockets; REASON_OK or SOCKET_MISSING. */
enum reason unit_find_sockets(struct session *session, char *ret_detail, size_t size);
/* A connection to the socket of a helper's unit, or -errno. */
int unit_connect(const char *path);

/* lines.c: the run's output, line by line, to the journal. */
void lines_take(struct session *session, struct lines *lines, const uint8_t *bytes,
		size_t length);
void lines_flush(struct session *session, struct lines *lines);

/* main.c: says why there is no run, and exits. */
__attribute__((noreturn)) void refuse_start(enum reason reason, const char *detail);

/* ask-scope.c: anet-scope, for scope_start(); `program` is its O_PATH descriptor. */
int ask_scope(int program, const struct systemd_scope *scope, char *ret_missing,
	      size_t missing_size);

/* mounts.c: opens and checks every source; nothing is mounted yet. */
enum reason mounts_prepare(struct session *session, char *ret_detail, size_t size);
/* bwrap reads the files that anet makes from `first_file` on, in their order. */
void mounts_arguments(const struct session *session, struct bwrap_arguments *arguments,
		      int first_file);

/* host.c: what takes the place of mounts and sandbox for the strategy `host`. */
/* Opens the workspace and the endpoint, and fills both into the run's environment. */
enum reason host_prepare(struct session *session, char *ret_detail, size_t size);
/* In the run's first process: takes the account of the run.  0 or -errno. */
int host_enter(const struct session *session);

/* staging.c: where root gives its files to a run of another uid. */
enum reason staging_prepare(struct session *session, char *ret_detail, size_t size);
/* In the run's first process, before it drops its rights.  0 or -errno. */
int staging_enter(const struct session *session);
/* The path under which bwrap finds mount number `i` then. */
void staging_path(size_t i, char *ret_path, size_t size);

/* init-record.c: the record for the run's first process, sealed.  0 or -errno. */
int init_record_make(const struct session *session, int *ret_fd);

/* start.c: forks the run's first process, which waits for session_release(). */
enum reason run_start(struct session *session, char *ret_detail, size_t size);
int run_release(struct session *session);

/* guard.c: in the run's first process before it becomes bwrap.  `go` says more, or ends
 * and its process group with it.  0 or -errno. */
int guard_start(int go);

/* control.c: what passes between the supervisor and anet-init. */
void run_handle_control(struct session *session, struct watch *watch, uint32_t events);
/* The sandbox was not built: finds out why from what bwrap said. */
void run_failed(struct session *session);
/* Sends a signal to the agent's process group. */
void run_signal(struct session *session, int number);

/* streams.c: the run's standard input and outputs, the terminal. */
int streams_open(struct session *session, int ret_run_fds[3]);
/* All that bwrap has said so far. */
void streams_read_diagnostics(struct session *session);
int streams_begin(struct session *session, int master);
void streams_resize(struct session *session);
void streams_restore(struct session *session);
/* Whether a write of up to PIPE_BUF bytes would not block now. */
bool stream_writable(int fd);
/* True once everything that the run wrote is with the caller. */
bool streams_done(const struct session *session);

/* helpers.c: starts helpers, hands over, reads their reports. */
int helper_socketpair(const struct session *session, int ret_fds[2]);
pid_t helper_start(const struct session *session, int program, const char *name, int socket,
		   bool as_run);
/* The supervisor's end of the socket of a new gateway, upstream or tunnel, or -errno. */
int helper_ask(const struct session *session, enum handover_kind kind);
/* The same, prepared with these descriptors and watched; 0 or -errno. */
int helper_prepare(struct session *session, struct watch *watch, enum handover_kind kind,
		   const int *fds, size_t n_fds);
/* What is wrong when helpers cannot be had; `error` as helper_ask() gave it. */
enum reason helper_missing(const struct session *session, enum endpoint_kind kind,
			   int error, char *ret_detail, size_t size);
bool report_receive(struct session *session, int fd, struct report *ret_report);
/* Tells what a helper of connection `number` (0: of none yet) reports; `told`: it has
 * given its OUTCOME.  False: it has ended, and `watch` is closed. */
bool helper_hear(struct session *session, struct watch *watch, enum handover_kind kind,
		 uint64_t number, bool *told);

/* files.c: the helper that measures how the workspace grows, and looks at its end at
 * what the run left. */
int files_start(struct session *session);
int files_begin(struct session *session);
/* The run has ended: its last word is waited for. */
void files_end(struct session *session);

/* measured.c: what anet-files is to be given, opened with the rights of whoever
 * started the run. */
enum reason measured_open(struct session *session, char *ret_detail, size_t size);

/* left.c: what the run left to be executed outside.  left_open() as measured_open(). */
int left_open(struct session *session);
/* anet-files has looked: says so and keeps a record. */
void left_found(struct session *session);
/* The same to the caller, at the very end. */
void left_print(const struct session *session);

/* refusals.c: what the run was refused, kept for `anet why`.  refusals_open() as
 * measured_open(); what cannot be kept is not. */
void refusals_open(struct session *session);
void refusals_keep(struct session *session, enum reason reason, const char *helper,
		   const char *detail);

/* report.c: the helper that watches what a run asks for, with POLICY_REPORT; without
 * it these do nothing. */
int report_start(struct session *session);
/* `notifications` is -1 where anet-init could not have them, for `error`. */
int report_begin(struct session *session, int notifications, int error);
/* A request was refused. */
void report_count(struct session *session, enum reason reason, const char *detail);
/* A host was refused that a line of configuration could allow. */
void report_host(struct session *session, const char *host);
/* The end of the report; `hit`: the limit of the scope.  Waits until it is printed. */
void report_finish(struct session *session, enum reason hit);

/* tell.c */
/* Waits until the caller takes a message; not for ever where the run was ended. */
bool session_may_print(const struct session *session);
/* One record of something refused or gone wrong that does not end the run. */
void session_event(struct session *session, enum reason reason, const char *helper,
		   const char *detail);
/* The same, counted and kept, but not told. */
void session_count(struct session *session, enum reason reason, const char *helper,
		   const char *detail);
/* A helper has ended without an outcome. */
void session_tell_death(struct session *session, const char *helper);
/* What a helper reports of the agent's requests, or of a tunnel. */
void session_tell_report(struct session *session, const struct report *report,
			 const char *helper);
/* One journal record of a connection that a helper has served to its end. */
void session_tell_outcome(struct session *session, const struct report *report,
			  const char *helper);
/* What was held back while a full-screen program had the terminal. */
void session_print_held(const struct session *session);
/* refuse(), with the names of session and agent in the record. */
int session_refuse(const struct session *session, enum reason reason, const char *detail);
/* One journal record of how the run ended and what it used. */
void session_tell_end(const struct session *session);
/* The same to the caller, of a run that did not end by itself. */
void session_print_end(const struct session *session);

/* events.c */
int session_open_watches(struct session *session);
void session_watch_scope(struct session *session);
/* To be called when bwrap or the control socket has ended. */
void session_check_gone(struct session *session);
/* Ends the run; the first reason that is given stays. */
void session_end(struct session *session, enum reason reason, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif

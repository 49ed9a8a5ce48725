/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Starts the run: a first process that waits while the supervisor does what
 * needs its rights, then becomes bwrap, which builds the sandbox and becomes
 * anet-init.
 */
#include "session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/keyctl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/run.h"
#include "os/bwrap.h"
#include "os/cleanup.h"
#include "os/process.h"
#include "session/run-seccomp.h"

/* After enum init_fd; bwrap reads the data files in this order. */
enum bwrap_fd {
	BWRAP_FD_SECCOMP = INIT_FD_COUNT,
	BWRAP_FD_ARGUMENTS,
	BWRAP_FD_INIT,
	BWRAP_FD_ETC,
};

/* What the first process needs, all made before it is forked. */
struct first {
	int control, lifeline, go, stdio[3];
	int record, seccomp, arguments, etc[VIEW_MADE_FILES];
};

/* Enough for any agent, build or test suite. */
#define MAX_RUN_FILES 65536

static int build_arguments(const struct session *session, int *ret_fd)
{
	struct bwrap_arguments arguments = { 0 };
	char number[16];

	/* Not --die-with-parent: bwrap's own child waits for bwrap without an end
	 * when that is killed early, while the lifeline ends both at any time. */
	bwrap_add(&arguments, "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net",
		  "--unshare-uts", "--unshare-cgroup", "--uid", "1000", "--gid", "1000",
		  "--hostname", RUN_HOST_NAME, "--as-pid-1", "--new-session",
		  "--cap-drop", "ALL", NULL);
	mounts_arguments(session, &arguments, BWRAP_FD_ETC);
	bwrap_add(&arguments, "--chdir", "/", NULL);
	snprintf(number, sizeof(number), "%d", BWRAP_FD_SECCOMP);
	bwrap_add(&arguments, "--seccomp", number, NULL);
	return bwrap_arguments_seal(&arguments, ret_fd);
}

#define MAX_FIRST_FDS (BWRAP_FD_ETC + VIEW_MADE_FILES)

/* Puts the descriptors to 0, 1, 2 and 3 … in this order; nothing else stays.
 * 0 or -errno. */
static int place_descriptors(const int *sources, size_t n)
{
	int moved[MAX_FIRST_FDS];

	/* First all out of the way, since a source may have a target's number. */
	for (size_t i = 0; i < n; i++)
		moved[i] = fcntl(sources[i], F_DUPFD_CLOEXEC, (int)n);
	for (size_t i = 0; i < n; i++)
		if (moved[i] < 0)
			return -EMFILE;
	for (size_t i = 0; i < n; i++)
		if (dup2(moved[i], (int)i) < 0)
			return -errno;
	return close_range((unsigned int)n, ~0u, 0) < 0 ? -errno : 0;
}

/* Lowers a hard limit, and the soft one with it. */
static void lower_limit(__rlimit_resource_t resource, rlim_t most)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) < 0 || limit.rlim_max <= most)
		return;
	limit.rlim_max = most;
	if (limit.rlim_cur > most)
		limit.rlim_cur = most;
	(void)setrlimit(resource, &limit);
}

/* Who starts anet may be spared by the kernel when memory runs out (sshd's
 * children are not, but services can be); its run is not. */
static void unspare(void)
{
	auto_fd int fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
	char first = '0';

	if (fd >= 0 && read(fd, &first, 1) == 1 && first == '-')
		(void)!pwrite(fd, "0", 1, 0);
}

/* The supervisor needs more descriptors than who started it meant to have, and the run
 * does not. */
static void restore_files(const struct session *session)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		return;
	if (files.rlim_cur > session->soft_files)
		files.rlim_cur = session->soft_files;
	(void)setrlimit(RLIMIT_NOFILE, &files);
}

static void set_limits(void)
{
	struct rlimit files;

	/* A single file cannot pass the growth limit between two looks at it. */
	lower_limit(RLIMIT_FSIZE, LIMIT_GROWTH_BYTES);
	/* What an account may have for its music players would let a run keep
	 * anet-init and the rest of the machine from a processor. */
	lower_limit(RLIMIT_RTPRIO, 0);
	lower_limit(RLIMIT_NICE, 0);
	/* Descriptors in flight between sockets are counted for all processes of
	 * a uid and compared with the sender's limit: a run that may have half
	 * as many as its supervisor's helpers cannot stop them. */
	if (getrlimit(RLIMIT_NOFILE, &files) == 0)
		lower_limit(RLIMIT_NOFILE,
			    files.rlim_max / 2 < MAX_RUN_FILES ? files.rlim_max / 2 : MAX_RUN_FILES);
}

__attribute__((noreturn, format(printf, 1, 2))) static void fail_first(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vdprintf(STDERR_FILENO, format, arguments);
	va_end(arguments);
	_exit(71);
}

static void wait_for_release(const struct first *first)
{
	char go;

	if (read(first->go, &go, 1) != 1)
		_exit(0); /* the supervisor gave up */
	/* Own group and session: the caller's Ctrl-C is not for bwrap. */
	(void)setsid();
	if (dup2(first->stdio[2], STDERR_FILENO) < 0)
		_exit(71);
}

static int place_for_bwrap(const struct session *session, const struct first *first)
{
	int sources[MAX_FIRST_FDS];
	size_t n = 0;

	for (size_t i = 0; i < 3; i++)
		sources[n++] = first->stdio[i];
	sources[n++] = first->control;
	sources[n++] = first->lifeline;
	sources[n++] = first->record;
	sources[n++] = first->seccomp;
	sources[n++] = first->arguments;
	sources[n++] = session->init_program;
	for (size_t i = 0; i < VIEW_MADE_FILES; i++)
		sources[n++] = first->etc[i];
	return place_descriptors(sources, n);
}

__attribute__((noreturn)) static void become_bwrap(const struct session *session,
						   const struct first *first)
{
	static char locale[] = "LC_ALL=C";
	static char *const env[] = { locale, NULL };
	char arguments[16], program[32];
	uid_t uid = session->policy.run_uid;
	int r;

	wait_for_release(first);
	if (session->policy.flags & POLICY_SEPARATE_UIDS) {
		r = staging_enter(session);
		if (r < 0)
			fail_first("preparing the mounts as root: %s", strerror(-r));
		if (setgroups(0, NULL) < 0 || setresgid(uid, uid, uid) < 0 ||
		    setresuid(uid, uid, uid) < 0)
			fail_first("taking the uid of the run: %s", strerror(errno));
	}
	/* The caller's session keyring is reachable by possession, whatever the
	 * uid; a kernel without keyrings has nothing to leave. */
	(void)syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
	unspare();
	/* A bwrap that is setuid root must not become root: what it is to do, it
	 * can do in a user namespace. */
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	process_reset_signals();
	/* What a unit has is ended by its control group. */
	if ((session->policy.flags & (POLICY_SEPARATE_UIDS | POLICY_UNIT)) == POLICY_SEPARATE_UIDS) {
		r = guard_start(first->go);
		if (r < 0)
			fail_first("starting a process: %s", strerror(-r));
	}
	r = place_for_bwrap(session, first);
	if (r < 0)
		fail_first("arranging descriptors: %s", strerror(-r));
	set_limits();
	restore_files(session);
	snprintf(arguments, sizeof(arguments), "%d", BWRAP_FD_ARGUMENTS);
	snprintf(program, sizeof(program), "/proc/self/fd/%d", BWRAP_FD_INIT);
	(void)execle(ANET_BWRAP, "bwrap", "--args", arguments, "--", program, NULL, env);
	fail_first("%s: %s", ANET_BWRAP, strerror(errno));
}

/* Without a sandbox: the run is an ordinary process of its account. */
__attribute__((noreturn)) static void become_init(const struct session *session,
						  const struct first *first)
{
	static char name[] = "anet-init", locale[] = "LC_ALL=C";
	static char *const argv[] = {name, NULL}, *const env[] = {locale, NULL};
	const int sources[] = {first->stdio[0], first->stdio[1], first->stdio[2],
			       first->control,	first->lifeline, first->record,
			       session->init_program};
	const size_t n = sizeof(sources) / sizeof(sources[0]);
	int r;

	wait_for_release(first);
	r = host_enter(session);
	if (r < 0)
		fail_first("taking the account of the run: %s", strerror(-r));
	unspare();
	process_reset_signals();
	r = place_descriptors(sources, n);
	if (r < 0)
		fail_first("arranging descriptors: %s", strerror(-r));
	restore_files(session);
	(void)fcntl((int)n - 1, F_SETFD, FD_CLOEXEC);
	(void)execveat((int)n - 1, "", argv, env, AT_EMPTY_PATH);
	fail_first("anet-init: %s", strerror(errno));
}

/* Descriptors are left to the end of the process when something fails: then the
 * supervisor refuses and exits. */
static int prepare_first(struct session *session, struct first *first, int ret_ours[3])
{
	int control[2], lifeline[2], go[2], r;

	/* Not with helper_socketpair(): anet-init asks for no credentials. */
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) < 0 ||
	    pipe2(lifeline, O_CLOEXEC) < 0 || pipe2(go, O_CLOEXEC) < 0)
		return -errno;
	first->control = control[1];
	first->lifeline = lifeline[0];
	first->go = go[0];
	ret_ours[0] = control[0];
	ret_ours[1] = lifeline[1];
	ret_ours[2] = go[1];
	r = streams_open(session, first->stdio);
	return r == 0 ? init_record_make(session, &first->record) : r;
}

/* The data files that bwrap reads. */
static int prepare_bwrap(const struct session *session, struct first *first)
{
	int r = build_arguments(session, &first->arguments);
	size_t n = 0;

	if (r == 0)
		r = memfd_sealed("anet-seccomp", run_seccomp, sizeof(run_seccomp),
				 &first->seccomp);
	for (size_t i = 0; i < session->view.n && r == 0; i++) {
		const struct view_entry *entry = &session->view.entries[i];

		if (entry->way == VIEW_FILE)
			r = memfd_sealed("anet-etc", entry->source, strlen(entry->source),
					 &first->etc[n++]);
	}
	return r;
}

/* The supervisor's copies. */
static void close_first(const struct session *session, struct first *first)
{
	close_fd(&first->control);
	close_fd(&first->lifeline);
	close_fd(&first->go);
	close_fd(&first->record);
	close_fd(&first->seccomp);
	close_fd(&first->arguments);
	for (size_t i = 0; i < VIEW_MADE_FILES; i++)
		close_fd(&first->etc[i]);
	for (size_t i = 0; i < 3; i++)
		if (first->stdio[i] != session->null_fd)
			close_fd(&first->stdio[i]);
}

enum reason run_start(struct session *session, char *ret_detail, size_t size)
{
	bool host = session->policy.strategy == STRATEGY_HOST;
	int ours[3] = { -1, -1, -1 }, r;
	struct first first;


	if (!host && access(ANET_BWRAP, X_OK) < 0) {
		snprintf(ret_detail, size, "%s: %s", ANET_BWRAP, strerror(errno));
		return REASON_NO_BWRAP;
	}
	memset(&first, -1, sizeof(first)); /* no descriptor */
	r = prepare_first(session, &first, ours);
	if (r == 0 && !host)
		r = prepare_bwrap(session, &first);
	if (r < 0) {
		snprintf(ret_detail, size, "preparing the run: %s", strerror(-r));
		return REASON_SYSTEM;
	}
	session->bwrap_pid = fork();
	if (session->bwrap_pid < 0) {
		snprintf(ret_detail, size, "starting the run: %s", strerror(errno));
		return REASON_SYSTEM;
	}
	if (session->bwrap_pid == 0) {
		/* Else it would wait for itself when the supervisor is killed. */
		for (size_t i = 0; i < 3; i++)
			close(ours[i]);
		if (host)
			become_init(session, &first);
		else
			become_bwrap(session, &first);
	}
	session->control = (struct watch){ .fd = ours[0], .handle = run_handle_control };
	session->lifeline = ours[1];
	session->go = ours[2];
	close_first(session, &first);
	return REASON_OK;
}

int run_release(struct session *session)
{
	if (write(session->go, "g", 1) != 1)
		return -EPIPE;
	return watch_set(session, &session->control, EPOLLIN);
}

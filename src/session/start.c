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

static size_t strings_length(char *const *strings)
{
	size_t length = 0;

	for (; *strings; strings++)
		length += strlen(*strings) + 1;
	return length;
}

static uint32_t count(char *const *strings)
{
	uint32_t n = 0;

	while (strings[n])
		n++;
	return n;
}

static char *put(char *place, const char *text)
{
	size_t length = strlen(text) + 1;

	memcpy(place, text, length);
	return place + length;
}

/* See core/init-record.h for the layout. */
static int build_record(const struct session *session, int *ret_fd)
{
	const struct view *view = &session->view;
	const struct run_record *run = &session->run;
	struct init_record header = {
		.magic = INIT_MAGIC,
		.version = INIT_VERSION,
		.size = sizeof(header),
		.argc = count(run->argv),
		.envc = count(run->env),
	};
	size_t text = strlen(run->workspace) + 1 + strings_length(run->argv) +
		      strings_length(run->env);
	size_t checks_bytes;
	auto_free uint8_t *record = NULL;
	struct init_check *checks;
	char *place, *start;

	for (size_t i = 0; i < view->n; i++)
		if (view->entries[i].fd >= 0) {
			text += strlen(view->entries[i].target) + 1;
			header.n_checks++;
		}
	checks_bytes = header.n_checks * sizeof(*checks);
	record = malloc(sizeof(header) + checks_bytes + text);
	if (!record)
		return -ENOMEM;
	if (session->policy.wire != WIRE_NONE)
		header.flags |= INIT_ENDPOINT;
	if (session->tty)
		header.flags |= INIT_TTY | (session->stderr_tty ? 0 : INIT_STDERR_PIPE);
	header.text_bytes = (uint32_t)text;
	memcpy(record, &header, sizeof(header));
	checks = (struct init_check *)(record + sizeof(header));
	start = place = (char *)record + sizeof(header) + checks_bytes;
	place = put(place, run->workspace);
	for (char *const *string = run->argv; *string; string++)
		place = put(place, *string);
	for (char *const *string = run->env; *string; string++)
		place = put(place, *string);
	for (size_t i = 0; i < view->n; i++) {
		const struct view_entry *entry = &view->entries[i];

		if (entry->fd < 0)
			continue;
		*checks++ = (struct init_check){
			.dev = entry->dev,
			.ino = entry->ino,
			.target = (uint32_t)(place - start),
			.read_only = !entry->writable,
		};
		place = put(place, entry->target);
	}
	return memfd_sealed("anet-init", record, sizeof(header) + checks_bytes + text, ret_fd);
}

/* Puts the descriptors to 0, 1, 2 and 3 … in this order; nothing else stays.
 * 0 or -errno. */
static int place_descriptors(const struct session *session, const struct first *first)
{
	int sources[BWRAP_FD_ETC + VIEW_MADE_FILES];
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
	/* First all out of the way, since a source may have a target's number. */
	for (size_t i = 0; i < n; i++)
		sources[i] = fcntl(sources[i], F_DUPFD_CLOEXEC, (int)n);
	for (size_t i = 0; i < n; i++)
		if (sources[i] < 0)
			return -EMFILE;
	for (size_t i = 0; i < n; i++)
		if (dup2(sources[i], (int)i) < 0)
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

__attribute__((noreturn)) static void become_bwrap(const struct session *session,
						   const struct first *first)
{
	static char locale[] = "LC_ALL=C";
	static char *const env[] = { locale, NULL };
	char arguments[16], program[32];
	uid_t uid = session->policy.run_uid;
	char go;
	int r;

	if (read(first->go, &go, 1) != 1)
		_exit(0); /* the supervisor gave up */
	/* Own group and session: the caller's Ctrl-C is not for bwrap. */
	(void)setsid();
	if (dup2(first->stdio[2], STDERR_FILENO) < 0)
		_exit(71);
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
	r = place_descriptors(session, first);
	if (r < 0)
		fail_first("arranging descriptors: %s", strerror(-r));
	set_limits();
	snprintf(arguments, sizeof(arguments), "%d", BWRAP_FD_ARGUMENTS);
	snprintf(program, sizeof(program), "/proc/self/fd/%d", BWRAP_FD_INIT);
	(void)execle(ANET_BWRAP, "bwrap", "--args", arguments, "--", program, NULL, env);
	fail_first("%s: %s", ANET_BWRAP, strerror(errno));
}

/* Descriptors are left to the end of the process when something fails: then the
 * supervisor refuses and exits. */
static int prepare_first(struct session *session, struct first *first, int ret_ours[3])
{
	int control[2], lifeline[2], go[2], r;
	size_t n = 0;

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
	r = memfd_sealed("anet-seccomp", run_seccomp, sizeof(run_seccomp), &first->seccomp);
	for (size_t i = 0; i < session->view.n && r == 0; i++) {
		const struct view_entry *entry = &session->view.entries[i];

		if (entry->way == VIEW_FILE)
			r = memfd_sealed("anet-etc", entry->source, strlen(entry->source),
					 &first->etc[n++]);
	}
	return r == 0 ? streams_open(session, first->stdio) : r;
}

enum reason run_start(struct session *session, char *ret_detail, size_t size)
{
	struct first first;
	int ours[3] = { -1, -1, -1 }, r;

	if (access(ANET_BWRAP, X_OK) < 0) {
		snprintf(ret_detail, size, "%s: %s", ANET_BWRAP, strerror(errno));
		return REASON_NO_BWRAP;
	}
	r = prepare_first(session, &first, ours);
	if (r == 0)
		r = build_arguments(session, &first.arguments);
	if (r == 0)
		r = build_record(session, &first.record);
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
		become_bwrap(session, &first);
	}
	session->control = (struct watch){ .fd = ours[0], .handle = run_handle_control };
	session->lifeline = ours[1];
	session->go = ours[2];
	close(first.control);
	close(first.lifeline);
	close(first.go);
	close(first.record);
	close(first.seccomp);
	close(first.arguments);
	for (size_t i = 0; i < VIEW_MADE_FILES; i++)
		close(first.etc[i]);
	for (size_t i = 0; i < 3; i++)
		if (first.stdio[i] != session->null_fd)
			close(first.stdio[i]);
	return REASON_OK;
}

int run_release(struct session *session)
{
	ssize_t written = write(session->go, "g", 1);

	close_fd(&session->go);
	if (written != 1)
		return -EPIPE;
	return watch_set(session, &session->control, EPOLLIN);
}

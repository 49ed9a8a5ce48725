/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * `anet run --report`: a process of the caller's beside the supervisor, since only the
 * caller may look at what there is outside of the run.  What it is told was chosen by
 * the run: it is compared with the machine, shown escaped, and believed nowhere.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/process.h"
#include "os/view.h"

#include "cli/reporter.h"

/* Refusals and limits are one of a reason each. */
#define MAX_REASONS (2 * REASON_COUNT)

static void take_host(struct preparation *run, struct seen *seen,
		      const struct seen_record *record)
{
	if (!seen->hosts)
		seen->hosts =
			arena_get(&run->arena, LIMIT_SEEN_ITEMS * sizeof(*seen->hosts));
	if (seen->n_hosts == LIMIT_SEEN_ITEMS)
		return;
	/* What anet-watch tells it tells once. */
	for (size_t i = 0; record->kind == SEEN_HOST && i < seen->n_hosts; i++)
		if (strcmp(seen->hosts[i].name, record->text) == 0 &&
		    seen->hosts[i].port == record->port)
			return;
	seen->hosts[seen->n_hosts++] =
		(struct seen_host){arena_copy(&run->arena, record->text), record->port};
}

static void take_reason(struct preparation *run, struct seen_refusal **list, size_t *n,
			const struct seen_record *record)
{
	if (!*list)
		*list = arena_get(&run->arena, MAX_REASONS * sizeof(**list));
	if (*n == MAX_REASONS || record->reason >= REASON_COUNT)
		return;
	(*list)[(*n)++] =
		(struct seen_refusal){(enum reason)record->reason, record->count,
				      arena_copy(&run->arena, record->text)};
}

static void take(struct preparation *run, struct seen *seen,
		 const struct seen_record *record)
{
	switch (record->kind) {
	case SEEN_PATH:
		if (seen->paths.n < LIMIT_SEEN_ITEMS && record->text[0] == '/')
			list_add(&run->arena, &seen->paths,
				 arena_copy(&run->arena, record->text));
		break;
	case SEEN_ADDRESS:
	case SEEN_NAME:
	case SEEN_HOST:
		take_host(run, seen, record);
		break;
	case SEEN_WATCHED:
		seen->watched = true;
		seen->calls = record->count;
		seen->lost = record->lost;
		break;
	case SEEN_REFUSED:
		take_reason(run, &seen->refusals, &seen->n_refusals, record);
		break;
	case SEEN_LIMIT:
		take_reason(run, &seen->limits, &seen->n_limits, record);
		break;
	case SEEN_BLIND:
		seen->blind = arena_copy(&run->arena, record->text);
		break;
	default: /* of another build */
		break;
	}
}

/* Until the supervisor has said everything, or is gone.  Whether anything came. */
static bool receive(struct preparation *run, int fd, struct seen *seen)
{
	const size_t head = offsetof(struct seen_record, text);
	struct seen_record record;
	bool any = false;
	ssize_t got;

	for (;;) {
		got = recv(fd, &record, sizeof(record), 0);
		if (got < 0 && (errno == EINTR || errno == ECONNRESET))
			continue;
		if (got <= 0)
			return any;
		if ((size_t)got <= head || record.magic != SEEN_MAGIC ||
		    record.version != SEEN_VERSION)
			continue;
		((char *)&record)[got - 1] = 0;
		any = true;
		take(run, seen, &record);
	}
}

__attribute__((noreturn)) static void report(struct preparation *run, int socket,
					     int out)
{
	char detail[LIMIT_DETAIL + 1] = "";
	struct seen seen = {0};
	struct view view;
	enum reason reason;
	FILE *file;

	/* What the run sees now; at its end it may have changed the workspace. */
	reason = view_build(&run->record, &run->policy, &view, detail, sizeof(detail));
	/* The supervisor refuses the run for the same, and says so. */
	if (!receive(run, socket, &seen) || reason != REASON_OK)
		_exit(0);
	file = fdopen(out, "w");
	if (!file)
		_exit(reason_exit_status(REASON_SYSTEM));
	reporter_print(run, &view, &seen, file);
	(void)fclose(file); /* nobody is left to tell */
	_exit(0);
}

/* The child's descriptors: the socket and where to print, nothing of the key, the
 * lock, or the caller's. */
static int keep(int *socket, int *out)
{
	int high = fcntl(*socket, F_DUPFD_CLOEXEC, 16);
	int low = fcntl(*out, F_DUPFD_CLOEXEC, 16);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (high < 0 || low < 0 || null < 0 || dup2(high, 3) < 0 || dup2(low, 4) < 0)
		return -errno;
	for (int fd = 0; fd < 3; fd++)
		if (dup2(null, fd) < 0)
			return -errno;
	if (close_range(5, ~0u, 0) < 0)
		return -errno;
	*socket = 3;
	*out = 4;
	return 0;
}

static enum reason open_output(struct preparation *run, const char *file, int *ret_fd)
{
	struct stat status;
	auto_fd int fd = -1;

	if (!file) {
		*ret_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
		return *ret_fd >= 0 ? REASON_OK
				    : explain(&run->detail, REASON_SYSTEM,
					      "standard error: %s", strerror(errno));
	}
	/* A run before this one may have left a link of that name in the workspace. */
	fd = open(file,
		  O_WRONLY | O_CREAT | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK | O_CLOEXEC,
		  0600);
	if (fd < 0)
		return explain(&run->detail, REASON_USAGE,
			       "cannot write the report to %s: %s", SHOW(file),
			       errno == ELOOP ? "it is a symbolic link"
					      : strerror(errno));
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
		return explain(&run->detail, REASON_USAGE,
			       "cannot write the report to %s: it is no regular file",
			       SHOW(file));
	if (ftruncate(fd, 0) < 0)
		return explain(&run->detail, REASON_SYSTEM, "%s: %s", SHOW(file),
			       strerror(errno));
	*ret_fd = take_fd(&fd);
	return REASON_OK;
}

enum reason reporter_start(struct preparation *run, const char *file, int *ret_fd)
{
	auto_fd int ours = -1, theirs = -1, out = -1;
	enum reason reason = open_output(run, file, &out);
	int ends[2];
	pid_t pid;

	if (reason != REASON_OK)
		return reason;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return explain(&run->detail, REASON_SYSTEM,
			       "a socket for the report: %s", strerror(errno));
	ours = ends[0];
	theirs = ends[1];
	pid = fork();
	if (pid < 0)
		return explain(&run->detail, REASON_SYSTEM,
			       "a process for the report: %s", strerror(errno));
	if (pid == 0) {
		/* Ctrl-C is for the run; this one ends with its socket. */
		(void)setsid();
		(void)prctl(PR_SET_NAME, "anet-report", 0, 0, 0);
		if (keep(&theirs, &out) < 0)
			_exit(reason_exit_status(REASON_SYSTEM));
		report(run, theirs, out);
	}
	*ret_fd = take_fd(&ours);
	return REASON_OK;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet-files: measures how much a run's directories grow.
 *
 * Job: takes the size of each directory at once, says so, and again at
 * intervals that its own cost decides; tells the supervisor how much was added
 * and whether that is more than the policy allows.  SPEC S2.8.  When the run has
 * ended it looks at what programs outside execute of the workspace.
 *
 * Trusts: the policy record and the descriptors from the supervisor, whose uid
 * the policy names.  What it finds in the directories is the run's: names are
 * looked up but never followed, and no file is opened.
 *
 * Descriptors: 3 the hand-over socket; memory for what it finds at the end; the
 * directories, O_PATH suffices.
 *
 * A process of its own because it must have the run's uid, from which the run
 * can hide nothing by permissions but what it cannot use itself; and neither the
 * supervisor nor any other helper is to have that uid.
 *
 * Not seen: a file that is deleted while it is open.  It holds space only as
 * long as the run lives.
 */
#include <inttypes.h>
#include <poll.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "files/files-seccomp.h"
#include "files/walk.h"
#include "os/cleanup.h"
#include "os/handover.h"
#include "os/protected.h"
#include "os/sandbox.h"

#define MAX_DIRECTORIES (HANDOVER_MAX_FDS - 2)

/* Between two looks at how full the filesystem is: one system call each. */
#define LOOK_MSEC 1000
/* A walk costs at most a fiftieth of a core, unless the tree is so large that
 * this would mean more than half a minute between two, or the filesystem fills
 * up: then at most a tenth. */
#define USUAL_SHARE 50
#define GREATEST_SHARE 10
#define MIN_INTERVAL_USEC 1000000ull
#define MAX_INTERVAL_USEC 30000000ull

/* How full a filesystem is. */
struct usage {
	uint64_t bytes, entries;
};

struct directory {
	int fd;
	uint64_t base_bytes, base_entries;     /* when the run began */
	uint64_t growth_bytes, growth_entries; /* last found */
	struct usage walked;		       /* of its filesystem, then */
};

static struct {
	struct policy policy;
	struct protected_share *share; /* NULL: nothing is protected */
	struct directory directories[MAX_DIRECTORIES];
	size_t n_directories;
	struct timespec since; /* when the baseline was begun */
	uint64_t begun;	       /* monotonic, usec */
	uint64_t walked;       /* end of the last walk; monotonic, usec */
	uint64_t cost;	       /* CPU time of the last walk; usec */
	uint64_t walks;
	enum reason end; /* why it ends */
} files;

static uint64_t clock_usec(clockid_t clock)
{
	struct timespec now = { 0 };

	(void)clock_gettime(clock, &now); /* fails for unknown clocks only */
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static struct report report_now(void)
{
	struct report report = {
		.kind = HANDOVER_FILES,
		.usec = clock_usec(CLOCK_MONOTONIC) - files.begun,
		.requests = files.walks,
	};

	for (size_t i = 0; i < files.n_directories; i++) {
		report.bytes_in += files.directories[i].growth_bytes;
		report.bytes_out += files.directories[i].growth_entries;
	}
	return report;
}

static int finish(enum reason reason, const char *detail)
{
	struct report report = report_now();

	report_send(&report, REPORT_OUTCOME, reason, "%s", detail);
	return reason_exit_status(reason);
}

/* Nothing is ever sent to a files helper after its directories: whatever can be
 * read there ends it, as does EOF. */
static bool is_over(int timeout)
{
	struct pollfd end = { .fd = HANDOVER_FD, .events = POLLIN | POLLRDHUP };

	if (poll(&end, 1, timeout) <= 0)
		return false; /* EINTR: the caller asks again */
	files.end = end.revents & (POLLRDHUP | POLLHUP | POLLERR)
			    ? REASON_SUPERVISOR_GONE
			    : REASON_HANDOVER_INVALID;
	return true;
}

static bool is_cancelled(void)
{
	return is_over(0);
}

static void look(const struct directory *directory, struct usage *ret_usage)
{
	struct statfs found = { 0 };

	(void)fstatfs(directory->fd, &found); /* cannot tell: not filling up */
	ret_usage->bytes =
		(uint64_t)(found.f_blocks - found.f_bfree) * (uint64_t)found.f_bsize;
	ret_usage->entries = found.f_files - found.f_ffree;
}

static uint64_t or_unlimited(uint64_t base, uint64_t limit)
{
	return limit == 0 || limit > UINT64_MAX - base ? UINT64_MAX : base + limit;
}

static uint64_t minus(uint64_t one, uint64_t other)
{
	return one > other ? one - other : 0;
}

/* Walks one directory.  The first time nothing has grown yet. */
static void walk_directory(struct directory *directory, bool first,
			   struct tree_size *ret_found)
{
	const struct policy_limits *limits = &files.policy.limits;
	struct walk_options options = {
		.max_bytes = UINT64_MAX,
		.max_entries = UINT64_MAX,
		.cancelled = is_cancelled,
	};

	if (!first) {
		options.since = files.since;
		/* Beyond the limit nothing more need be known. */
		options.max_bytes =
			or_unlimited(directory->base_bytes, limits->growth_bytes);
		options.max_entries =
			or_unlimited(directory->base_entries, limits->growth_entries);
	}
	look(directory, &directory->walked);
	walk_tree(directory->fd, &options, ret_found);
	if (first) {
		directory->base_bytes = ret_found->bytes;
		directory->base_entries = ret_found->entries;
	}
	directory->growth_bytes = minus(ret_found->bytes, directory->base_bytes);
	directory->growth_entries = minus(ret_found->entries, directory->base_entries);
}

/* What the last walk of a directory means for the run. */
static enum reason judge(const struct directory *directory,
			 const struct tree_size *found, char *ret_detail, size_t size)
{
	const struct policy_limits *limits = &files.policy.limits;

	if (!limits->growth_bytes && !limits->growth_entries)
		return REASON_OK;
	if (limits->growth_bytes && directory->growth_bytes > limits->growth_bytes) {
		snprintf(ret_detail, size,
			 "at least %" PRIu64 " KiB more", directory->growth_bytes >> 10);
		return REASON_LIMIT_GROWTH;
	}
	if (limits->growth_entries &&
	    directory->growth_entries > limits->growth_entries) {
		snprintf(ret_detail, size,
			 "at least %" PRIu64 " more", directory->growth_entries);
		return REASON_LIMIT_ENTRIES;
	}
	if (found->finding == WALK_UNREADABLE) {
		snprintf(ret_detail, size,
			 "unreadable: nobody can tell what is in '%s'", found->name);
		return REASON_LIMIT_GROWTH;
	}
	if (found->finding == WALK_TOO_DEEP) {
		snprintf(ret_detail, size, "more than %d directories deep at '%s'",
			 WALK_MAX_DEPTH, found->name);
		return REASON_LIMIT_ENTRIES;
	}
	return REASON_OK;
}

/* Walks all directories and reports.  False: the supervisor is gone. */
static bool measure(bool first)
{
	uint64_t begun = clock_usec(CLOCK_PROCESS_CPUTIME_ID);
	enum reason reason = REASON_OK;
	char detail[LIMIT_DETAIL + 1] = "";
	uint64_t which = 0;
	struct report report;

	for (size_t i = 0; i < files.n_directories; i++) {
		struct tree_size found;

		walk_directory(&files.directories[i], first, &found);
		if (found.finding == WALK_CANCELLED)
			return false;
		if (reason != REASON_OK)
			continue;
		reason = judge(&files.directories[i], &found, detail, sizeof(detail));
		which = i;
	}
	files.walked = clock_usec(CLOCK_MONOTONIC);
	files.cost = clock_usec(CLOCK_PROCESS_CPUTIME_ID) - begun;
	files.walks++;
	report = report_now();
	report.connection = which;
	report_send(&report, REPORT_MEASURE, reason, "%s", detail);
	return true;
}

/*
 * Whether a filesystem has filled up since the last walk by more than half of
 * what a directory of it may still grow.  Others fill it too; then a walk is made
 * in vain, but not often (GREATEST_SHARE).
 */
static bool is_filling(void)
{
	const struct policy_limits *limits = &files.policy.limits;

	for (size_t i = 0; i < files.n_directories; i++) {
		const struct directory *directory = &files.directories[i];
		uint64_t bytes_left =
			minus(limits->growth_bytes, directory->growth_bytes);
		uint64_t entries_left =
			minus(limits->growth_entries, directory->growth_entries);
		struct usage now;

		look(directory, &now);
		if (limits->growth_bytes &&
		    minus(now.bytes, directory->walked.bytes) > bytes_left / 2)
			return true;
		if (limits->growth_entries &&
		    minus(now.entries, directory->walked.entries) > entries_left / 2)
			return true;
	}
	return false;
}

/* Until the next walk.  False: the supervisor is gone. */
static bool wait_for_walk(void)
{
	uint64_t shortest = files.cost * GREATEST_SHARE;
	uint64_t usual = files.cost * USUAL_SHARE;

	if (usual > MAX_INTERVAL_USEC)
		usual = MAX_INTERVAL_USEC;
	if (usual < MIN_INTERVAL_USEC)
		usual = MIN_INTERVAL_USEC;
	for (;;) {
		uint64_t idle;

		if (is_over(LOOK_MSEC))
			return false;
		idle = clock_usec(CLOCK_MONOTONIC) - files.walked;
		if (idle >= shortest && (idle >= usual || is_filling()))
			return true;
	}
}

/* Memory of a file that nobody can make smaller under it. */
static bool take_share(int fd)
{
	const int fixed = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW;
	struct stat status;
	void *map;

	if (fstat(fd, &status) < 0 || status.st_size != sizeof(*files.share) ||
	    (fcntl(fd, F_GET_SEALS) & fixed) != fixed)
		return false;
	map = mmap(NULL, sizeof(*files.share), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return false;
	files.share = map;
	return true;
}

/* The run has ended, if its supervisor says so; if that is gone, nobody reads it. */
static void look_at_last(void)
{
	if (!files.share)
		return;
	protected_look(files.directories[0].fd, files.share->workspace,
		       &files.share->found);
	files.share->done = 1;
}

/* Where nothing limits what grows, it is there for its last look only. */
static bool is_measuring(void)
{
	return !files.share || files.policy.limits.growth_bytes ||
	       files.policy.limits.growth_entries;
}

/* Takes the policy and the directories.  REASON_OK or why not. */
static enum reason prepare(void)
{
	int fds[HANDOVER_MAX_FDS];
	auto_fd int policy = -1;
	size_t n_fds = 0, next = 1;
	uid_t peer = 0;

	if (handover_receive(HANDOVER_FILES, HANDOVER_PREPARE, fds, 2,
			     HANDOVER_MAX_FDS - 2, &n_fds, NULL) < 0)
		return REASON_HANDOVER_INVALID;
	policy = fds[0];
	if (policy_read(policy, &files.policy) < 0)
		return REASON_POLICY_INVALID;
	if (files.policy.flags & POLICY_PROTECT && !take_share(fds[next++]))
		return REASON_HANDOVER_INVALID;
	while (next < n_fds && files.n_directories < MAX_DIRECTORIES)
		files.directories[files.n_directories++].fd = fds[next++];
	if (files.n_directories == 0 || next != n_fds)
		return REASON_HANDOVER_INVALID;
	if (handover_peer_uid(HANDOVER_FD, &peer) < 0 ||
	    peer != files.policy.supervisor_uid)
		return REASON_PEER_REFUSED;
	return REASON_OK;
}

/* A descriptor for each level of each walk, and those that are open anyway. */
static int enter_sandbox(void)
{
	struct sandbox sandbox = {
		.filter = files_seccomp,
		.filter_length = sizeof(files_seccomp) / sizeof(files_seccomp[0]),
		.max_fds = WALK_MAX_DEPTH + HANDOVER_FD + MAX_DIRECTORIES + 2,
	};

	for (size_t i = 0; i < files.n_directories; i++)
		sandbox.list_directories[i] = files.directories[i].fd;
	sandbox.n_list_directories = files.n_directories;
	return sandbox_enter(&sandbox);
}

int main(void)
{
	enum reason reason;
	bool first = true;

	files.begun = clock_usec(CLOCK_MONOTONIC);
	/* Not telling: without the socket there is nobody to tell. */
	if (helper_begin() < 0)
		return reason_exit_status(REASON_HANDOVER_INVALID);
	reason = prepare();
	if (reason != REASON_OK)
		return finish(reason, "");
	if (enter_sandbox() < 0)
		return finish(REASON_SYSTEM,
			      "the files helper cannot enter its sandbox");
	/* What is changed in this very second is taken as the run's. */
	(void)clock_gettime(CLOCK_REALTIME_COARSE, &files.since);
	do {
		if (is_measuring() && !measure(first))
			break;
		first = false;
	} while (wait_for_walk());
	look_at_last();
	return finish(files.end, "");
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strategies/session-start.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "os/session-dir.h"
#include "os/uid-range.h"

#define SUBUID "/etc/subuid"
#define SUBGID "/etc/subgid"

/* What the account has, and this machine can give. */
static enum reason read_range(struct uid_range *ret_range, struct detail *ret_detail)
{
	int r = uid_range_read(SUBUID, SUBGID, ret_range);

	if (r == -ENOENT)
		return explain(ret_detail, REASON_CONFIG_INVALID,
			       SUBUID " and " SUBGID
				      " give the account `anet` no two ids "
				      "that are in both");
	if (r == -ERANGE || r == -EBADMSG)
		return explain(ret_detail, REASON_CONFIG_INVALID,
			       "the range of the account `anet` in " SUBUID
			       " and " SUBGID
			       " must be FIRST:COUNT between 65536 and 2147483647");
	if (r < 0)
		return explain(ret_detail, REASON_SYSTEM,
			       "cannot read " SUBUID " and " SUBGID ": %s",
			       strerror(-r));
	if (!uid_range_mapped(ret_range))
		return explain(ret_detail, REASON_IDMAP_UNAVAILABLE,
			       "root of this container cannot give a run an id of its "
			       "own: its user namespace does not map %u to %u",
			       ret_range->first,
			       ret_range->first + ret_range->count - 1);
	return REASON_OK;
}

/* Takes a pair until the lock is closed; without a place for the lock, in the
 * name of the session. */
static enum reason take_uids(struct policy *policy, int *ret_lock_fd,
			     struct detail *ret_detail)
{
	struct uid_range range;
	struct uid_pair pair;
	enum reason reason = read_range(&range, ret_detail);
	int r;

	if (reason != REASON_OK)
		return reason;
	r = runtime_dir_open("/run");
	if (r >= 0) {
		close(r);
		r = ret_lock_fd
			    ? uid_range_take(&range, UID_DIRECTORY, &pair, ret_lock_fd)
			    : uid_range_reserve(&range, UID_DIRECTORY, policy->session,
						&pair);
	}
	if (r == -EUSERS)
		return explain(ret_detail, REASON_UIDS_EXHAUSTED,
			       "all %u pairs of user ids from %u on are in use",
			       range.count / 2, range.first);
	if (r < 0)
		return explain(ret_detail, REASON_SYSTEM,
			       "cannot take a pair of user ids in " UID_DIRECTORY
			       ": %s",
			       strerror(-r));
	policy->supervisor_uid = pair.supervisor;
	policy->run_uid = pair.run;
	policy->flags |= POLICY_SEPARATE_UIDS;
	return REASON_OK;
}

enum reason session_take_uids(struct policy *policy, int *ret_lock_fd,
			      struct detail *ret_detail)
{
	*ret_lock_fd = -1;
	policy->supervisor_uid = policy->run_uid = geteuid();
	return geteuid() == 0 ? take_uids(policy, ret_lock_fd, ret_detail) : REASON_OK;
}

enum reason session_reserve_uids(struct policy *policy, struct detail *ret_detail)
{
	return take_uids(policy, NULL, ret_detail);
}

void session_name(struct policy *policy, const char *agent)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
	char suffix[9] = "";
	unsigned char bytes[8];

	/* Eight bytes of a pool that is ready since boot come at once. */
	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		abort();
	for (size_t i = 0; i < sizeof(bytes); i++)
		suffix[i] = letters[bytes[i] % 32];
	snprintf(policy->session, sizeof(policy->session), "%s-%s", agent, suffix);
	snprintf(policy->agent, sizeof(policy->agent), "%s", agent);
}

static enum reason check_helper(const char *path, struct detail *ret_detail)
{
	if (access(path, X_OK) == 0)
		return REASON_OK;
	return explain(ret_detail, REASON_HELPER_MISSING,
		       "the helper %s cannot be executed: %s", path, strerror(errno));
}

enum reason session_check_programs(enum policy_strategy strategy, enum wire wire,
				   enum policy_egress egress, struct detail *ret_detail)
{
	static const char *const helpers[] = {
		ANET_HELPER_DIR "/anet-session",  ANET_HELPER_DIR "/anet-init",
		ANET_HELPER_DIR "/anet-files",	  ANET_HELPER_DIR "/anet-gateway",
		ANET_HELPER_DIR "/anet-upstream",
	};
	/* The last two only stand behind an endpoint. */
	size_t n = wire == WIRE_NONE ? 3 : 5;
	bool bwrap = strategy != STRATEGY_HOST;
	enum reason reason = REASON_OK;

	if (bwrap && access(ANET_BWRAP, F_OK) < 0 && errno == ENOENT)
		return explain(ret_detail, REASON_NO_BWRAP, "%s is not installed",
			       ANET_BWRAP);
	if (bwrap && access(ANET_BWRAP, X_OK) < 0)
		return explain(ret_detail, REASON_NO_BWRAP, "%s cannot be executed: %s",
			       ANET_BWRAP, strerror(errno));
	for (size_t i = 0; i < n && reason == REASON_OK; i++)
		reason = check_helper(helpers[i], ret_detail);
	if (reason == REASON_OK && egress != EGRESS_NONE)
		reason = check_helper(ANET_HELPER_DIR "/anet-tunnel", ret_detail);
	return reason;
}

/* What the supervisor keeps of the environment: os/run-record.h. */
static void keep_environment(char *environment[6])
{
	static const char *const names[] = {"TERM", "HOME", "XDG_RUNTIME_DIR",
					    "DBUS_SESSION_BUS_ADDRESS", "NO_COLOR"};
	size_t n = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		/* getenv(3) points into "NAME=VALUE". */
		char *value = secure_getenv(names[i]);

		if (value)
			environment[n++] = value - strlen(names[i]) - 1;
	}
	environment[n] = NULL;
}

/* Moves the descriptors to 3, 4, … in their order; -1 leaves a gap. */
static int place_fds(const int *fds, size_t n)
{
	int moved[5] = {-1, -1, -1, -1, -1};

	/* First out of the way: one may sit where another one goes. */
	for (size_t i = 0; i < n; i++) {
		if (fds[i] < 0)
			continue;
		moved[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 16);
		if (moved[i] < 0)
			return -errno;
	}
	if (close_range(3, (unsigned int)(3 + n - 1), 0) < 0)
		return -errno;
	for (size_t i = 0; i < n; i++)
		if (moved[i] >= 0 && dup2(moved[i], 3 + (int)i) < 0)
			return -errno;
	return close_range((unsigned int)(3 + n), ~0u, 0) < 0 ? -errno : 0;
}

enum reason session_exec(const struct policy *policy, const struct run_record *run,
			 int extra_fd, int lock_fd, int report_fd,
			 struct detail *ret_detail)
{
	static char name[] = "anet-session";
	char *const argv[] = {name, NULL};
	char *environment[6];
	int policy_fd = -1, run_fd = -1;
	int r;

	r = run_record_write(run, &run_fd);
	if (r == -E2BIG && run->n_mounts > LIMIT_MOUNTS)
		return explain(ret_detail, REASON_TOO_MANY_MOUNTS,
			       "the run needs %zu mounts, and %d are possible",
			       run->n_mounts, LIMIT_MOUNTS);
	if (r == -E2BIG)
		return explain(
			ret_detail, REASON_USAGE,
			"the arguments and the environment of the run are longer than "
			"%u bytes",
			LIMIT_ARG_BYTES);
	if (r == 0)
		r = policy_write(policy, &policy_fd);
	if (r < 0)
		return explain(ret_detail, REASON_SYSTEM,
			       "cannot write the records: %s", strerror(-r));
	keep_environment(environment);
	r = place_fds((int[]){policy_fd, run_fd, extra_fd, lock_fd, report_fd}, 5);
	if (r < 0)
		return explain(ret_detail, REASON_SYSTEM,
			       "cannot arrange descriptors: %s", strerror(-r));
	execve(ANET_HELPER_DIR "/anet-session", argv, environment);
	return explain(ret_detail, REASON_HELPER_MISSING,
		       "the helper " ANET_HELPER_DIR
		       "/anet-session cannot be executed: %s",
		       strerror(errno));
}

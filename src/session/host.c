/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A run without a boundary (the strategy `host`): the same supervisor, counters and
 * endpoint, and no sandbox.  The endpoint is on the machine's own loopback, so its
 * key is of this session alone.
 */
#include "session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <netinet/in.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/run.h"
#include "os/cleanup.h"
#include "os/process.h"
#include "os/session-dir.h"

/* The workspace is where the run begins, not where it ends; what others must find
 * as they left it is no place for that (SPEC S2.3). */
static enum reason add_workspace(struct session *session, char *ret_detail, size_t size)
{
	const char *path = session->run.workspace;
	auto_fd int fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct view_entry *entry = calloc(1, sizeof(*entry));
	char canonical[PATH_MAX];
	struct stat status;

	if (!entry || fd < 0 || fstat(fd, &status) < 0) {
		snprintf(ret_detail, size, "the workspace %.160s: %s", path,
			 strerror(errno));
		free(entry);
		return REASON_WORKSPACE_INVALID;
	}
	if (!realpath(path, canonical) || strcmp(path, canonical) != 0) {
		snprintf(ret_detail, size, "the workspace %.160s has become another",
			 path);
		free(entry);
		return REASON_MOUNT_CHANGED;
	}
	*entry = (struct view_entry){
		.kind = VIEW_WORKSPACE,
		.way = VIEW_BIND,
		.target = path,
		.source = path,
		.writable = true,
		.fd = take_fd(&fd),
		.dev = status.st_dev,
		.ino = status.st_ino,
	};
	session->view.entries = entry;
	session->view.n = session->view.room = 1;
	session->mounts = calloc(1, sizeof(*session->mounts));
	if (!session->mounts)
		return REASON_SYSTEM;
	*session->mounts = (struct mount){.tree = -1};
	return REASON_OK;
}

static int open_listener(int *ret_fd, unsigned int *ret_port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t length = sizeof(address);
	auto_fd int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	/* Port 0: the kernel chooses one that is free. */
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, length) < 0 ||
	    listen(fd, 128) < 0 ||
	    getsockname(fd, (struct sockaddr *)&address, &length) < 0)
		return -errno;
	*ret_port = ntohs(address.sin_port);
	*ret_fd = take_fd(&fd);
	return 0;
}

static int make_key(char ret_key[ENDPOINT_KEY_BYTES + 1], int *ret_fd)
{
	unsigned char bytes[ENDPOINT_KEY_BYTES / 2];
	int r;

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return -EIO;
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(ret_key + 2 * i, 3, "%02x", bytes[i]);
	r = sealed_memfd("anet-endpoint-key", ret_key, ENDPOINT_KEY_BYTES, ret_fd);
	explicit_bzero(bytes, sizeof(bytes));
	return r;
}

/* `text` with each `word` replaced; allocated, NULL without memory. */
static char *replace(const char *text, const char *word, const char *by)
{
	size_t length = 0;
	const char *found;
	char *result = NULL;
	FILE *stream = open_memstream(&result, &length);

	if (!stream)
		return NULL;
	while ((found = strstr(text, word))) {
		fprintf(stream, "%.*s%s", (int)(found - text), text, by);
		text = found + strlen(word);
	}
	fputs(text, stream);
	if (fclose(stream) == 0)
		return result;
	free(result);
	return NULL;
}

/* Those of the run's arguments or variables that name the endpoint or its key. */
static int fill_in(char **strings, const char *endpoint, const char *key)
{
	for (; *strings; strings++) {
		auto_free char *half = NULL;

		if (!strstr(*strings, ENDPOINT_UNKNOWN) &&
		    !strstr(*strings, ENDPOINT_KEY_UNKNOWN))
			continue;
		half = replace(*strings, ENDPOINT_UNKNOWN, endpoint);
		*strings = half ? replace(half, ENDPOINT_KEY_UNKNOWN, key) : NULL;
		if (!*strings)
			return -ENOMEM;
	}
	return 0;
}

static int open_endpoint(struct session *session)
{
	char key[ENDPOINT_KEY_BYTES + 1], endpoint[40];
	unsigned int port = 0;
	int r = open_listener(&session->host_listener, &port);

	if (r == 0)
		r = make_key(key, &session->endpoint_key_fd);
	if (r < 0)
		return r;
	snprintf(endpoint, sizeof(endpoint), "http://" ENDPOINT_ADDRESS ":%u", port);
	r = fill_in(session->run.argv, endpoint, key);
	if (r == 0)
		r = fill_in(session->run.env, endpoint, key);
	explicit_bzero(key, sizeof(key));
	return r;
}

enum reason host_prepare(struct session *session, char *ret_detail, size_t size)
{
	enum reason reason = add_workspace(session, ret_detail, size);
	int r;

	if (reason != REASON_OK || session->policy.wire == WIRE_NONE)
		return reason;
	r = open_endpoint(session);
	if (r == 0)
		return REASON_OK;
	snprintf(ret_detail, size, "the endpoint of the session: %s", strerror(-r));
	return REASON_SYSTEM;
}

/* All groups of the account, as a login would have them. */
static int become_account(uid_t uid)
{
	const struct passwd *account = getpwuid(uid);

	if (!account)
		return -ENOENT;
	if (initgroups(account->pw_name, account->pw_gid) < 0 ||
	    setresgid(account->pw_gid, account->pw_gid, account->pw_gid) < 0 ||
	    setresuid(uid, uid, uid) < 0)
		return -errno;
	return 0;
}

int host_enter(const struct session *session)
{
	uid_t uid = session->policy.run_uid;

	/* In the foreground it is the caller's. */
	return uid == geteuid() ? 0 : become_account(uid);
}

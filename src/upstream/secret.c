/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "upstream/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/session-dir.h"

int secret_create(struct secret **ret_secret)
{
	void *place = mmap(NULL, sizeof(struct secret), PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (place == MAP_FAILED)
		return -errno;
	/* Where RLIMIT_MEMLOCK is used up the key may be swapped out, as every
	 * other program's; that is no reason not to work. */
	(void)mlock(place, sizeof(struct secret));
	if (madvise(place, sizeof(struct secret), MADV_DONTDUMP) < 0 ||
	    madvise(place, sizeof(struct secret), MADV_WIPEONFORK) < 0)
		return -errno;
	*ret_secret = place;
	return 0;
}

/* A line's end is not part of the key. */
static size_t without_line_end(const uint8_t *bytes, size_t length)
{
	if (length > 0 && bytes[length - 1] == '\n')
		length--;
	if (length > 0 && bytes[length - 1] == '\r')
		length--;
	return length;
}

static enum reason check_key(const struct secret *secret, size_t length,
			     const char *name, struct failure *failure)
{
	if (length == 0)
		return failure_set(failure, REASON_NO_API_KEY,
				   "the credential '%s' is empty", name);
	if (length < LIMIT_API_KEY_MIN || length > LIMIT_API_KEY)
		return failure_set(
			failure, REASON_CREDENTIAL_UNSAFE,
			"the credential '%s' does not hold a key of %d to %d bytes",
			name, LIMIT_API_KEY_MIN, LIMIT_API_KEY);
	for (size_t i = 0; i < length; i++) {
		uint8_t byte = secret->key[i];

		if (byte <= ' ' || byte >= 0x7f || byte == '"' || byte == '\\')
			return failure_set(
				failure, REASON_CREDENTIAL_UNSAFE,
				"the credential '%s' is not one line of printable "
				"ASCII without spaces, quotes and backslashes",
				name);
	}
	return REASON_OK;
}

enum reason secret_read(struct secret *secret, int fd, const char *name,
			struct failure *failure)
{
	struct stat status;
	enum reason reason;
	size_t length;
	ssize_t got;

	if (fstat(fd, &status) < 0)
		return failure_set(failure, REASON_SYSTEM,
				   "fstat of the credential '%s': %s", name,
				   strerror(errno));
	if (!S_ISREG(status.st_mode))
		return failure_set(failure, REASON_CREDENTIAL_UNSAFE,
				   "the credential '%s' is not a regular file", name);
	if (status.st_size > (off_t)sizeof(secret->key))
		return failure_set(failure, REASON_CREDENTIAL_UNSAFE,
				   "the credential '%s' is longer than %d bytes", name,
				   LIMIT_API_KEY);
	got = pread(fd, secret->key, sizeof(secret->key), 0);
	if (got < 0)
		return failure_set(failure, REASON_SYSTEM,
				   "read of the credential '%s': %s", name,
				   strerror(errno));
	length = without_line_end(secret->key, (size_t)got);
	reason = check_key(secret, length, name, failure);
	if (reason == REASON_OK)
		secret->key_length = length;
	return reason;
}

enum reason secret_read_credential(struct secret *secret, const char *directory,
				   const char *name, struct failure *failure)
{
	static const char *const prefixes[] = {SEALED_PREFIX, KEYS_PREFIX};
	char path[sizeof(SEALED_PREFIX) + LIMIT_AGENT_NAME];
	auto_fd int dir = -1;
	auto_fd int fd = -1;

	if (name[0] == '\0' || name[0] == '.' || strchr(name, '/'))
		return failure_set(failure, REASON_POLICY_INVALID,
				   "'%s' is no name of a credential", name);
	if (!directory)
		return failure_set(
			failure, REASON_NO_API_KEY,
			"no credential '%s': CREDENTIALS_DIRECTORY is not set", name);
	dir = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; dir >= 0 && fd < 0 && i < 2; i++) {
		snprintf(path, sizeof(path), "%s%s", prefixes[i], name);
		/* O_NONBLOCK: do not wait for the writer of a FIFO. */
		fd = openat(dir, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	}
	if (fd < 0)
		return failure_set(failure, REASON_NO_API_KEY,
				   "cannot open the credential '%s' in '%s': %s", name,
				   directory, strerror(errno));
	return secret_read(secret, fd, name, failure);
}

void secret_wipe(struct secret *secret)
{
	explicit_bzero(secret, sizeof(*secret));
}

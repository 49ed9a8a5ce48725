/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/key.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/limits.h"
#include "os/cleanup.h"
#include "os/run-record.h"
#include "os/session-dir.h"

bool key_is_plain(const char *key, size_t length)
{
	if (length < LIMIT_API_KEY_MIN || length > LIMIT_API_KEY)
		return false;
	for (size_t i = 0; i < length; i++)
		if (key[i] <= ' ' || key[i] > '~' || key[i] == '"' || key[i] == '\\')
			return false;
	return true;
}

const char *key_file_problem(const struct stat *status)
{
	if (S_ISLNK(status->st_mode))
		return "it is a symbolic link";
	if (!S_ISREG(status->st_mode))
		return "it is not a regular file";
	if (status->st_uid != geteuid())
		return "it does not belong to you";
	if (status->st_mode & (S_IRWXG | S_IRWXO))
		return "its mode gives others access";
	if (status->st_size == 0)
		return "it is empty";
	return NULL;
}

/* Opens a key's file if nobody else can read it.  *ret_fd is -1 if it is not
 * there. */
static enum reason open_key(const char *path, int *ret_fd, struct detail *ret_detail)
{
	auto_fd int fd =
		open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
	struct stat status;
	const char *why;

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) {
		*ret_fd = -1;
		return REASON_OK;
	}
	if (fd < 0)
		why = errno == ELOOP ? "it is a symbolic link" : strerror(errno);
	else if (fstat(fd, &status) < 0)
		why = strerror(errno);
	else
		why = key_file_problem(&status);
	if (why)
		return explain(ret_detail, REASON_CREDENTIAL_UNSAFE,
			       "the key file %s is not used: %s", SHOW(path), why);
	*ret_fd = take_fd(&fd);
	return REASON_OK;
}

enum reason key_file_check(const char *path, bool *ret_found, struct detail *ret_detail)
{
	auto_fd int fd = -1;
	enum reason reason = open_key(path, &fd, ret_detail);

	*ret_found = fd >= 0;
	return reason;
}

static enum reason seal(const char *key, size_t length, int *ret_fd,
			struct detail *ret_detail)
{
	int r = sealed_memfd("anet-key", key, length, ret_fd);

	if (r < 0)
		return explain(ret_detail, REASON_SYSTEM,
			       "cannot keep the key in a memfd: %s", strerror(-r));
	return REASON_OK;
}

static enum reason take_file(const char *path, int *ret_fd, struct detail *ret_detail)
{
	/* A key, a newline, and one byte that shows that there is more. */
	char key[LIMIT_API_KEY + 2];
	auto_fd int fd = -1;
	ssize_t length;
	enum reason reason = open_key(path, &fd, ret_detail);

	*ret_fd = -1;
	if (reason != REASON_OK || fd < 0)
		return reason;
	length = read(fd, key, sizeof(key)); /* a regular file: all at once */
	if (length > 0 && key[length - 1] == '\n')
		length--;
	if (length < 0)
		reason = explain(ret_detail, REASON_CREDENTIAL_UNSAFE,
				 "the key file %s is not used: %s", SHOW(path),
				 strerror(errno));
	else if (!key_is_plain(key, (size_t)length))
		reason = explain(
			ret_detail, REASON_CREDENTIAL_UNSAFE,
			"the key file %s is not used: it must hold one line of " KEY_RULE,
			SHOW(path), LIMIT_API_KEY_MIN, LIMIT_API_KEY);
	else
		reason = seal(key, (size_t)length, ret_fd, ret_detail);
	explicit_bzero(key, sizeof(key));
	return reason;
}

static enum reason take_variable(const char *name, int *ret_fd,
				 struct detail *ret_detail)
{
	char *key = secure_getenv(name);
	size_t length = strlen(key);
	enum reason reason;

	if (key_is_plain(key, length))
		reason = seal(key, length, ret_fd, ret_detail);
	else
		reason = explain(
			ret_detail, REASON_CREDENTIAL_UNSAFE,
			"the variable %s is not used: a key has " KEY_RULE, name,
			LIMIT_API_KEY_MIN, LIMIT_API_KEY);
	return reason;
}

/* None of the runtime's variables outlives this: the stack of this process,
 * where the kernel put them, is what /proc/PID/environ shows. */
static void wipe_variables(const struct runtime *runtime)
{
	for (char **name = runtime->credential.env; *name; name++) {
		char *key = secure_getenv(*name);

		if (key)
			explicit_bzero(key, strlen(key));
		unsetenv(*name);
	}
}

static const char *set_variable(const struct runtime *runtime)
{
	for (char **name = runtime->credential.env; *name; name++) {
		const char *key = secure_getenv(*name);

		if (key && *key)
			return *name;
	}
	return NULL;
}

/* The files that may hold the key, NULL-terminated. */
static void key_files(struct arena *arena, const struct places *places,
		      const struct runtime *runtime, char *ret_files[3])
{
	size_t n = 0;

	if (places->user)
		ret_files[n++] = arena_format(arena, "%s/credentials/%s", places->user,
					      runtime->credential.name);
	if (places->uid == 0)
		ret_files[n++] = arena_format(arena, "%s/credentials/%s",
					      places->system, runtime->credential.name);
	ret_files[n] = NULL;
}

/* Whether the units have the key, encrypted: only systemd opens it, for them. */
static bool is_sealed(struct arena *arena, const struct places *places,
		      const struct runtime *runtime, char **ret_path)
{
	*ret_path = arena_format(arena, "%s/" SEALED_NAME "/%s", places->system,
				 runtime->credential.name);
	return places->uid == 0 && access(*ret_path, F_OK) == 0;
}

static enum reason no_key(struct arena *arena, const struct places *places,
			  const struct runtime *runtime, char *const *files,
			  struct detail *ret_detail)
{
	const char *variables = list_join(arena, runtime->credential.env, " or ");
	char *sealed;

	if (is_sealed(arena, places, runtime, &sealed))
		return explain(ret_detail, REASON_NO_API_KEY,
			       "the key in %s is sealed: systemd opens it for units, "
			       "nobody for a run in the foreground; for that set %s%s"
			       "a key that is not sealed, by `anet credential set "
			       "--plain %s`",
			       SHOW(sealed), variables, *variables ? ", or " : "",
			       runtime->credential.name);

	return explain(ret_detail, REASON_NO_API_KEY,
		       "runtime \"%s\" has no API key: %s%s%s%s%s", runtime->name,
		       *variables ? "the variable " : "", variables,
		       *variables ? " is not set" : "",
		       files[0] ? *variables ? ", and there is no file "
					     : "there is no file "
				: "",
		       files[0] ? SHOW(list_join(arena, files, " or ")) : "");
}

enum reason key_take(struct arena *arena, const struct places *places,
		     const struct runtime *runtime, int *ret_fd,
		     struct detail *ret_detail)
{
	const char *variable = set_variable(runtime);
	char *files[3];
	enum reason reason = REASON_OK;

	*ret_fd = -1;
	if (variable)
		reason = take_variable(variable, ret_fd, ret_detail);
	wipe_variables(runtime);
	if (variable)
		return reason;
	key_files(arena, places, runtime, files);
	for (size_t i = 0; files[i]; i++) {
		reason = take_file(files[i], ret_fd, ret_detail);
		if (reason != REASON_OK || *ret_fd >= 0)
			return reason;
	}
	return no_key(arena, places, runtime, files, ret_detail);
}

const char *key_where(struct arena *arena, const struct places *places,
		      const struct runtime *runtime, enum reason *ret_reason,
		      struct detail *ret_detail)
{
	const char *variable = set_variable(runtime);
	char *files[3];

	*ret_reason = REASON_OK;
	if (variable)
		return variable;
	key_files(arena, places, runtime, files);
	for (size_t i = 0; files[i]; i++) {
		auto_fd int fd = -1;

		*ret_reason = open_key(files[i], &fd, ret_detail);
		if (*ret_reason != REASON_OK || fd >= 0)
			return files[i];
	}
	*ret_reason = no_key(arena, places, runtime, files, ret_detail);
	return NULL;
}

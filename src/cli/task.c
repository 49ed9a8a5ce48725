/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/task.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "core/limits.h"
#include "core/utf8.h"
#include "os/cleanup.h"

static enum reason read_input(struct arena *arena, char **ret_text, size_t *ret_length,
			      struct detail *ret_detail)
{
	char *text = arena_get(arena, LIMIT_TASK_BYTES + 2);
	size_t length = 0;

	/* One more than there may be, to see that it is too long. */
	while (length <= LIMIT_TASK_BYTES) {
		ssize_t got = read(STDIN_FILENO, text + length,
				   LIMIT_TASK_BYTES + 1 - length);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return explain(ret_detail, REASON_SYSTEM,
				       "standard input cannot be read: %s",
				       strerror(errno));
		if (got == 0)
			break;
		length += (size_t)got;
	}
	*ret_text = text;
	*ret_length = length;
	return REASON_OK;
}

static enum reason empty_input(struct detail *ret_detail)
{
	auto_fd int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
		return explain(ret_detail, REASON_SYSTEM, "/dev/null: %s",
			       strerror(errno));
	/* It was closed: dup2() of itself leaves it to be closed again. */
	if (fd == STDIN_FILENO)
		(void)fcntl(take_fd(&fd), F_SETFD, 0);
	return REASON_OK;
}

enum reason task_take(struct arena *arena, const char *word, const char **ret_task,
		      struct detail *ret_detail)
{
	size_t length = strlen(word);
	char *text = arena_copy(arena, word);
	const char *wrong = NULL;

	if (strcmp(word, "-") == 0) {
		enum reason reason = read_input(arena, &text, &length, ret_detail);

		if (reason != REASON_OK)
			return reason;
		/* The end of its last line is no part of it. */
		if (length <= LIMIT_TASK_BYTES)
			while (length > 0 && text[length - 1] == '\n')
				text[--length] = 0;
	}
	if (length > LIMIT_TASK_BYTES)
		wrong = "is longer than 127 KiB; let it name a file in the workspace";
	else if (length == 0)
		wrong = "is empty";
	else if (strlen(text) != length)
		wrong = "holds a NUL";
	else if (!utf8_is_valid((const uint8_t *)text, length))
		wrong = "is not UTF-8";
	if (wrong)
		return explain(ret_detail, REASON_USAGE, "the task %s", wrong);
	*ret_task = text;
	return empty_input(ret_detail);
}

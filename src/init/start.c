/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "init/start.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* The next string of the text; NULL if it is cut off. */
static char *next_text(const char **place, const char *end)
{
	const char *text = *place;
	const char *nul = memchr(text, 0, (size_t)(end - text));

	if (!nul)
		return NULL;
	*place = nul + 1;
	return (char *)text; /* execve(2) wants char *const */
}

static bool read_list(char **list, uint32_t n, const char **place, const char *end)
{
	for (uint32_t i = 0; i < n; i++) {
		list[i] = next_text(place, end);
		if (!list[i])
			return false;
	}
	return true;
}

static bool read_text(struct start *start, const char *end)
{
	const struct init_record *header = start->header;
	const char *place = start->text;

	start->directory = next_text(&place, end);
	if (!start->directory || !read_list(start->argv, header->argc, &place, end) ||
	    !read_list(start->env, header->envc, &place, end))
		return false;
	start->files = place;
	for (uint32_t i = 0; i < header->n_files; i++)
		if (!next_text(&place, end) || !next_text(&place, end))
			return false;
	return true;
}

enum reason start_read(struct start *ret_start, char *ret_detail, size_t size)
{
	const struct init_record *header;
	struct start start = {0};
	struct stat status;
	size_t checks_bytes;
	const char *wrong = NULL;
	void *map = MAP_FAILED;

	if (fstat(INIT_FD_RECORD, &status) == 0)
		map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE,
			   INIT_FD_RECORD, 0);
	if (map == MAP_FAILED) {
		snprintf(ret_detail, size, "the record: %s", strerror(errno));
		return REASON_SANDBOX_START_FAILED;
	}
	start.header = header = map;
	checks_bytes = (size_t)header->n_checks * sizeof(struct init_check);
	if ((size_t)status.st_size < sizeof(*header) || header->magic != INIT_MAGIC ||
	    header->version != INIT_VERSION || header->size != sizeof(*header) ||
	    (size_t)status.st_size !=
		    sizeof(*header) + checks_bytes + header->text_bytes)
		wrong = "the record of the run has another version";
	if (!wrong) {
		start.checks = (const struct init_check *)(header + 1);
		start.text = (const char *)start.checks + checks_bytes;
		start.argv = calloc(header->argc + 1ul, sizeof(char *));
		start.env = calloc(header->envc + 1ul, sizeof(char *));
		if (!start.argv || !start.env || header->argc < 1)
			wrong = "the record of the run has no command";
		else if (!read_text(&start, start.text + header->text_bytes))
			wrong = "the record's text is cut off";
	}
	if (wrong) {
		snprintf(ret_detail, size, "%s", wrong);
		return REASON_POLICY_INVALID;
	}
	*ret_start = start;
	return REASON_OK;
}

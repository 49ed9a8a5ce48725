/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "os/bwrap.h"
#include "os/cleanup.h"

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

static size_t files_length(const struct run_record *run)
{
	size_t length = 0;

	for (size_t i = 0; i < run->n_files; i++)
		length += strlen(run->files[i].path) + strlen(run->files[i].text) + 2;
	return length;
}

/* All but the targets of checks. */
static char *put_run(char *place, const struct run_record *run)
{
	place = put(place, run->workspace);
	for (char *const *string = run->argv; *string; string++)
		place = put(place, *string);
	for (char *const *string = run->env; *string; string++)
		place = put(place, *string);
	for (size_t i = 0; i < run->n_files; i++) {
		place = put(place, run->files[i].path);
		place = put(place, run->files[i].text);
	}
	return place;
}

/* See core/init-record.h for the layout. */
int init_record_make(const struct session *session, int *ret_fd)
{
	const struct view *view = &session->view;
	const struct run_record *run = &session->run;
	struct init_record header = {
		.magic = INIT_MAGIC,
		.version = INIT_VERSION,
		.size = sizeof(header),
		.argc = count(run->argv),
		.envc = count(run->env),
		.n_files = (uint32_t)run->n_files,
	};
	size_t text = strlen(run->workspace) + 1 + strings_length(run->argv) +
		      strings_length(run->env) + files_length(run);
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
	if (session->policy.strategy == STRATEGY_HOST)
		header.flags |= INIT_HOST;
	else if (session->policy.wire != WIRE_NONE)
		header.flags |= INIT_ENDPOINT;
	if (session->policy.egress != EGRESS_NONE)
		header.flags |= INIT_TUNNEL;
	if (session->policy.flags & POLICY_REPORT)
		header.flags |= INIT_REPORT;
	if (session->tty)
		header.flags |= INIT_TTY | (session->stderr_tty ? 0 : INIT_STDERR_PIPE);
	header.text_bytes = (uint32_t)text;
	memcpy(record, &header, sizeof(header));
	checks = (struct init_check *)(record + sizeof(header));
	start = place = (char *)record + sizeof(header) + checks_bytes;
	place = put_run(place, run);
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
	return memfd_sealed("anet-init", record, sizeof(header) + checks_bytes + text,
			    ret_fd);
}

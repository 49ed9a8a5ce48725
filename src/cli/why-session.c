/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet why ID: what a session was refused lately, in words.
 */
#include "cli/why-session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "cli/output.h"
#include "os/report.h"

/* Where a line of text begins that belongs to the one above. */
#define INDENT 2

/* What is refused without any setting that could allow it. */
#define NO_SETTING "no setting allows it: the agent must ask for something else, see "

static const char *remedy_text(const struct why_session *session,
			       const struct refused_entry *entry)
{
	enum reason reason = (enum reason)entry->reason;
	const char *remedy = reason_remedy(reason);

	if (why_session_is_allowed_now(session, entry))
		return "the agent may reach it by now: its next session can";
	if (*remedy || !reason_is_refusal(reason) || reason_http_status(reason) >= 500)
		return remedy;
	return strcmp(entry->helper, "anet-tunnel") == 0
		       ? NO_SETTING "anet-tunnel(8)"
		       : NO_SETTING "anet-gateway-rules(7)";
}

static int compare(const void *one, const void *other)
{
	const struct refused_entry *a = one, *b = other;

	return (a->last_usec < b->last_usec) - (a->last_usec > b->last_usec);
}

static const char *times_text(struct arena *arena, const struct refused_entry *entry)
{
	const char *last = local_time_text(arena, entry->last_usec / 1000000);

	if (entry->count < 2)
		return arena_format(arena, "%s  once", last);
	return arena_format(arena, "%s  %" PRIu64 " times since %s", last, entry->count,
			    local_time_text(arena, entry->first_usec / 1000000));
}

static void print_line(const char *text)
{
	printf("%*s", INDENT, "");
	print_words(text, INDENT);
}

static void print_entry(struct why_session *session, const struct refused_entry *entry)
{
	struct arena *arena = &session->arena;
	enum reason reason = (enum reason)entry->reason;
	const char *remedy = remedy_text(session, entry), *file, *line;
	const char *command = why_session_command(session, entry);

	printf("\n%s  %s, %s\n", times_text(arena, entry),
	       painted(arena, COLOR_RED, reason_code(reason)),
	       escaped(arena, entry->helper));
	print_line(reason_sentence(reason));
	if (*entry->detail)
		print_line(escaped(arena, entry->detail));
	if (why_session_line(session, entry, &file, &line))
		printf("%*s%s\n%*sin %s\n", INDENT, "", line, INDENT, "",
		       escaped(arena, file));
	else if (command)
		printf("%*s%s\n", INDENT, "", command);
	else if (*remedy)
		print_line(remedy);
}

static void print(struct why_session *session)
{
	const struct refused_record *record = &session->record;

	printf("session %s (%s): ", session->id, session->lives ? "running" : "ended");
	if (!record->total) {
		puts("nothing was refused");
		return;
	}
	printf("%" PRIu64 " refused, the last ones first\n", record->total);
	for (uint32_t i = 0; i < record->n; i++)
		print_entry(session, &record->entries[i]);
	if (record->forgotten)
		printf("\nand %" PRIu64 " of other kinds before\n", record->forgotten);
}

static struct json_object *configuration_json(struct why_session *session,
					      const struct refused_entry *entry)
{
	struct json_object *json;
	const char *file, *line;

	if (!why_session_line(session, entry, &file, &line))
		return NULL;
	json = json_object_new_object();
	json_object_object_add(json, "file", json_text(escaped(&session->arena, file)));
	json_object_object_add(json, "line", json_text(line));
	return json;
}

static struct json_object *entry_json(struct why_session *session,
				      const struct refused_entry *entry)
{
	struct arena *arena = &session->arena;
	enum reason reason = (enum reason)entry->reason;
	struct json_object *json = json_object_new_object();
	const char *remedy = remedy_text(session, entry);
	const char *command = why_session_command(session, entry);

	json_object_object_add(json, "code", json_text(reason_code(reason)));
	json_object_object_add(json, "helper",
			       json_text(escaped(arena, entry->helper)));
	json_object_object_add(json, "count", json_object_new_uint64(entry->count));
	json_object_object_add(
		json, "first",
		json_text(utc_time_text(arena, entry->first_usec / 1000000)));
	json_object_object_add(
		json, "last",
		json_text(utc_time_text(arena, entry->last_usec / 1000000)));
	json_object_object_add(json, "sentence", json_text(reason_sentence(reason)));
	json_object_object_add(json, "detail",
			       *entry->detail ? json_text(escaped(arena, entry->detail))
					      : NULL);
	json_object_object_add(json, "remedy", *remedy ? json_text(remedy) : NULL);
	json_object_object_add(json, "configuration",
			       configuration_json(session, entry));
	json_object_object_add(json, "command", command ? json_text(command) : NULL);
	return json;
}

static void print_as_json(struct why_session *session)
{
	const struct refused_record *record = &session->record;
	struct json_object *root = json_object_new_object();
	struct json_object *list = json_object_new_array();

	for (uint32_t i = 0; i < record->n; i++)
		json_object_array_add(list, entry_json(session, &record->entries[i]));
	json_object_object_add(root, "schema", json_text("anet.why-session/1"));
	json_object_object_add(root, "session", json_text(session->id));
	json_object_object_add(root, "agent", json_text(session->agent));
	json_object_object_add(root, "running",
			       json_object_new_boolean(session->lives));
	json_object_object_add(root, "refused", json_object_new_uint64(record->total));
	json_object_object_add(root, "forgotten",
			       json_object_new_uint64(record->forgotten));
	json_object_object_add(root, "refusals", list);
	print_json(root);
}

/* What cannot be read now has no line to write. */
static void read_agent(struct why_session *session)
{
	struct detail ignored;

	session->agent_is_known =
		config_load(&session->arena, &session->places, &session->config,
			    &ignored) == REASON_OK &&
		agent_load(&session->arena, &session->places, session->agent,
			   &session->config, &session->configured,
			   &ignored) == REASON_OK;
}

int why_session(const char *wanted, bool json)
{
	struct why_session session = {.id = NULL};
	struct detail detail;
	enum reason reason;

	places_find(&session.arena, &session.places);
	reason = why_session_find(&session, wanted, &detail);
	if (reason == REASON_OK) {
		read_agent(&session);
		qsort(session.record.entries, session.record.n,
		      sizeof(session.record.entries[0]), compare);
		if (json)
			print_as_json(&session);
		else
			print(&session);
	}
	arena_free(&session.arena);
	return reason == REASON_OK ? EX_OK : refuse(reason, "%s", detail.text);
}

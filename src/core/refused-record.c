/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/refused-record.h"

#include <stddef.h>
#include <string.h>

static void copy(char *place, size_t size, const char *text)
{
	size_t length = strlen(text);

	if (length >= size)
		length = size - 1;
	/* The rest, too: what is written to a file is all of it. */
	memset(place, 0, size);
	memcpy(place, text, length);
}

void refused_record_begin(struct refused_record *record, const char *session,
			  const char *agent, uint64_t usec)
{
	memset(record, 0, sizeof(*record));
	record->magic = REFUSED_MAGIC;
	record->version = REFUSED_VERSION;
	record->size = sizeof(*record);
	record->started_usec = usec;
	copy(record->session, sizeof(record->session), session);
	copy(record->agent, sizeof(record->agent), agent);
}

static struct refused_entry *find(struct refused_record *record,
				  const struct refused_entry *wanted)
{
	for (uint32_t i = 0; i < record->n; i++) {
		struct refused_entry *entry = &record->entries[i];

		if (entry->reason == wanted->reason &&
		    strcmp(entry->helper, wanted->helper) == 0 &&
		    strcmp(entry->detail, wanted->detail) == 0)
			return entry;
	}
	return NULL;
}

static struct refused_entry *make_room(struct refused_record *record)
{
	struct refused_entry *oldest = &record->entries[0];

	if (record->n < REFUSED_KEPT)
		return &record->entries[record->n++];
	for (uint32_t i = 1; i < REFUSED_KEPT; i++)
		if (record->entries[i].last_usec < oldest->last_usec)
			oldest = &record->entries[i];
	record->forgotten++;
	return oldest;
}

void refused_record_add(struct refused_record *record, enum reason reason,
			const char *helper, const char *detail, uint64_t usec)
{
	struct refused_entry fresh = {
		.reason = reason,
		.first_usec = usec,
	};
	struct refused_entry *entry;

	copy(fresh.helper, sizeof(fresh.helper), helper);
	copy(fresh.detail, sizeof(fresh.detail), detail);
	record->total++;
	entry = find(record, &fresh);
	if (!entry) {
		entry = make_room(record);
		*entry = fresh;
	}
	entry->count++;
	entry->last_usec = usec;
}

static bool ends(const char *text, size_t size)
{
	return memchr(text, 0, size) != NULL;
}

bool refused_record_is_valid(const struct refused_record *record)
{
	if (record->magic != REFUSED_MAGIC || record->version != REFUSED_VERSION ||
	    record->size != sizeof(*record) || record->begun != record->done ||
	    record->n > REFUSED_KEPT ||
	    !ends(record->session, sizeof(record->session)) ||
	    !ends(record->agent, sizeof(record->agent)))
		return false;
	for (uint32_t i = 0; i < record->n; i++)
		if (!ends(record->entries[i].helper, REFUSED_HELPER) ||
		    !ends(record->entries[i].detail, sizeof(record->entries[i].detail)))
			return false;
	return true;
}

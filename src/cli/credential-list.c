/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/credential.h"
#include "cli/output.h"
#include "cli/table.h"
#include "config/config.h"
#include "config/key.h"
#include "config/runtime.h"
#include "os/cleanup.h"

/* Runtimes that can be read and have a key, each with its key's name. */
static void each_runtime(struct arena *arena, const struct places *places,
			 void (*take)(struct arena *arena,
				      const struct runtime *runtime, void *context),
			 void *context)
{
	struct list names = {0};
	struct detail unused;

	runtime_list(arena, places, &names);
	for (size_t i = 0; i < names.n; i++) {
		struct runtime runtime;

		if (runtime_load(arena, places, names.items[i], &runtime, &unused) ==
			    REASON_OK &&
		    runtime.credential.name)
			take(arena, &runtime, context);
	}
}

struct users {
	const char *credential;
	struct list names;
};

static void add_user(struct arena *arena, const struct runtime *runtime, void *context)
{
	struct users *users = context;

	if (strcmp(runtime->credential.name, users->credential) == 0)
		list_add(arena, &users->names, runtime->name);
}

char **credential_runtimes(struct arena *arena, const struct places *places,
			   const char *name)
{
	struct users users = {.credential = name};

	each_runtime(arena, places, add_user, &users);
	return list_items(arena, &users.names);
}

static void add_name(struct arena *arena, const struct runtime *runtime, void *context)
{
	struct list *names = context;

	for (size_t i = 0; i < names->n; i++)
		if (strcmp(names->items[i], runtime->credential.name) == 0)
			return;
	list_add(arena, names, runtime->credential.name);
}

char **credential_names(struct arena *arena, const struct places *places)
{
	struct list names = {0};

	each_runtime(arena, places, add_name, &names);
	return list_items(arena, &names);
}

static struct credential_entry *add_entry(struct arena *arena,
					  struct credential_list *list)
{
	if (list->n == list->room) {
		size_t room = list->room ? 2 * list->room : 16;
		struct credential_entry *grown =
			arena_get(arena, room * sizeof(*grown));

		if (list->n)
			memcpy(grown, list->entries, list->n * sizeof(*grown));
		list->entries = grown;
		list->room = room;
	}
	return &list->entries[list->n++];
}

static enum reason read_place(struct arena *arena, const struct places *places,
			      const struct credential_place *place,
			      struct credential_list *list, struct detail *ret_detail)
{
	int fd = -1;
	enum reason reason = credential_open_place(place, false, &fd, ret_detail);
	const struct dirent *found;
	DIR *entries;

	if (reason != REASON_OK || fd < 0)
		return reason;
	entries = fdopendir(fd);
	if (!entries) {
		reason = explain(ret_detail, REASON_SYSTEM, "cannot list %s: %s",
				 SHOW(place->directory), strerror(errno));
		close(fd);
		return reason;
	}
	while ((found = readdir(entries))) {
		struct stat status;

		if (found->d_name[0] == '.' ||
		    fstatat(fd, found->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		*add_entry(arena, list) = (struct credential_entry){
			.name = arena_copy(arena, found->d_name),
			.place = place,
			.modified = status.st_mtime,
			.runtimes = credential_runtimes(arena, places, found->d_name),
			.problem = agent_name_is_valid(found->d_name)
					   ? key_file_problem(&status)
					   : "this is not the name of a key",
		};
	}
	closedir(entries);
	return REASON_OK;
}

static int compare(const void *a, const void *b)
{
	const struct credential_entry *one = a, *other = b;
	int order = strcmp(one->name, other->name);

	if (order)
		return order;
	return (one->place > other->place) - (one->place < other->place);
}

enum reason credential_list_read(struct arena *arena, const struct places *places,
				 struct credential_list *ret_list,
				 struct detail *ret_detail)
{
	enum reason reason = REASON_OK;

	*ret_list = (struct credential_list){0};
	ret_list->n_places = credential_places(arena, places, ret_list->places);
	for (size_t i = 0; i < ret_list->n_places && reason == REASON_OK; i++)
		reason = read_place(arena, places, &ret_list->places[i], ret_list,
				    ret_detail);
	if (ret_list->n)
		qsort(ret_list->entries, ret_list->n, sizeof(*ret_list->entries),
		      compare);
	return reason;
}

void credential_list_print(struct arena *arena, const struct credential_list *list)
{
	static const char *const headings[] = {"NAME",	  "KIND",  "SET",
					       "USED BY", "WHERE", NULL};
	struct table table = table_new(arena, headings);

	for (size_t i = 0; i < list->n; i++) {
		const struct credential_entry *entry = &list->entries[i];
		const char *used = entry->problem ? entry->problem
				   : *entry->runtimes
					   ? list_join(arena, entry->runtimes, ", ")
					   : "no runtime";

		const char *name = arena_copy(arena, SHOW(entry->name));
		enum color color = entry->problem     ? COLOR_RED
				   : *entry->runtimes ? COLOR_NONE
						      : COLOR_YELLOW;

		TABLE_ADD(&table, name, credential_kind_name(entry->place->kind),
			  local_time_text(arena, (uint64_t)entry->modified),
			  painted(arena, color, used),
			  arena_format(arena, "%s/%s", entry->place->directory, name));
	}
	if (list->n)
		table_print(&table, 0);
	for (size_t i = 0; !list->n && i < list->n_places; i++)
		print_words(arena_format(arena, "There is no key in %s.",
					 list->places[i].directory),
			    0);
}

void credential_list_print_json(struct arena *arena, const struct credential_list *list)
{
	struct json_object *root = json_object_new_object();
	struct json_object *credentials = json_object_new_array();

	json_object_object_add(root, "schema", json_text("anet.credentials/1"));
	for (size_t i = 0; i < list->n; i++) {
		const struct credential_entry *entry = &list->entries[i];
		struct json_object *one = json_object_new_object();
		struct json_object *runtimes = json_object_new_array();

		json_object_object_add(one, "name", json_text(SHOW(entry->name)));
		json_object_object_add(
			one, "kind",
			json_text(credential_kind_name(entry->place->kind)));
		json_object_object_add(one, "units",
				       json_object_new_boolean(entry->place->units));
		json_object_object_add(one, "directory",
				       json_text(SHOW(entry->place->directory)));
		json_object_object_add(
			one, "set",
			json_text(utc_time_text(arena, (uint64_t)entry->modified)));
		for (char **runtime = entry->runtimes; *runtime; runtime++)
			json_object_array_add(runtimes, json_text(*runtime));
		json_object_object_add(one, "runtimes", runtimes);
		json_object_object_add(one, "problem", json_text(entry->problem));
		json_object_array_add(credentials, one);
	}
	json_object_object_add(root, "credentials", credentials);
	print_json(root);
}

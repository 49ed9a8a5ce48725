/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/settings.h"

#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/egress.h"
#include "config/json-edit.h"

#define DIGITS "0123456789"

const struct option *settings_options(struct arena *arena,
				      const struct setting *settings, size_t n,
				      const struct option *others)
{
	size_t n_others = 1;
	struct option *options;

	while (others[n_others - 1].name)
		n_others++;
	options = arena_get(arena, (n + n_others) * sizeof(*options));
	for (size_t i = 0; i < n; i++)
		options[i] = (struct option){settings[i].option, required_argument,
					     NULL, SETTING_FIRST + (int)i};
	memcpy(options + n, others, n_others * sizeof(*options));
	return options;
}

/* As a session would find it, wherever that is started. */
static const char *from_here(struct arena *arena, const char *path)
{
	char resolved[PATH_MAX];

	if (!*path || path[0] == '/' || path[0] == '~')
		return path;
	if (realpath(path, resolved))
		return arena_copy(arena, resolved);
	return getcwd(resolved, sizeof(resolved))
		       ? arena_format(arena, "%s/%s", resolved, path)
		       : path;
}

static const char *mount(struct arena *arena, const char *argument)
{
	static const char *const modes[] = {":readonly", ":writable", ":overlay"};
	char *source = arena_copy(arena, argument), *target;
	const char *mode = "";
	const char *place = "";

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		size_t length = strlen(source), n = strlen(modes[i]);

		if (length > n && strcmp(source + length - n, modes[i]) == 0) {
			source[length - n] = 0;
			mode = arena_format(arena, ", \"mode\": \"%s\"", modes[i] + 1);
			break;
		}
	}
	target = strstr(source, ":/");
	if (target) {
		*target++ = 0;
		place = arena_format(arena, ", \"target\": %s",
				     json_quote(arena, target));
	}
	return arena_format(arena, "{\"source\": %s%s%s}",
			    json_quote(arena, from_here(arena, source)), place, mode);
}

/* The digits as they are; whatever else there is, for the reader to refuse. */
static const char *number(struct arena *arena, const char *text)
{
	bool plain = *text && strspn(text, DIGITS) == strlen(text) &&
		     (text[0] != '0' || !text[1]);

	return plain ? text : json_quote(arena, text);
}

static const char *truth(struct arena *arena, const char *text)
{
	return strcmp(text, "true") == 0 || strcmp(text, "false") == 0
		       ? text
		       : json_quote(arena, text);
}

static enum reason take_member(struct arena *arena, const struct setting *setting,
			       const char *argument, struct changes *changes,
			       struct detail *ret_detail)
{
	const char *equals = strchr(argument, '=');
	bool is_number = setting->kind == SETTING_NUMBER_OF;

	if (!equals || equals == argument)
		return explain(ret_detail, REASON_USAGE, "`--%s %s` must be NAME=%s",
			       setting->option, SHOW(argument),
			       is_number ? "NUMBER" : "VALUE");
	changes_add(arena, changes, setting->key,
		    arena_copy_bytes(arena, argument, (size_t)(equals - argument)),
		    is_number ? number(arena, equals + 1)
			      : json_quote(arena, equals + 1));
	return REASON_OK;
}

static const char *list_of(struct arena *arena, char *const *hosts)
{
	struct list quoted = {0};

	for (; *hosts; hosts++)
		list_add(arena, &quoted, json_quote(arena, *hosts));
	return arena_format(arena, "[%s]",
			    list_join(arena, list_items(arena, &quoted), ", "));
}

/* Looked at here already: the reader would name a line of a file that is not written.
 */
static enum reason take_hosts(struct arena *arena, const struct setting *setting,
			      const char *argument, struct changes *changes,
			      struct detail *ret_detail)
{
	struct config_egress egress = {0};
	enum reason reason =
		setting->kind == SETTING_EGRESS
			? egress_parse(arena, setting->option, argument, &egress,
				       ret_detail)
			: egress_parse_hosts(arena, setting->option, argument,
					     &egress.hosts, ret_detail);

	if (reason == REASON_OK)
		changes_add(arena, changes, setting->section, setting->key,
			    egress.hosts ? list_of(arena, egress.hosts)
					 : json_quote(arena, argument));
	return reason;
}

enum reason setting_take(struct arena *arena, const struct setting *setting,
			 const char *argument, struct changes *changes,
			 struct detail *ret_detail)
{
	const char *value = NULL;

	switch (setting->kind) {
	case SETTING_TEXT:
		value = json_quote(arena, argument);
		break;
	case SETTING_DIRECTORY:
		value = json_quote(arena, from_here(arena, argument));
		break;
	case SETTING_TRUTH:
		value = truth(arena, argument);
		break;
	case SETTING_TEXT_OF:
	case SETTING_NUMBER_OF:
		return take_member(arena, setting, argument, changes, ret_detail);
	case SETTING_LIST:
		changes_add_element(arena, changes, setting->section, setting->key,
				    json_quote(arena, argument));
		return REASON_OK;
	case SETTING_MOUNT:
		changes_add_element(arena, changes, setting->section, setting->key,
				    mount(arena, argument));
		return REASON_OK;
	case SETTING_EGRESS:
	case SETTING_HOSTS:
		return take_hosts(arena, setting, argument, changes, ret_detail);
	}
	changes_add(arena, changes, setting->section, setting->key, value);
	return REASON_OK;
}

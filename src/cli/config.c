/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet config: whether what is written about anet is right, and what is in force.
 * It changes nothing; who writes is `anet agent`, or an editor.
 */
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "cli/command.h"
#include "cli/config-check.h"
#include "cli/output.h"
#include "cli/values.h"
#include "os/report.h"

static const char help[] =
	"Checks the configuration, or shows what is in force.\n"
	"\n"
	"Usage: anet config check [--json]\n"
	"       anet config show [--json]\n"
	"\n"
	"`check` reads everything that is written about anet: settings, agents, "
	"runtimes,\n"
	"models. It tells every problem with its file and line, keys that are "
	"retired,\n"
	"and workspaces that lie in each other or in what anet keeps. The exit status "
	"is\n"
	"that of the first problem.\n"
	"\n"
	"`show` prints each setting with its value and the file and line it comes "
	"from.\n"
	"`anet agent show NAME` does that for an agent.\n"
	"\n"
	"Options:\n"
	"  --json  the same as JSON (schemas anet.config-check/1 and anet.config/1)\n"
	"  --help  this text\n"
	"\n"
	"Files:\n"
	"  " ANET_CONFIG_DIR "/config.json, config.d/*.json, agents.d/, runtimes/,\n"
	"  " ANET_CONFIG_DIR "/models.json\n"
	"  ~/.config/anet/config.json, agents.d/\n";

static int check(struct arena *arena, bool json)
{
	struct config_check check;
	struct json_object *root;
	struct places places;

	places_find(arena, &places);
	config_check_all(arena, &places, &check);
	if (json) {
		root = json_object_new_object();
		json_object_object_add(root, "schema",
				       json_text("anet.config-check/1"));
		config_check_add_json(root, &check);
		print_json(root);
	} else {
		config_check_print(&check);
	}
	return reason_exit_status(config_check_reason(&check));
}

static void show_json(const struct config *config, struct json_object *values)
{
	struct json_object *root = json_object_new_object();
	struct json_object *files = json_object_new_array();

	for (size_t i = 0; i < config->files.n; i++)
		json_object_array_add(files, json_text(SHOW(config->files.items[i])));
	json_object_object_add(root, "schema", json_text("anet.config/1"));
	json_object_object_add(root, "files", files);
	json_object_object_add(root, "values", values);
	print_json(root);
}

static int show_values(struct arena *arena, bool json)
{
	struct config_notes notes = {.complete = true};
	struct places places;
	struct config config;
	struct values values;
	struct detail detail;

	places_find(arena, &places);
	if (config_load_noted(arena, &places, &notes, &config, &detail) != REASON_OK)
		return refuse(notes.problems[0].reason, "%s", notes.problems[0].text);
	values_begin(&values, arena);
	config_values(arena, &config, &notes, values_take, &values);
	if (json) {
		show_json(&config, values.array);
	} else {
		table_print(&values.table, 0);
		json_object_put(values.array);
	}
	return EX_OK;
}

static const struct {
	const char *word;
	int (*run)(struct arena *arena, bool json);
} verbs[] = {
	{"check", check},
	{"show", show_values},
};

static int run_verb(char **words, bool json)
{
	static const char *const names[] = {"check", "show", NULL};
	struct arena arena = {0};
	int status;

	if (!words[0])
		return refuse(REASON_USAGE, "`anet config` needs one of: check, show");
	if (words[1])
		return refuse(REASON_USAGE, "`anet config %s` takes no argument `%s`",
			      SHOW(words[0]), SHOW(words[1]));
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(words[0], verbs[i].word) != 0)
			continue;
		status = verbs[i].run(&arena, json);
		arena_free(&arena);
		return status;
	}
	return refuse(REASON_USAGE, "`anet config` has check and show, not `%s`%s",
		      SHOW(words[0]), DID_YOU_MEAN(words[0], names));
}

static int config_main(int argc, char **argv)
{
	bool json = false;
	const struct command_option options[] = {{"json", &json, NULL}, {0}};
	char **words;
	int status = read_options(argc, argv, &command_config, options, &words, NULL);

	return status == GO_ON ? run_verb(words, json) : status;
}

const struct command command_config = {
	.name = "config",
	.summary = "checks the configuration, or shows what is in force",
	.help = help,
	.main = config_main,
};

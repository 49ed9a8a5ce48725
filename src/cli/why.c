/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet why: what the policy of an agent would do with a path, a host or a request,
 * and which rule decides; it starts no run and asks no service.  And what a session was
 * refused.
 */
#include "cli/why.h"

#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "cli/command.h"
#include "cli/foreground.h"
#include "cli/output.h"
#include "cli/why-session.h"
#include "os/report.h"

static const char help[] =
	"Says what the policy of an agent would do, and which rule decides; or what a\n"
	"session was refused lately, why, and what to do.\n"
	"\n"
	"Usage: anet why [--json] SESSION\n"
	"       anet why [OPTION…] --path PATH\n"
	"       anet why [OPTION…] --host HOST\n"
	"       anet why [OPTION…] --request FILE\n"
	"\n"
	"SESSION is the id of a session, of units and of `anet run`, that runs or has\n"
	"ended, or the name of an agent, which means its session `main` or else its "
	"last\n"
	"one. The last 16 different refusals are shown.\n"
	"\n"
	"With a path, a host or a request it prepares what `anet run` would run, "
	"starts\n"
	"nothing of it, and sends nothing to any service. Exit status: 0 allowed, 1\n"
	"refused or not visible; when there is no answer, that of the reason\n"
	"(anet-reasons(7)).\n"
	"\n"
	"Options:\n"
	"  --path PATH      what a run sees there: not visible, read-only, writable, "
	"...;\n"
	"                   a relative one begins in the workspace\n"
	"  --host HOST      whether a run could reach this host\n"
	"  --request FILE   what the gateway would do with this request to the model\n"
	"                   service: HTTP as it is sent, or its JSON body; - is "
	"standard\n"
	"                   input\n"
	"  --agent NAME     an agent of the configuration, or a runtime [command]\n"
	"  --workspace DIR  the directory to work in [the agent's, else the current "
	"one]\n"
	"  --json           the same as JSON (schemas anet.why/1 and, of a session,\n"
	"                   anet.why-session/1)\n"
	"  --help           this text\n"
	"\n"
	"For example:\n"
	"  anet why claude\n"
	"  anet why --path /opt/toolchain\n"
	"  anet why --agent claude --host pypi.org\n"
	"  anet why --agent claude --request body.json\n";

struct why_options {
	const char *agent, *workspace;
	const char *path, *host, *request; /* one of them, or */
	char **words;			   /* a session */
	bool json;
};

void why_add(struct why *why, const char *key, const char *text)
{
	if (why->n_facts < WHY_FACTS)
		why->facts[why->n_facts++] = (struct why_fact){key, text};
}

/* Only when somebody asks: most answers name no line. */
static void read_origins(struct why *why)
{
	struct preparation *run = &why->run;
	struct detail ignored;
	struct config config;
	struct agent agent;

	why->notes.complete = true;
	why->no_origins =
		config_load_noted(&run->arena, &run->places, &why->notes, &config,
				  &ignored) != REASON_OK ||
		agent_load_noted(&run->arena, &run->places, run->agent.name,
				 &why->notes, &config, &agent, &ignored) != REASON_OK;
}

const char *why_origin(struct why *why, const char *name)
{
	const struct config_origin *origin;

	if (!why->notes.complete)
		read_origins(why);
	origin = why->no_origins ? NULL : notes_find_origin(&why->notes, name);
	return origin ? arena_format(&why->run.arena, "%s:%u",
				     escaped(&why->run.arena, origin->path),
				     origin->line)
		      : NULL;
}

/* GO_ON and the options, or the status to end with. */
static int parse_options(int argc, char **argv, struct why_options *ret)
{
	const struct command_option known[] = {
		{.name = "agent", .text = &ret->agent},
		{.name = "workspace", .text = &ret->workspace},
		{.name = "path", .text = &ret->path},
		{.name = "host", .text = &ret->host},
		{.name = "request", .text = &ret->request},
		{.name = "json", .flag = &ret->json},
		{0},
	};
	int answer = read_options(argc, argv, &command_why, known, &ret->words, NULL);
	int questions = !!ret->path + !!ret->host + !!ret->request;

	if (answer != GO_ON)
		return answer;
	if (*ret->words && (ret->words[1] || questions || ret->agent || ret->workspace))
		return refuse(
			REASON_USAGE,
			"`anet why %s` asks about a session; a path, a host and a "
			"request have an option each",
			SHOW(ret->words[0]));
	if (*ret->words || questions == 1)
		return GO_ON;
	return refuse(REASON_USAGE,
		      questions ? "`anet why` answers one question at a time"
				: "`anet why` needs a session, or --path, --host or "
				  "--request");
}

static void print(struct why *why)
{
	static const char *const headings[] = {"", "", NULL};
	struct arena *arena = &why->run.arena;
	struct table table = table_new(arena, headings);

	printf("%s: %s\n", escaped(arena, why->subject),
	       painted(arena, why->allowed ? COLOR_GREEN : COLOR_RED, why->verdict));
	for (size_t i = 0; i < why->n_facts; i++) {
		char *label = arena_copy(arena, why->facts[i].key);

		for (char *place = label; (place = strchr(place, '_'));)
			*place = ' ';
		if (why->facts[i].text)
			TABLE_ADD(&table, label, why->facts[i].text);
	}
	table_print(&table, 2);
	if (why->changes_table && why->changes_table->n_rows) {
		puts("\n  changed on the way:");
		table_print(why->changes_table, 2);
	}
}

static void print_as_json(struct why *why)
{
	struct json_object *root = json_object_new_object();

	json_object_object_add(root, "schema", json_text("anet.why/1"));
	json_object_object_add(root, "agent", json_text(why->run.agent.name));
	json_object_object_add(root, "kind", json_text(why->kind));
	json_object_object_add(root, "subject",
			       json_text(escaped(&why->run.arena, why->subject)));
	json_object_object_add(root, "verdict", json_text(why->verdict));
	json_object_object_add(root, "allowed", json_object_new_boolean(why->allowed));
	for (size_t i = 0; i < why->n_facts; i++)
		json_object_object_add(root, why->facts[i].key,
				       json_text(why->facts[i].text));
	if (why->changes)
		json_object_object_add(root, "changes", json_object_get(why->changes));
	print_json(root);
}

static enum reason answer(struct why *why, const struct why_options *options)
{
	static char any[] = "true";
	char *const words[] = {any, NULL};
	enum reason reason =
		options->path ? foreground_load(&why->run, options->agent,
						options->workspace, words)
			      : foreground_load_policy(&why->run, options->agent);

	if (reason != REASON_OK)
		return reason;
	if (options->path)
		return why_path(why, options->path);
	return options->host ? why_host(why, options->host)
			     : why_request(why, options->request);
}

static int why_main(int argc, char **argv)
{
	struct why_options options = {0};
	struct why why = {.kind = NULL};
	enum reason reason;
	int status = parse_options(argc, argv, &options);

	if (status != GO_ON)
		return status;
	if (*options.words)
		return why_session(*options.words, options.json);
	reason = answer(&why, &options);
	if (reason != REASON_OK)
		status = refuse(reason, "%s", why.run.detail.text);
	else if (options.json)
		print_as_json(&why);
	else
		print(&why);
	if (reason == REASON_OK)
		status = why.allowed ? EX_OK : WHY_REFUSED;
	json_object_put(why.changes);
	arena_free(&why.run.arena);
	return status;
}

const struct command command_why = {
	.name = "why",
	.summary = "says what an agent may do, or why a session was refused something",
	.help = help,
	.main = why_main,
};

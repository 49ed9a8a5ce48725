/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet sessions clean: lists what runs left in workspaces to be executed outside, and
 * removes exactly that.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/sessions-left.h"
#include "cli/table.h"
#include "os/report.h"

#define USEC_PER_SECOND 1000000

struct options {
	bool list, json, yes;
	const char *wanted;
};

static const char *state_word(const struct left_workspace *workspace,
			      const struct left_row *row)
{
	if (row->there)
		return "there";
	return workspace->fd < 0 ? "no workspace" : "gone or another";
}

static void print_list(struct arena *arena, const struct left_list *list)
{
	static const char *const headings[] = {"SESSION", "ENDED",   "NOW",
					       "PATH",	  "READ BY", NULL};
	struct table table = table_new(arena, headings);

	for (size_t i = 0; i < list->n; i++) {
		const struct left_workspace *workspace = &list->workspaces[i];

		for (size_t k = 0; k < workspace->n_rows; k++) {
			const struct left_row *row = &workspace->rows[k];

			TABLE_ADD(&table, escaped(arena, row->session),
				  local_time_text(arena, row->usec / USEC_PER_SECOND),
				  painted(arena, row->there ? COLOR_YELLOW : COLOR_NONE,
					  state_word(workspace, row)),
				  arena_format(arena, "%s/%s",
					       escaped(arena, workspace->path),
					       protected_path(row->row)),
				  protected_reader(row->row));
		}
	}
	table_print(&table, 0);
}

static void print_list_json(struct arena *arena, const struct left_list *list)
{
	struct json_object *root = json_object_new_object();
	struct json_object *rows = json_object_new_array();

	for (size_t i = 0; i < list->n; i++) {
		const struct left_workspace *workspace = &list->workspaces[i];

		for (size_t k = 0; k < workspace->n_rows; k++) {
			const struct left_row *row = &workspace->rows[k];
			struct json_object *object = json_object_new_object();

			json_object_object_add(object, "session",
					       json_text(escaped(arena, row->session)));
			json_object_object_add(
				object, "ended",
				json_text(utc_time_text(arena,
							row->usec / USEC_PER_SECOND)));
			json_object_object_add(
				object, "workspace",
				json_text(escaped(arena, workspace->path)));
			json_object_object_add(object, "path",
					       json_text(protected_path(row->row)));
			json_object_object_add(object, "there",
					       json_object_new_boolean(row->there));
			json_object_object_add(object, "read_by",
					       json_text(protected_reader(row->row)));
			json_object_array_add(rows, object);
		}
	}
	json_object_object_add(root, "schema", json_text("anet.left/1"));
	json_object_object_add(root, "left", rows);
	print_json(root);
}

/* REASON_OK if the answer was yes. */
static enum reason ask(const struct options *options, size_t n,
		       struct detail *ret_detail)
{
	char answer[16] = "";

	if (options->yes || n == 0)
		return REASON_OK;
	if (!isatty(STDIN_FILENO))
		return explain(ret_detail, REASON_USAGE,
			       "`anet sessions clean` asks on a terminal, and there is "
			       "none: `--yes` removes without asking");
	fprintf(stderr, "Remove %zu of these, with all that is in them? [y/N] ", n);
	if (fgets(answer, sizeof(answer), stdin) &&
	    (strcmp(answer, "y\n") == 0 || strcmp(answer, "yes\n") == 0))
		return REASON_OK;
	return explain(ret_detail, REASON_INTERRUPTED,
		       "nothing is removed: the answer was not `y`");
}

static enum reason remove_all(struct arena *arena, const struct left_list *list,
			      struct detail *ret_detail)
{
	for (size_t i = 0; i < list->n; i++) {
		struct left_workspace *workspace = &list->workspaces[i];
		int r = left_remove(arena, list, workspace);

		if (r == -EWOULDBLOCK)
			return explain(ret_detail, REASON_SESSION_EXISTS,
				       "a session works in %s: end it first",
				       SHOW(workspace->path));
		if (r != 0)
			return explain(ret_detail, REASON_SYSTEM,
				       "not all could be removed from %s%s%s",
				       SHOW(workspace->path), r < 0 ? ": " : "",
				       r < 0 ? strerror(-r) : "");
		printf("%s: %zu removed.\n", SHOW(workspace->path), workspace->n_there);
	}
	return REASON_OK;
}

static enum reason clean(struct arena *arena, const struct options *options,
			 struct detail *ret_detail)
{
	struct left_list list;
	enum reason reason = left_read(arena, options->wanted, &list, ret_detail);
	size_t there = 0;

	if (reason != REASON_OK)
		return reason;
	for (size_t i = 0; i < list.n; i++)
		there += list.workspaces[i].n_there;
	if (options->json)
		print_list_json(arena, &list);
	else if (list.n == 0)
		puts("No run has left anything that programs outside would execute.");
	else
		print_list(arena, &list);
	if (options->list || options->json || list.n == 0)
		return REASON_OK;
	fflush(stdout);
	reason = ask(options, there, ret_detail);
	return reason == REASON_OK ? remove_all(arena, &list, ret_detail) : reason;
}

/* EX_OK, -1 after --help, or the status to end with. */
static int parse_options(int argc, char **argv, struct options *ret_options)
{
	static const struct option known[] = {
		{"list", no_argument, NULL, 'l'},
		{"json", no_argument, NULL, 'j'},
		{"yes", no_argument, NULL, 'y'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	struct options options = {0};
	int answer;

	opterr = 0;
	while ((answer = getopt_long(argc, argv, ":h", known, NULL)) != -1) {
		switch (answer) {
		case 'l':
			options.list = true;
			break;
		case 'j':
			options.json = true;
			break;
		case 'y':
			options.yes = true;
			break;
		case 'h':
			fputs(command_sessions.help, stdout);
			return -1;
		default:
			return refuse_option(argc, argv, known, answer);
		}
	}
	if (argc - optind > 1)
		return refuse(REASON_USAGE,
			      "`anet sessions clean` takes one directory or session, "
			      "and %s is another word",
			      SHOW(argv[optind + 1]));
	options.wanted = argv[optind];
	*ret_options = options;
	return EX_OK;
}

int sessions_clean(int argc, char **argv)
{
	struct options options = {0};
	struct arena arena = {0};
	struct detail detail;
	enum reason reason;
	int status = parse_options(argc, argv, &options);

	if (status != EX_OK)
		return status < 0 ? EX_OK : status;
	reason = clean(&arena, &options, &detail);
	arena_free(&arena);
	return reason == REASON_OK ? EX_OK : refuse(reason, "%s", detail.text);
}

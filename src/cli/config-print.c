/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>

#include "cli/config-check.h"
#include "cli/output.h"
#include "cli/table.h"

static const char *counted(struct arena *arena, size_t n, const char *one,
			   const char *many)
{
	return arena_format(arena, "%zu %s", n, n == 1 ? one : many);
}

static void print_findings(const struct config_check *check)
{
	static const char *const headings[] = {"", "", NULL};
	const struct config_notes *notes = &check->notes;
	struct arena *arena = check->arena;
	struct table table = table_new(arena, headings);

	for (size_t i = 0; i < notes->n_problems; i++) {
		const struct config_problem *problem = &notes->problems[i];

		TABLE_ADD(&table, painted(arena, COLOR_RED, "fail"),
			  arena_format(arena, "%s [%s]", escaped(arena, problem->text),
				       reason_code(problem->reason)));
		TABLE_ADD(&table, "",
			  painted(arena, COLOR_DIM, reason_remedy(problem->reason)));
	}
	for (size_t i = 0; i < notes->warnings.n; i++)
		TABLE_ADD(&table, painted(arena, COLOR_YELLOW, "warn"),
			  arena_format(arena, "%s [%s]",
				       escaped(arena, notes->warnings.items[i]),
				       reason_code(REASON_KEY_RETIRED)));
	if (table.n_rows) {
		table_print(&table, 0);
		putchar('\n');
	}
}

void config_check_print(const struct config_check *check)
{
	struct arena *arena = check->arena;
	size_t n_files = check->config.files.n;

	print_findings(check);
	if (check->notes.n_problems)
		printf("%s, %s\n",
		       counted(arena, check->notes.n_problems, "problem", "problems"),
		       counted(arena, check->notes.warnings.n, "warning", "warnings"));
	else
		printf("The configuration is valid: %s, %s, %s, %s.\n",
		       n_files ? counted(arena, n_files, "file", "files")
			       : "no file, so defaults",
		       counted(arena, check->n_agents, "agent", "agents"),
		       counted(arena, check->n_runtimes, "runtime", "runtimes"),
		       counted(arena, check->notes.warnings.n, "warning", "warnings"));
}

static struct json_object *problem_json(const struct config_problem *problem)
{
	struct json_object *object = json_object_new_object();
	const char *remedy = reason_remedy(problem->reason);

	json_object_object_add(object, "code", json_text(reason_code(problem->reason)));
	json_object_object_add(object, "detail", json_text(problem->text));
	json_object_object_add(object, "remedy", json_text(*remedy ? remedy : NULL));
	return object;
}

void config_check_add_json(struct json_object *object, const struct config_check *check)
{
	struct json_object *files = json_object_new_array();
	struct json_object *problems = json_object_new_array();
	struct json_object *warnings = json_object_new_array();

	for (size_t i = 0; i < check->config.files.n; i++)
		json_object_array_add(files,
				      json_text(SHOW(check->config.files.items[i])));
	for (size_t i = 0; i < check->notes.n_problems; i++)
		json_object_array_add(problems,
				      problem_json(&check->notes.problems[i]));
	for (size_t i = 0; i < check->notes.warnings.n; i++) {
		const struct config_problem warning = {REASON_KEY_RETIRED,
						       check->notes.warnings.items[i]};

		json_object_array_add(warnings, problem_json(&warning));
	}
	json_object_object_add(object, "status",
			       json_text(check->notes.n_problems ? "fail" : "ok"));
	json_object_object_add(object, "files", files);
	json_object_object_add(object, "problems", problems);
	json_object_object_add(object, "warnings", warnings);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/runtime-here.h"

#include "config/package.h"
#include "config/program.h"

enum reason runtime_here(struct arena *arena, const struct places *places,
			 const struct runtime *runtime, const char **ret_text,
			 struct detail *ret_detail)
{
	struct program program;
	struct package package;
	const char *node;
	enum reason reason;

	if (!*runtime->program.names) {
		*ret_text = "runs the command that is given to it";
		return REASON_OK;
	}
	reason = program_find(arena, places, runtime, NULL, &program, ret_detail);
	if (reason != REASON_OK)
		return reason;
	package = package_of(arena, &program);
	node = package_interpreter_version(arena, &program);
	if (package.node && node && version_is_lower(node, package.node))
		return explain(ret_detail, REASON_INTERPRETER_OLD,
			       "%s%s%s needs Node.js %s or newer, and %s is %s",
			       SHOW(program.path), package.version ? ", version " : "",
			       package.version ? package.version : "", package.node,
			       SHOW(program.argv[0]), node);
	*ret_text = arena_format(arena, "%s%s%s", SHOW(program.path),
				 package.version ? ", version " : "",
				 package.version ? package.version : "");
	return REASON_OK;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What Responses and Chat Completions have in common. */
#include <string.h>
#include "core/policy.h"
#include "core/rules-openai.h"
#include "core/rules-rows.h"

/* A row is a line. */
/* clang-format off */

TABLE(, openai_cache_breakpoint_fields, DROP,
      PASS("mode", STRING));

TABLE(, openai_cache_options_fields, DROP,
      PASS("mode", STRING | NUL),
      DROP("ttl", "The service keeps the prompt no longer than it does by default."));

TABLE(, openai_stream_options_fields, DROP,
      PASS("include_usage", BOOL | NUL),
      PASS("include_obfuscation", BOOL | NUL));

TABLE(, openai_reasoning_fields, DROP,
      PASS("effort", STRING | NUL),
      PASS("summary", STRING | NUL),
      PASS("generate_summary", STRING | NUL),
      PASS("context", STRING | NUL),
      PASS("enabled", BOOL | NUL),
      PASS("exclude", BOOL | NUL),
      ONLY("mode", STRING | NUL, "standard", STORED_STATE, "Another mode has another price."));

#define ALWAYS(name_) { .name = name_ }
#define WITH_TOOL(name_, tool_) { .name = name_, .server_tools = SERVER_TOOL_##tool_ }

/* Not here: file_search_call.results, whose tool is never allowed. */
const struct openai_include openai_includes[] = {
	ALWAYS("reasoning.encrypted_content"),
	ALWAYS("message.output_text.logprobs"),
	ALWAYS("message.input_image.image_url"),
	ALWAYS("computer_call_output.output.image_url"),
	WITH_TOOL("web_search_call.results", WEB_SEARCH),
	WITH_TOOL("web_search_call.action.sources", WEB_SEARCH),
	WITH_TOOL("code_interpreter_call.outputs", CODE_EXECUTION),
};

const size_t openai_n_includes = sizeof(openai_includes) / sizeof(*openai_includes);

/* clang-format on */

const struct openai_include *openai_include_find(const char *name)
{
	for (size_t i = 0; i < openai_n_includes; i++)
		if (!strcmp(openai_includes[i].name, name))
			return &openai_includes[i];
	return NULL;
}

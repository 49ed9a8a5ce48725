/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_TESTS_JUDGE_CAPTURES_H
#define ANET_TESTS_JUDGE_CAPTURES_H

#include <json-c/json.h>
#include "judge-rows.h"

/* Real requests (tests/agents/captures), before and after the judge. */

struct request {
	char *text; /* owns all */
	const char *beta;
	const char *body;
	size_t length;
	enum endpoint endpoint;
};

/* Of a request line; the agent's query does not count. */
static inline enum endpoint request_endpoint(const char *line)
{
	const char *path = strchr(line, ' ') + 1;
	size_t length = strcspn(path, " ?\n");

	for (enum endpoint endpoint = 1; endpoint_path(endpoint); endpoint++)
		if (strlen(endpoint_path(endpoint)) == length &&
		    !strncmp(path, endpoint_path(endpoint), length))
			return endpoint;
	fail_msg("%.*s is of no endpoint", (int)length, path);
	return 0;
}

static inline struct request read_request(const char *name)
{
	const char *srcdir = getenv("srcdir");
	struct request request = {0};
	char path[4096];
	FILE *file;
	char *line;
	long size;

	snprintf(path, sizeof(path), "%s/tests/agents/captures/%s.request",
		 srcdir ? srcdir : ".", name);
	file = fopen(path, "r");
	if (!file)
		fail_msg("%s cannot be opened", path);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	size = ftell(file);
	rewind(file);
	request.text = calloc(1, (size_t)size + 1);
	assert_non_null(request.text);
	assert_int_equal(fread(request.text, 1, (size_t)size, file), size);
	fclose(file);

	/* A request line, one header field, an empty line, the body. */
	line = request.text;
	request.endpoint = request_endpoint(line);
	line = strchr(line, '\n') + 1;
	assert_int_equal(strncmp(line, "anthropic-beta: ", 16), 0);
	request.beta = line + 16;
	line = strchr(line, '\n');
	*line = '\0';
	assert_int_equal(line[1], '\n');
	request.body = line + 2;
	request.length = (size_t)(request.text + size - request.body);
	return request;
}

/* Whether what is at this place may be another or missing in the result; with `before`
 * NULL whether it may be new. */
typedef bool may_change_fn(const char *place, struct json_object *before);

static inline void compare(struct json_object *before, struct json_object *after,
			   const char *place, may_change_fn *may_change)
{
	char inner[512];

	if (before && may_change(place, before))
		return;
	if (json_object_get_type(before) != json_object_get_type(after))
		fail_msg("%s changed its type", place);
	if (json_object_is_type(before, json_type_object)) {
		json_object_object_foreach(before, key, value)
		{
			struct json_object *other;

			snprintf(inner, sizeof(inner), "%s.%s", place, key);
			if (json_object_object_get_ex(after, key, &other))
				compare(value, other, inner, may_change);
			else if (!may_change(inner, value))
				fail_msg("%s is missing", inner);
		}
		json_object_object_foreach(after, new_key, new_value)
		{
			(void)new_value;
			snprintf(inner, sizeof(inner), "%s.%s", place, new_key);
			if (!json_object_object_get_ex(before, new_key, NULL) &&
			    !may_change(inner, NULL))
				fail_msg("%s is new", inner);
		}
	} else if (json_object_is_type(before, json_type_array)) {
		assert_int_equal(json_object_array_length(before),
				 json_object_array_length(after));
		for (size_t i = 0; i < json_object_array_length(before); i++) {
			snprintf(inner, sizeof(inner), "%s[%zu]", place, i);
			compare(json_object_array_get_idx(before, i),
				json_object_array_get_idx(after, i), inner, may_change);
		}
	} else if (!json_object_equal(before, after)) {
		fail_msg("%s changed", place);
	}
}

/* No key of this name outside what is data of the agent. */
static inline void check_no_key(struct json_object *value, const char *name)
{
	if (json_object_is_type(value, json_type_array))
		for (size_t i = 0; i < json_object_array_length(value); i++)
			check_no_key(json_object_array_get_idx(value, i), name);
	if (!json_object_is_type(value, json_type_object))
		return;
	json_object_object_foreach(value, key, inner)
	{
		if (!strcmp(key, name))
			fail_msg("the result has %s", name);
		if (strcmp(key, "input") != 0 && strcmp(key, "input_schema") != 0 &&
		    strcmp(key, "format") != 0)
			check_no_key(inner, name);
	}
}

/* Every beginning of a real request is refused, and nothing breaks. */
static inline void check_truncated(const char *name,
				   void (*judge)(const struct request *,
						 struct judgement *))
{
	struct request request = read_request(name);

	for (size_t length = 0; length < request.length; length++) {
		struct request part = request;
		struct judgement judgement;

		part.length = length;
		judge(&part, &judgement);
		assert_int_equal(judgement.reason, REASON_JSON_SYNTAX);
		judgement_clear(&judgement);
	}
	free(request.text);
}

#endif

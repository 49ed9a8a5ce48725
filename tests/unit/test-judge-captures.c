/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What real agents sent (tests/agents/captures) must pass, and come out as it
 * went in but for what a list here names.  Looks at the result for itself: it
 * uses none of the rules.
 */
#include "judge-captures.h"

#define MODEL "claude-haiku-5-5"
#define ABILITIES (MODEL_KNOWN | MODEL_THINKING_ADAPTIVE | MODEL_EFFORT)

/* The model of these tests does not let it be turned off. */
static bool disabled_thinking(const char *place, struct json_object *value)
{
	return !strcmp(place, ".thinking") &&
	       !strcmp(json_object_get_string(json_object_object_get(value, "type")),
		       "disabled");
}

/* What may be missing or another in the result, by the end of its place. */
static bool may_change(const char *place, struct json_object *before)
{
	static const char *const places[] = {
		".metadata",
		".model",
		".max_tokens",
		".thinking.type",
		".thinking.budget_tokens",
		".temperature",
	};
	size_t length = strlen(place);

	if (!before)
		return false;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (!strcmp(place, places[i]))
			return true;
	/* messages[N].output_config */
	return disabled_thinking(place, before) ||
	       (!strncmp(place, ".messages[", 10) && length > 15 &&
		!strcmp(place + length - 15, "].output_config"));
}

static void check_result(const struct request *request,
			 const struct judgement *judgement)
{
	static const char *const keys[] = {
		"metadata", "mcp_servers", "container",	    "fallbacks",
		"speed",    "file_id",	   "service_tier",  "task_budget",
		"url",	    "diagnostics", "inference_geo",
	};
	struct json_object *before = json_tokener_parse(request->body);
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *after =
		json_tokener_parse_ex(tokener, judgement->text, (int)judgement->length);
	struct json_object *value;

	assert_non_null(before);
	assert_non_null(after);
	compare(before, after, "", may_change);
	assert_string_equal(
		json_object_get_string(json_object_object_get(after, "model")), MODEL);
	assert_int_equal(json_object_object_get_ex(after, "max_tokens", &value),
			 request->endpoint == ENDPOINT_MESSAGES);
	if (request->endpoint == ENDPOINT_MESSAGES)
		assert_in_range(json_object_get_int64(value), 1, 8192);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		check_no_key(after, keys[i]);
	/* A flag and its field go together. */
	if (json_object_object_get_ex(after, "context_management", NULL))
		assert_true(judgement->beta & BETA_BIT(BETA_CONTEXT_MANAGEMENT));
	for (unsigned int bit = 0; bit < BETA_COUNT; bit++)
		if (judgement->beta & BETA_BIT(bit))
			assert_non_null(
				strstr(request->beta, anthropic_beta_name(bit)));
	assert_int_equal(
		judgement->flags == UPSTREAM_STREAM,
		json_object_get_boolean(json_object_object_get(after, "stream")));
	json_object_put(before);
	json_object_put(after);
	json_tokener_free(tokener);
}

static const char *const passing[] = {
	"claude-2.1.332-first-turn",   "claude-2.1.332-third-turn",
	"claude-2.1.332-subagent",     "claude-2.1.332-title",
	"claude-2.1.332-count-tokens", "claude-2.1.332-betas-off",
	"claude-2.1.197-title",	       "claude-2.1.197-first-turn",
	"pi-0.73.1-third-turn",	       "continue-1.5.47-third-turn",
	"opencode-1.18.33-title",
};

static void judge_as(const struct request *request, uint32_t abilities,
		     struct judgement *ret)
{
	struct setting setting = PEER;

	setting.model = MODEL;
	setting.abilities = abilities;
	setting.endpoint = request->endpoint;
	setting.beta = request->beta;
	rows_judge(&setting, request->body, request->length, ret);
}

static void test_passing(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(passing) / sizeof(*passing); i++) {
		struct request request = read_request(passing[i]);
		struct judgement judgement;
		struct judgement again;

		judge_as(&request, ABILITIES, &judgement);
		if (judgement.reason)
			fail_msg("%s: %s (%s)", passing[i],
				 reason_code(judgement.reason), judgement.detail);
		check_result(&request, &judgement);
		/* What goes out would pass as it is. */
		request.body = judgement.text;
		request.length = judgement.length;
		judge_as(&request, ABILITIES, &again);
		assert_int_equal(again.reason, REASON_OK);
		assert_int_equal(again.length, judgement.length);
		assert_memory_equal(again.text, judgement.text, again.length);
		assert_int_equal(again.beta, judgement.beta);
		judgement_clear(&again);
		judgement_clear(&judgement);
		free(request.text);
	}
}

static bool has(struct json_object *body, const char *key)
{
	return json_object_object_get(body, key) != NULL;
}

/* None of the fields that the new model refuses is left. */
static void check_follows(const char *name, const struct judgement *judgement,
			  uint32_t abilities)
{
	struct json_object *body = json_tokener_parse(judgement->text);
	struct json_object *thinking = json_object_object_get(body, "thinking");
	const char *type =
		json_object_get_string(json_object_object_get(thinking, "type"));
	struct json_object *config = json_object_object_get(body, "output_config");
	bool sampling =
		has(body, "temperature") || has(body, "top_p") || has(body, "top_k");

	assert_non_null(body);
	if ((sampling && !(abilities & MODEL_SAMPLING)) ||
	    (config && has(config, "effort") && !(abilities & MODEL_EFFORT)) ||
	    (type && !strcmp(type, "adaptive") &&
	     !(abilities & MODEL_THINKING_ADAPTIVE)) ||
	    (type && !strcmp(type, "enabled") &&
	     !(abilities & MODEL_THINKING_BUDGET)) ||
	    (type && !strcmp(type, "disabled") && !(abilities & MODEL_THINKING_OFF)))
		fail_msg("%s: %x", name, abilities);
	json_object_put(body);
}

/* For everything that a model can be able to. */
static void test_models(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(passing) / sizeof(*passing); i++)
		for (uint32_t abilities = MODEL_KNOWN; abilities < MODEL_VERBOSITY;
		     abilities += 2) {
			struct request request = read_request(passing[i]);
			struct judgement judgement;

			judge_as(&request, abilities, &judgement);
			if (judgement.reason)
				fail_msg("%s: %s", passing[i], judgement.detail);
			/* The request may have asked for it by name. */
			if (!strstr(request.body, "\"model\":\"" MODEL "\""))
				check_follows(passing[i], &judgement, abilities);
			judgement_clear(&judgement);
			free(request.text);
		}
}

static void test_refused(void **state)
{
	struct request request = read_request("claude-2.1.332-web-search");
	struct setting setting = PEER;
	struct judgement judgement;

	(void)state;
	judge_as(&request, ABILITIES, &judgement);
	assert_int_equal(judgement.reason, REASON_RULE_SERVER_TOOL);
	assert_string_equal(judgement.detail,
			    "tools[0].type is \"web_search_20250305\"");
	judgement_clear(&judgement);

	/* Unless the operator allows it to his own agent. */
	setting.profile = PROFILE_OWN;
	setting.server_tools = SERVER_TOOL_WEB_SEARCH;
	setting.beta = request.beta;
	rows_judge(&setting, request.body, request.length, &judgement);
	assert_int_equal(judgement.reason, REASON_OK);
	judgement_clear(&judgement);
	free(request.text);
}

static void judge_first(const struct request *request, struct judgement *ret)
{
	judge_as(request, ABILITIES, ret);
}

static void test_truncated(void **state)
{
	(void)state;
	check_truncated("opencode-1.18.33-title", judge_first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_passing),
		cmocka_unit_test(test_models),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_truncated),
	};

	return cmocka_run_group_tests_name("judge-captures", tests, NULL, NULL);
}

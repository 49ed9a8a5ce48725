/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The same as test-judge-captures.c for the clients of Responses and Chat
 * Completions.  Uses none of the rules.
 */
#include "judge-captures.h"

#define MODEL "gpt-6-luna"

static bool ends(const char *place, const char *end)
{
	size_t length = strlen(place);

	return length >= strlen(end) && !strcmp(place + length - strlen(end), end);
}

static bool may_change(const char *place, struct json_object *before)
{
	static const char *const places[] = {
		".model", ".max_output_tokens",	    ".max_tokens",
		".store", ".max_completion_tokens", ".client_metadata",
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (!strcmp(place, places[i]))
			return true;
	return before && !strncmp(place, ".input[", 7) &&
	       ends(place, "].internal_chat_message_metadata_passthrough");
}

static struct json_object *parse(const char *text, size_t length)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *value = json_tokener_parse_ex(tokener, text, (int)length);

	json_tokener_free(tokener);
	assert_non_null(value);
	return value;
}

/* Nothing that tells who asks is left, wherever it stood. */
static void check_words(const struct judgement *judgement)
{
	static const char *const words[] = {
		"client_metadata",   "installation_id",
		"installation-id",   "turn-metadata",
		"turn_id",	     "passthrough",
		"marker-host",	     "associated_remote_urls",
		"latest_git_commit", "previous_response_id",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (memmem(judgement->text, judgement->length, words[i],
			   strlen(words[i])))
			fail_msg("the result has %s", words[i]);
}

static void check_length(struct json_object *body, enum endpoint endpoint)
{
	const char *key = endpoint == ENDPOINT_CHAT ? "max_completion_tokens"
						    : "max_output_tokens";

	assert_in_range(json_object_get_int64(json_object_object_get(body, key)), 1,
			LIMIT_OUTPUT_TOKENS);
	assert_null(json_object_object_get(body, "max_tokens"));
}

static void check_result(const struct request *request,
			 const struct judgement *judgement)
{
	static const char *const keys[] = {"file_id", "file_url", "metadata", "user",
					   "service_tier"};
	struct json_object *before = parse(request->body, request->length);
	struct json_object *after = parse(judgement->text, judgement->length);
	struct json_object *store;

	compare(before, after, "", may_change);
	assert_string_equal(
		json_object_get_string(json_object_object_get(after, "model")), MODEL);
	assert_true(json_object_object_get_ex(after, "store", &store));
	assert_false(json_object_get_boolean(store));
	check_length(after, request->endpoint);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		check_no_key(after, keys[i]);
	check_words(judgement);
	assert_int_equal(judgement->beta, 0);
	assert_int_equal(
		judgement->flags == UPSTREAM_STREAM,
		json_object_get_boolean(json_object_object_get(after, "stream")));
	json_object_put(before);
	json_object_put(after);
}

static const char *const passing[] = {
	"codex-0.171.0-first-turn",
	"codex-0.171.0-third-turn",
	"codex-0.171.0-in-git-repo",
	"codex-0.171.0-compaction",
	"codex-0.171.0-after-compaction",
	"opencode-1.18.33-responses-title",
	"opencode-1.18.33-responses-third-turn",
	"opencode-1.18.33-chat-title",
	"opencode-1.18.33-chat-third-turn",
	"openclaw-2026.9.2-responses-third-turn",
	"openclaw-2026.9.2-chat-third-turn",
	"pi-0.73.1-responses-third-turn",
	"pi-0.73.1-chat-third-turn",
	"qwen-code-0.24.4-chat-third-turn",
	"cline-3.0.65-chat-third-turn",
	"continue-1.5.47-chat-third-turn",
};

static void judge_as(const struct request *request, uint32_t abilities,
		     struct judgement *ret)
{
	struct setting setting = OPENAI_PEER(request->endpoint);

	setting.abilities = abilities;
	rows_judge(&setting, request->body, request->length, ret);
}

static void test_passing(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(passing) / sizeof(*passing); i++) {
		struct request request = read_request(passing[i]);
		struct judgement judgement;
		struct judgement again;

		judge_as(&request, 0, &judgement);
		if (judgement.reason)
			fail_msg("%s: %s (%s)", passing[i],
				 reason_code(judgement.reason), judgement.detail);
		check_result(&request, &judgement);
		/* What goes out would pass as it is. */
		request.body = judgement.text;
		request.length = judgement.length;
		judge_as(&request, 0, &again);
		assert_int_equal(again.reason, REASON_OK);
		assert_int_equal(again.length, judgement.length);
		assert_memory_equal(again.text, judgement.text, again.length);
		judgement_clear(&again);
		judgement_clear(&judgement);
		free(request.text);
	}
}

/* Whether one of these is in the body or in an object of it. */
static bool has(struct json_object *body, const char *key, const char *inner)
{
	struct json_object *value = json_object_object_get(body, key);

	return value && (!inner || json_object_object_get(value, inner));
}

/* None of the fields that the new model refuses is left. */
static void test_models(void **state)
{
	static const uint32_t models[] = {
		MODEL_KNOWN,
		MODEL_KNOWN | MODEL_SAMPLING,
		MODEL_KNOWN | MODEL_EFFORT,
		MODEL_KNOWN | MODEL_EFFORT | MODEL_VERBOSITY,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(passing) / sizeof(*passing) * 4; i++) {
		struct request request = read_request(passing[i / 4]);
		uint32_t abilities = models[i % 4];
		struct judgement judgement;
		struct json_object *body;

		judge_as(&request, abilities, &judgement);
		assert_int_equal(judgement.reason, REASON_OK);
		body = parse(judgement.text, judgement.length);
		if ((has(body, "temperature", NULL) && !(abilities & MODEL_SAMPLING)) ||
		    (has(body, "text", "verbosity") &&
		     !(abilities & MODEL_VERBOSITY)) ||
		    ((has(body, "reasoning", NULL) || has(body, "include", NULL) ||
		      memmem(judgement.text, judgement.length, "configuration_update",
			     20)) &&
		     !(abilities & MODEL_EFFORT)))
			fail_msg("%s: %x", passing[i / 4], abilities);
		json_object_put(body);
		judgement_clear(&judgement);
		free(request.text);
	}
}

/* Codex asks for a search of the service unless its configuration says otherwise. */
static void test_refused(void **state)
{
	struct request request = read_request("codex-0.171.0-web-search");
	struct setting setting = OPENAI_PEER(request.endpoint);
	struct judgement judgement;

	(void)state;
	judge_as(&request, 0, &judgement);
	assert_int_equal(judgement.reason, REASON_RULE_SERVER_TOOL);
	assert_string_equal(judgement.detail, "tools[8].type is \"web_search\"");
	judgement_clear(&judgement);

	/* Unless the operator allows it to his own agent. */
	setting.profile = PROFILE_OWN;
	setting.server_tools = SERVER_TOOL_WEB_SEARCH;
	rows_judge(&setting, request.body, request.length, &judgement);
	assert_int_equal(judgement.reason, REASON_OK);
	check_result(&request, &judgement);
	judgement_clear(&judgement);
	free(request.text);
}

static void judge_first(const struct request *request, struct judgement *ret)
{
	judge_as(request, 0, ret);
}

static void test_truncated(void **state)
{
	(void)state;
	check_truncated("opencode-1.18.33-responses-title", judge_first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_passing),
		cmocka_unit_test(test_models),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_truncated),
	};

	return cmocka_run_group_tests_name("judge-captures-openai", tests, NULL, NULL);
}

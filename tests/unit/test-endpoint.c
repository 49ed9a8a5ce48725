/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where an agent and where the service has each endpoint. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/endpoint.h"

static const struct {
	enum endpoint endpoint;
	const char *base_path, *path;
} rows[] = {
	{ENDPOINT_MESSAGES, "", "/v1/messages"},
	{ENDPOINT_MESSAGES, "/v1", "/v1/messages"},
	{ENDPOINT_MESSAGES, "/a", "/a/v1/messages"},
	{ENDPOINT_MESSAGES, "/a/v1", "/a/v1/messages"},
	{ENDPOINT_MESSAGES, "/v1/a", "/v1/a/v1/messages"},
	{ENDPOINT_MESSAGES, "/av1", "/av1/v1/messages"},
	{ENDPOINT_MESSAGES, "/v", "/v/v1/messages"},
	{ENDPOINT_COUNT_TOKENS, "", "/v1/messages/count_tokens"},
	{ENDPOINT_COUNT_TOKENS, "/a/v1", "/a/v1/messages/count_tokens"},
	{ENDPOINT_RESPONSES, "", "/v1/responses"},
	{ENDPOINT_RESPONSES, "/v1", "/v1/responses"},
	{ENDPOINT_RESPONSES, "/a", "/a/responses"},
	{ENDPOINT_RESPONSES, "/a/v1", "/a/v1/responses"},
	{ENDPOINT_CHAT, "", "/v1/chat/completions"},
	{ENDPOINT_CHAT, "/v1beta/openai", "/v1beta/openai/chat/completions"},
};

static void test_service_path(void **state)
{
	char path[LIMIT_BASE_PATH + ENDPOINT_PATH + 1];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		endpoint_service_path(rows[i].endpoint, rows[i].base_path, path);
		if (strcmp(path, rows[i].path) != 0)
			fail_msg("%s: %s, not %s", rows[i].base_path, path,
				 rows[i].path);
	}
}

static void test_longest(void **state)
{
	char base[LIMIT_BASE_PATH + 1], path[LIMIT_BASE_PATH + ENDPOINT_PATH + 1];

	(void)state;
	memset(base, 'a', LIMIT_BASE_PATH);
	base[0] = '/';
	base[LIMIT_BASE_PATH] = 0;
	endpoint_service_path(ENDPOINT_COUNT_TOKENS, base, path);
	assert_int_equal(strlen(path),
			 LIMIT_BASE_PATH + strlen("/v1/messages/count_tokens"));
	assert_memory_equal(path, base, LIMIT_BASE_PATH);
}

static void test_wires(void **state)
{
	(void)state;
	assert_int_equal(endpoint_wire(ENDPOINT_MESSAGES), WIRE_ANTHROPIC);
	assert_int_equal(endpoint_wire(ENDPOINT_COUNT_TOKENS), WIRE_ANTHROPIC);
	assert_int_equal(endpoint_wire(ENDPOINT_RESPONSES), WIRE_OPENAI);
	assert_int_equal(endpoint_wire(ENDPOINT_CHAT), WIRE_OPENAI);
	for (int i = -1; i <= 1000; i++) {
		enum endpoint endpoint = (enum endpoint)i;
		const char *path = endpoint_path(endpoint);
		bool is_one = i >= ENDPOINT_MESSAGES && i <= ENDPOINT_CHAT;

		assert_int_equal(path != NULL, is_one);
		assert_int_equal(endpoint_wire(endpoint) != WIRE_NONE, is_one);
		if (path)
			assert_true(strlen(path) <= ENDPOINT_PATH);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_service_path),
		cmocka_unit_test(test_longest),
		cmocka_unit_test(test_wires),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables of the Messages API: their own sense, and who finds what in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "core/policy.h"
#include "core/rules-anthropic.h"

static void test_beta_names(void **state)
{
	(void)state;
	for (unsigned int bit = 0; bit < BETA_COUNT; bit++) {
		const char *name = anthropic_beta_name(bit);

		assert_non_null(name);
		assert_int_equal(
			anthropic_beta_parse((const uint8_t *)name, strlen(name)),
			BETA_BIT(bit));
		/* What may stand in a header: it goes out as it is. */
		assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-"),
				 strlen(name));
	}
	assert_null(anthropic_beta_name(BETA_COUNT));
	assert_null(anthropic_beta_name(31));
	assert_null(anthropic_beta_name(UINT32_MAX));
}

#define EFFORT_FLAG "effort-2025-11-24"
#define CODE_FLAG "claude-code-20250219"

static void test_beta_parse(void **state)
{
	static const struct {
		const char *value;
		uint32_t bits;
	} rows[] = {
		{"", 0},
		{",", 0},
		{" , ,\t", 0},
		{EFFORT_FLAG, BETA_BIT(BETA_EFFORT)},
		{" \t" EFFORT_FLAG "\t ", BETA_BIT(BETA_EFFORT)},
		{EFFORT_FLAG "," CODE_FLAG,
		 BETA_BIT(BETA_EFFORT) | BETA_BIT(BETA_CLAUDE_CODE)},
		{EFFORT_FLAG " ,\t" CODE_FLAG,
		 BETA_BIT(BETA_EFFORT) | BETA_BIT(BETA_CLAUDE_CODE)},
		{",," EFFORT_FLAG ",,", BETA_BIT(BETA_EFFORT)},
		{EFFORT_FLAG "," EFFORT_FLAG, BETA_BIT(BETA_EFFORT)},
		{"unknown-2027-01-01," EFFORT_FLAG, BETA_BIT(BETA_EFFORT)},
		{EFFORT_FLAG ";" CODE_FLAG, 0},
		{EFFORT_FLAG " " CODE_FLAG, 0},
		{"effort-2025-11-2", 0},
		{"effort-2025-11-244", 0},
		{"Effort-2025-11-24", 0},
		{"\"" EFFORT_FLAG "\"", 0},
		/* What leads to other prices, models, stored state, tools. */
		{"context-1m-2025-08-07,fast-mode-2026-02-01,output-128k-2025-02-19,"
		 "output-300k-2026-03-24,server-side-fallback-2026-06-01,"
		 "fallback-credit-2026-06-01,advisor-tool-2026-03-01,"
		 "files-api-2025-04-14,skills-2025-10-02,mcp-client-2025-11-20,"
		 "code-execution-2025-05-22,web-fetch-2025-09-10,oauth-2025-04-20,"
		 "managed-agents-2026-04-01,compact-2026-01-12,"
		 "per-turn-control-2026-07-01,agent-memory-2026-07-22,"
		 "inline-tools-2026-09-15,message-batches-2024-09-24",
		 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t length = strlen(rows[i].value);
		/* Without the NUL, so that a sanitizer sees a read behind the end. */
		uint8_t *value = malloc(length + !length);

		assert_non_null(value);
		memcpy(value, rows[i].value, length);
		if (anthropic_beta_parse(value, length) != rows[i].bits)
			fail_msg("%s", rows[i].value);
		free(value);
	}
	assert_int_equal(anthropic_beta_parse(NULL, 0), 0);
}

/* What is refused for good has no way in by the policy. */
static void test_blocks(void **state)
{
	static const struct {
		const char *type;
		enum reason reason;
	} rows[] = {
		{"tool_search_tool_result", REASON_RULE_SERVER_TOOL},
		{"advisor_tool_result", REASON_RULE_SERVER_TOOL},
		{"mcp_tool_use", REASON_RULE_MCP},
		{"mcp_tool_result", REASON_RULE_MCP},
		{"container_upload", REASON_RULE_MEDIA},
		{"compaction", REASON_RULE_STORED_STATE},
		{"fallback", REASON_RULE_STORED_STATE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct rule_variant *block =
			rule_variant_find(&anthropic_blocks, rows[i].type);

		assert_non_null(block);
		assert_int_equal(block->reason, rows[i].reason);
		assert_int_equal(block->server_tools, 0);
	}
	assert_null(rule_variant_find(&anthropic_blocks, "video"));
	assert_null(rule_variant_find(&anthropic_blocks, ""));
	assert_null(rule_variant_find(&anthropic_blocks, "text "));
}

static void test_tools(void **state)
{
	static const struct {
		const char *type;
		enum reason reason;
		uint32_t server_tools;
	} rows[] = {
		{"custom", REASON_OK, 0},
		{"bash_20250124", REASON_OK, 0},
		{"browser_toolset_20260801", REASON_OK, 0},
		{"web_search_20260318", REASON_RULE_SERVER_TOOL,
		 SERVER_TOOL_WEB_SEARCH},
		{"web_fetch_20260318", REASON_RULE_SERVER_TOOL, SERVER_TOOL_WEB_FETCH},
		{"code_execution_20260521", REASON_RULE_SERVER_TOOL,
		 SERVER_TOOL_CODE_EXECUTION},
		{"advisor_20260301", REASON_RULE_SERVER_TOOL, 0},
		{"tool_search_tool_bm25", REASON_RULE_SERVER_TOOL, 0},
		{"mcp_toolset", REASON_RULE_MCP, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct rule_variant *tool = rule_variant_find(&anthropic_tools, rows[i].type);

		assert_non_null(tool);
		assert_int_equal(tool->reason, rows[i].reason);
		assert_int_equal(tool->server_tools, rows[i].server_tools);
	}
	assert_null(rule_variant_find(&anthropic_tools, "web_search_20270101"));
	assert_null(rule_variant_find(&anthropic_tools, "web_search_"));
	assert_null(rule_variant_find(&anthropic_tools, ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_beta_names),
		cmocka_unit_test(test_beta_parse),
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_tools),
	};

	return cmocka_run_group_tests_name("rules-anthropic", tests, NULL, NULL);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_TESTS_JUDGE_ROWS_H
#define ANET_TESTS_JUDGE_ROWS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "core/endpoint.h"
#include "core/model-abilities.h"
#include "core/rules-anthropic.h"
#include "core/rules-openai.h"
#include "gateway/judge.h"

/*
 * A row: a request, and the body that must go out, or why nothing does.  In the
 * texts an apostrophe stands for a quotation mark.
 */
struct row {
	const char *name;
	const char *body;
	const char *want;   /* NULL: refused */
	const char *detail; /* when refused */
	enum reason reason;
};

/* Under which policy rows are judged. */
struct setting {
	const char *model; /* NULL: left to the agent */
	const char *host;  /* of the service; NULL: one of no name */
	uint32_t abilities; /* enum model_abilities of the model */
	const char *beta;
	enum endpoint endpoint;
	enum profile profile;
	uint32_t server_tools;
	uint32_t output_tokens;
};

/* A peer's turn whose model is the one that the rows ask for. */
#define PEER                                                                           \
	((struct setting){.model = "claude-opus-5-5",                                  \
			  .endpoint = ENDPOINT_MESSAGES,                               \
			  .profile = PROFILE_PEER,                                     \
			  .output_tokens = LIMIT_OUTPUT_TOKENS})

/* The same of OpenAI's APIs, at OpenAI's own service. */
#define OPENAI_PEER(endpoint_)                                                         \
	((struct setting){.model = "gpt-6-luna",                                       \
			  .host = OPENAI_HOST,                                         \
			  .endpoint = endpoint_,                                       \
			  .profile = PROFILE_PEER,                                     \
			  .output_tokens = LIMIT_OUTPUT_TOKENS})

static inline void rows_judge(const struct setting *setting, const char *body,
			      size_t length, struct judgement *ret)
{
	struct policy policy = {
		.wire = (uint16_t)endpoint_wire(setting->endpoint),
		.profile = (uint16_t)setting->profile,
		.server_tools = setting->server_tools,
		.model_abilities = setting->abilities,
		.limits.output_tokens = setting->output_tokens,
	};
	/* In blocks of their own, so that a sanitizer sees a read behind them. */
	uint8_t *copy = malloc(length + !length);
	size_t beta_length = setting->beta ? strlen(setting->beta) : 0;
	uint8_t *beta = setting->beta ? malloc(beta_length + 1) : NULL;

	assert_non_null(copy);
	memcpy(copy, body, length);
	if (beta)
		memcpy(beta, setting->beta, beta_length);
	if (setting->model)
		snprintf(policy.model, sizeof(policy.model), "%s", setting->model);
	if (setting->host)
		snprintf(policy.host, sizeof(policy.host), "%s", setting->host);
	judge_request(&policy, setting->endpoint, copy, length, beta, beta_length, ret);
	free(copy);
	free(beta);
}

static inline char *rows_quoted(const char *text)
{
	char *copy = strdup(text);

	assert_non_null(copy);
	for (char *at = copy; *at; at++)
		if (*at == '\'')
			*at = '"';
	return copy;
}

static inline void rows_check(const struct setting *setting, const struct row *row)
{
	char *body = rows_quoted(row->body);
	char *want = rows_quoted(row->want ? row->want : row->detail);
	struct judgement judgement;

	rows_judge(setting, body, strlen(body), &judgement);
	if (judgement.reason != row->reason)
		fail_msg("%s: %s (%s), not %s", row->name,
			 reason_code(judgement.reason), judgement.detail,
			 reason_code(row->reason));
	if (row->want) {
		if (judgement.length != strlen(want) ||
		    memcmp(judgement.text, want, strlen(want)) != 0)
			fail_msg("%s: %.*s\nnot %s", row->name, (int)judgement.length,
				 judgement.text, want);
		assert_string_equal(judgement.detail, "");
	} else {
		if (strcmp(judgement.detail, want) != 0)
			fail_msg("%s: %s\nnot %s", row->name, judgement.detail, want);
		assert_null(judgement.text);
		assert_int_equal(judgement.length, 0);
		assert_int_equal(judgement.flags, 0);
		assert_int_equal(judgement.beta, 0);
	}
	judgement_clear(&judgement);
	free(body);
	free(want);
}

#define rows_check_all(setting, rows)                                                  \
	do {                                                                           \
		for (size_t i = 0; i < sizeof(rows) / sizeof(*(rows)); i++)            \
			rows_check(setting, &(rows)[i]);                               \
	} while (0)

/* A request with something more. */
#define WITH(more) "{'model':'claude-opus-5-5','max_tokens':100,'messages':[]" more "}"
/* A request with these content blocks. */
#define SAYING(blocks)                                                                 \
	"{'model':'claude-opus-5-5','max_tokens':100,'messages':[{'role':'user',"      \
	"'content':[" blocks "]}]}"

#define SAME(name, body)                                                               \
	{                                                                              \
		name, body, body, NULL, REASON_OK                                      \
	}
#define BECOMES(name, body, want)                                                      \
	{                                                                              \
		name, body, want, NULL, REASON_OK                                      \
	}
#define REFUSED(name, body, reason, detail)                                            \
	{                                                                              \
		name, body, NULL, detail, REASON_##reason                              \
	}

#endif

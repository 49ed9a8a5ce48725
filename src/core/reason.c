/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/reason.h"

#include <string.h>

struct row {
	const char *code;
	const char *sentence;
	const char *remedy;
	uint16_t http_status;
	uint8_t exit_status;
	uint8_t severity;
};

static const struct row rows[REASON_COUNT] = {
#define R(symbol, code_, exit_, http_, severity_, sentence_, remedy_) \
	[REASON_##symbol] = {                                         \
		.code = code_,                                        \
		.sentence = sentence_,                                \
		.remedy = remedy_,                                    \
		.http_status = http_,                                 \
		.exit_status = exit_,                                 \
		.severity = SEVERITY_##severity_,                     \
	},
#include "reason.def"
#undef R
};

static const struct row *row_of(enum reason reason)
{
	/* A record from another process may hold any number. */
	if ((unsigned int)reason >= REASON_COUNT)
		return &rows[REASON_INTERNAL];
	return &rows[reason];
}

const char *reason_code(enum reason reason)
{
	return row_of(reason)->code;
}

bool reason_find(const char *code, enum reason *ret_reason)
{
	for (unsigned int i = 0; i < REASON_COUNT; i++) {
		if (strcmp(rows[i].code, code) == 0) {
			*ret_reason = (enum reason)i;
			return true;
		}
	}
	return false;
}

const char *reason_sentence(enum reason reason)
{
	return row_of(reason)->sentence;
}

const char *reason_remedy(enum reason reason)
{
	return row_of(reason)->remedy;
}

int reason_exit_status(enum reason reason)
{
	return row_of(reason)->exit_status;
}

int reason_http_status(enum reason reason)
{
	return row_of(reason)->http_status;
}

enum reason_severity reason_severity(enum reason reason)
{
	return (enum reason_severity)row_of(reason)->severity;
}

bool reason_is_refusal(enum reason reason)
{
	return reason_http_status(reason) != 0 || reason == REASON_TUNNEL_NOT_TLS ||
	       reason == REASON_TUNNEL_SNI || reason == REASON_TUNNEL_ECH ||
	       reason == REASON_TUNNEL_HELLO_TIMEOUT;
}

bool reason_is_upstream(enum reason reason)
{
	return reason == REASON_UPSTREAM_UNREACHABLE || reason == REASON_UPSTREAM_TLS ||
	       reason == REASON_UPSTREAM_PROTOCOL ||
	       reason == REASON_UPSTREAM_TIMEOUT ||
	       reason == REASON_UPSTREAM_REDIRECT ||
	       reason == REASON_UPSTREAM_CREDENTIAL ||
	       reason == REASON_UPSTREAM_KEY_ECHO;
}

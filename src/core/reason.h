/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_REASON_H
#define ANET_CORE_REASON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Why something was refused, ended or failed.  The list is reason.def; it is
 * append-only, the codes are stable (SPEC S10) and stand in records, JSON
 * output and documentation.
 */
enum reason {
#define R(symbol, code, exit_status, http_status, severity, sentence, remedy) \
	REASON_##symbol,
#include "reason.def"
#undef R
	REASON_COUNT
};

/* syslog(3) severities used by reason.def; core includes no system header. */
enum reason_severity {
	SEVERITY_ERROR = 3,
	SEVERITY_WARNING = 4,
	SEVERITY_NOTICE = 5,
	SEVERITY_INFO = 6,
};

/* MESSAGE_ID of a record for a reason, for printf() with its number in the list:
 * the catalog of the journal has an entry for each. */
#define REASON_MESSAGE_ID "01262e5f53674de58530cd6e9ecd%04x"
/* In its place for a connection that a helper has served to its end. */
#define REASON_MESSAGE_CONNECTION 0xffffu

/* All of these accept any value; one that is no reason reads as `internal`.
 * The strings are static. */

/* The stable code, e.g. "no_bwrap". */
const char *reason_code(enum reason reason);
/* The reason of a code; false if it is none. */
bool reason_find(const char *code, enum reason *ret_reason);
/* One sentence for people, without the object it is about. */
const char *reason_sentence(enum reason reason);
/* What to do; "" where there is nothing to do. */
const char *reason_remedy(enum reason reason);
/* Exit status of a program that ends for this reason (sysexits.h). */
int reason_exit_status(enum reason reason);
/* Status of an HTTP answer that refuses for this reason; 0: none is sent. */
int reason_http_status(enum reason reason);
enum reason_severity reason_severity(enum reason reason);
/* Whether the agent was told, with a status or with an alert of TLS, that it does not get
 * what it asked for. */
bool reason_is_refusal(enum reason reason);
/* What went wrong at the model service or on the way to it: anet-upstream reports it
 * by itself, once for each request. */
bool reason_is_upstream(enum reason reason);

#endif

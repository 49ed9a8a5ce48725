/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_GATEWAY_STATUS_H
#define ANET_GATEWAY_STATUS_H

/* A status that a refusal may have: its phrase (RFC 9110 15), and how Anthropic's API
 * names that kind of error. */
struct status {
	int status;
	const char *phrase;
	const char *anthropic;
};

/* OpenAI's names for errors only tell whose fault it is. */
const char *status_openai(int status);

/* NULL: no refusal has this status.  Each HTTP status of reason.def has a row. */
const struct status *status_find(int status);

#endif

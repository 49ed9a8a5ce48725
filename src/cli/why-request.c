/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/why.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/output.h"
#include "cli/why-trial.h"
#include "core/endpoint.h"
#include "core/http1-chunked.h"
#include "core/http1.h"
#include "core/rules-anthropic.h"
#include "core/run.h"
#include "os/cleanup.h"
#include "os/report.h"

/* More than the gateway takes, so that it is the one who refuses it. */
#define MAX_FILE (LIMIT_BODY_BYTES + LIMIT_HTTP_HEAD + 4096u)

struct bytes {
	uint8_t *data;
	size_t length;
};

static enum reason read_file(struct why *why, const char *name, struct bytes *ret)
{
	struct detail *detail = &why->run.detail;
	bool standard = strcmp(name, "-") == 0;
	auto_fd int fd = standard ? dup(STDIN_FILENO)
				  : open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	uint8_t *data = arena_get(&why->run.arena, MAX_FILE + 1);
	size_t length = 0;
	ssize_t got = 0;

	while (fd >= 0 && length <= MAX_FILE) {
		got = read(fd, data + length, MAX_FILE + 1 - length);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		length += (size_t)got;
	}
	if (fd < 0 || got < 0)
		return explain(detail, REASON_USAGE, "cannot read the request %s: %s",
			       SHOW(name), strerror(errno));
	if (length > MAX_FILE)
		return explain(detail, REASON_USAGE,
			       "the request %s has more than %u bytes", SHOW(name),
			       MAX_FILE);
	*ret = (struct bytes){data, length};
	return REASON_OK;
}

/* A request line names its protocol last; JSON has no such first line. */
static bool is_http(const struct bytes *file)
{
	const uint8_t *end = memchr(file->data, '\n', file->length);
	size_t length = end ? (size_t)(end - file->data) : 0;

	return length > 0 && file->data[0] != '{' &&
	       memmem(file->data, length, " HTTP/", 6);
}

/* A body alone goes to the endpoint of the runtime's own API. */
static struct bytes as_http(struct why *why, struct bytes file)
{
	char *head =
		arena_format(&why->run.arena,
			     "POST /v1/messages HTTP/1.1\r\nHost: " ENDPOINT_ADDRESS
			     "\r\nContent-Type: application/json\r\n"
			     "Content-Length: %zu\r\nConnection: close\r\n\r\n",
			     file.length);
	size_t length = strlen(head);
	struct bytes all = {arena_get(&why->run.arena, length + file.length),
			    length + file.length};

	memcpy(all.data, head, length);
	memcpy(all.data + length, file.data, file.length);
	return all;
}

/* The agent's own body behind a head that the gateway has accepted. */
static struct json_object *parse_body(struct why *why, const struct http1_head *head,
				      struct bytes request)
{
	struct bytes body = {arena_get(&why->run.arena, request.length + 1), 0};
	struct json_tokener *tokener = json_tokener_new_ex(LIMIT_JSON_DEPTH + 1);
	struct json_object *json = NULL;
	size_t at = head->scanned;
	struct http1_chunked chunked;

	http1_chunked_init(&chunked);
	while (at < request.length && !chunked.done) {
		size_t used = request.length - at, length = used;
		const uint8_t *data = request.data + at;

		if (!head->chunked && head->content_length < length)
			length = (size_t)head->content_length;
		if (head->chunked &&
		    http1_chunked_feed(&chunked, request.data + at, used, &used, &data,
				       &length) != REASON_OK)
			break;
		if (length)
			memcpy(body.data + body.length, data, length);
		body.length += length;
		at += used;
	}
	if (tokener)
		json = json_tokener_parse_ex(tokener, (char *)body.data,
					     (int)body.length);
	json_tokener_free(tokener);
	return json;
}

/* Every flag of the request's anthropic-beta fields that does not go out. */
static char *dropped_betas(struct why *why, const struct http1_head *head,
			   const uint8_t *request, uint32_t goes)
{
	struct list dropped = {0};

	for (size_t i = 0; i < head->n_fields; i++) {
		struct http1_slice value = head->fields[i].value;
		char *rest, *flag;

		i = http1_head_find(head, request, "anthropic-beta", i);
		if (i == head->n_fields)
			break;
		value = head->fields[i].value;
		rest = arena_copy_bytes(&why->run.arena,
					(const char *)request + value.offset,
					value.length);
		while ((flag = strsep(&rest, ", \t")))
			if (*flag &&
			    !(anthropic_beta_parse((uint8_t *)flag, strlen(flag)) &
			      goes))
				list_add(&why->run.arena, &dropped,
					 escaped(&why->run.arena, flag));
	}
	return dropped.n ? list_join(&why->run.arena, dropped.items, ", ") : NULL;
}

static char *beta_names(struct why *why, uint32_t bits)
{
	struct list names = {0};

	for (unsigned int bit = 0; bit < BETA_COUNT; bit++)
		if (bits & BETA_BIT(bit))
			list_add(&why->run.arena, &names,
				 arena_copy(&why->run.arena, anthropic_beta_name(bit)));
	return names.n ? list_join(&why->run.arena, names.items, ", ") : NULL;
}

static const char *member_text(struct why *why, struct json_object *object,
			       const char *key)
{
	struct json_object *value = json_object_object_get(object, key);

	return value ? escaped(&why->run.arena, json_object_get_string(value)) : NULL;
}

static void describe_forwarded(struct why *why, struct bytes request,
			       const struct trial *trial)
{
	struct json_object *goes = json_tokener_parse(trial->body), *sent;
	const struct policy *policy = &why->run.policy;
	struct arena *arena = &why->run.arena;
	struct http1_head head;

	http1_head_init(&head);
	(void)http1_head_parse(&head, request.data, request.length);
	sent = parse_body(why, &head, request);
	why->verdict = "forwarded";
	why->allowed = true;
	why_add(why, "endpoint",
		arena_format(arena, "POST %s",
			     endpoint_path((enum endpoint)trial->record.endpoint)));
	why_add(why, "service",
		arena_format(arena, "%s://%s%s",
			     policy->flags & POLICY_PLAIN_HTTP ? "http" : "https",
			     policy->host, policy->base_path));
	why_add(why, "model", member_text(why, goes, "model"));
	why_add(why, "model_from",
		!*policy->model ? "the agent: none is pinned"
		: why->run.agent.model
			? why_origin(why, "model")
			: "the cheapest of this service: none is configured");
	why_add(why, "output_tokens", member_text(why, goes, "max_tokens"));
	why_add(why, "output_tokens_from", why_origin(why, "limits.output_tokens"));
	why_add(why, "betas", beta_names(why, trial->record.beta));
	why_add(why, "betas_dropped",
		head.done ? dropped_betas(why, &head, request.data, trial->record.beta)
			  : NULL);
	why_add(why, "rule",
		"the gateway forwards what it has written anew (anet-gateway(8))");
	why_compare(why, sent, goes);
	json_object_put(goes);
	json_object_put(sent);
}

static void describe(struct why *why, struct bytes request, const struct trial *trial)
{
	struct arena *arena = &why->run.arena;

	switch (trial->end) {
	case TRIAL_FORWARDED:
		describe_forwarded(why, request, trial);
		return;
	case TRIAL_ANSWERED:
		why->verdict = "answered";
		why->allowed = true;
		why_add(why, "rule",
			"the gateway answers this by itself, nothing goes out");
		break;
	case TRIAL_INCOMPLETE:
		why->verdict = "incomplete";
		why_add(why, "code", reason_code(REASON_HTTP_TIMEOUT));
		why_add(why, "rule",
			"the gateway waits for the rest of the request, and "
			"refuses it when that does not come in time");
		return;
	case TRIAL_REFUSED:
		why->verdict = "refused";
		why_add(why, "code", reason_code(trial->reason));
		why_add(why, "rule", reason_sentence(trial->reason));
		why_add(why, "detail",
			*trial->text ? escaped(arena, trial->text) : NULL);
		why_add(why, "remedy",
			*reason_remedy(trial->reason) ? reason_remedy(trial->reason)
						      : NULL);
		break;
	}
	why_add(why, "http_status", arena_format(arena, "%d", trial->http_status));
}

enum reason why_request(struct why *why, const char *name)
{
	struct policy policy = why->run.policy;
	struct bytes file = {0}, request;
	struct trial trial;
	enum reason reason = read_file(why, name, &file);

	why->kind = "request";
	why->subject = strcmp(name, "-") == 0 ? "standard input" : name;
	if (reason != REASON_OK)
		return reason;
	if (policy.wire == WIRE_NONE) {
		why->verdict = "refused";
		why_add(why, "rule",
			"this agent has no model service: nothing listens at "
			"the endpoint");
		return REASON_OK;
	}
	/* Of a gateway whose supervisor is this process. */
	policy.flags &= ~(uint32_t)(POLICY_SEPARATE_UIDS | POLICY_UNIT);
	policy.supervisor_uid = policy.run_uid = geteuid();
	request = is_http(&file) ? file : as_http(why, file);
	reason = trial_run(&policy, request.data, request.length, &trial,
			   &why->run.detail);
	if (reason != REASON_OK)
		return reason;
	describe(why, request, &trial);
	free(trial.body);
	return REASON_OK;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet-gateway: reads what an agent sends to its model service, judges it, and
 * lets anet-upstream send what is allowed.
 *
 * Trusts: the supervisor that hands over (its uid is checked), the policy.
 * Does not trust: every byte of the agent's connection; of the upstream, only
 * that it says truly what it has sent.
 *
 *   fd 3    the supervisor: hand-over, lifetime, reports (core/handover.h)
 *   pair    the upstream of this connection (core/upstream-record.h)
 *   conn    the agent's connection
 *   key     of the endpoint, where the session has no boundary; read at the start
 *
 * A process of its own because it parses hostile HTTP and JSON: it holds no
 * key, has no network and no file, and cannot change the session's counters.
 * Whoever takes it over can send what the upstream accepts, which is what the
 * agent may cost at most, and not what the agent may say.
 */
#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gateway/gateway-seccomp.h"
#include "gateway/gateway.h"
#include "os/cleanup.h"
#include "os/handover.h"
#include "os/ledger.h"
#include "os/report.h"
#include "os/sandbox.h"

/* A body and what goes out of 8 MiB each, and between them the 200 000 values
 * of a JSON text; the program and its libraries take some 10 MiB. */
#define MAX_MEMORY (256u * 1024 * 1024)
/* What malloc() keeps when it is freed, and takes from the heap in the first
 * place: all of it.  The pages of a body are touched again by the next one, and
 * to fetch them anew costs more than to read it; memory goes back in a pause
 * (gateway-io.c). */
#define KEPT_BYTES (32 * 1024 * 1024)

static uint8_t buffer[LIMIT_HTTP_HEAD];

/* Tells the supervisor how it ended, last of all. */
static int finish(struct gateway *g, enum reason reason, const char *detail)
{
	report_send(&g->report, REPORT_OUTCOME, reason, "%s", detail);
	return reason_exit_status(reason);
}

static enum reason reason_of_error(int error)
{
	if (error == -ENOTCONN || error == -ECONNRESET)
		return REASON_SUPERVISOR_GONE;
	return error == -EBADMSG ? REASON_HANDOVER_INVALID : REASON_SYSTEM;
}

enum { FD_POLICY, FD_LEDGER, FD_PAIR, PREPARE_FDS, FD_KEY = PREPARE_FDS };

/* Only a session without a boundary has one, and such a session must. */
static bool take_key(struct gateway *g, const struct policy *policy, int fd)
{
	if (policy->strategy != STRATEGY_HOST)
		return fd < 0;
	return fd >= 0 && pread(fd, g->key, sizeof(g->key), 0) == ENDPOINT_KEY_BYTES;
}

static enum reason prepare(struct gateway *g, struct policy *policy,
			   const char **ret_detail)
{
	int fds[HANDOVER_MAX_FDS] = {-1, -1, -1, -1};
	struct ledger *ledger;
	size_t n_fds;
	uid_t peer;
	int r = handover_receive(HANDOVER_GATEWAY, HANDOVER_PREPARE, fds, PREPARE_FDS,
				 1, &n_fds, NULL);
	auto_fd int policy_fd = fds[FD_POLICY];
	auto_fd int ledger_fd = fds[FD_LEDGER];
	auto_fd int key_fd = fds[FD_KEY];

	g->pair = fds[FD_PAIR];
	if (r < 0) {
		*ret_detail = "the preparation";
		return reason_of_error(r);
	}
	r = policy_read(policy_fd, policy);
	if (r == -ENOTCONN)
		return REASON_SUPERVISOR_GONE;
	if (r == -EPERM) {
		*ret_detail = "anet-gateway was handed a policy that root has not made";
		return REASON_PEER_REFUSED;
	}
	if (r < 0 ||
	    (policy->wire != WIRE_ANTHROPIC && policy->wire != WIRE_OPENAI)) {
		*ret_detail = "anet-gateway does not understand it";
		return REASON_POLICY_INVALID;
	}
	r = handover_peer_uid(HANDOVER_FD, &peer);
	if (r < 0 || peer != policy->supervisor_uid) {
		*ret_detail = "whoever asked anet-gateway for service is not the "
			      "supervisor that the policy names";
		return REASON_PEER_REFUSED;
	}
	/* That it cannot be written here is part of what its readers rely on. */
	r = ledger_map(ledger_fd, false, &ledger);
	if (r < 0) {
		*ret_detail = "the ledger, which must be one and only be readable";
		return reason_of_error(r);
	}
	g->ledger = ledger;
	if (!take_key(g, policy, key_fd)) {
		*ret_detail = "the endpoint's key is not as its strategy wants it";
		return REASON_HANDOVER_INVALID;
	}
	return REASON_OK;
}

static int enter_sandbox(void)
{
	const struct sandbox sandbox = {
		.filter = gateway_seccomp,
		.filter_length = sizeof(gateway_seccomp) / sizeof(gateway_seccomp[0]),
		.max_fds = 0, /* it sends bodies: see os/sandbox.h */
		.max_memory = MAX_MEMORY,
		.max_file_bytes = LIMIT_BODY_BYTES,
	};

	(void)mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
	(void)mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
	return sandbox_enter(&sandbox);
}

/* Waits, for as long as it takes, for the agent's connection. */
static enum reason wait_for_connection(struct gateway *g, const char **ret_detail)
{
	struct pollfd set[] = {
		{.fd = HANDOVER_FD, .events = POLLIN},
		{.fd = g->pair, .events = POLLIN},
	};
	size_t n_fds;
	int r;

	while (poll(set, 2, -1) < 0)
		if (errno != EINTR)
			return REASON_SYSTEM;
	if (!set[0].revents) {
		*ret_detail = "anet-upstream ended before there was a connection";
		return REASON_HELPER_DIED;
	}
	r = handover_receive(HANDOVER_GATEWAY, HANDOVER_CONNECTION, &g->conn, 1, 0,
			     &n_fds, &g->report.connection);
	if (r < 0) {
		*ret_detail = "the connection";
		return reason_of_error(r);
	}
	return REASON_OK;
}

int main(void)
{
	struct policy policy;
	struct gateway g = {
		.policy = &policy,
		.conn = -1,
		.pair = -1,
		.buffer = buffer,
		.report = {.kind = HANDOVER_GATEWAY},
	};
	char counted[64] = "";
	const char *detail = "";
	enum reason reason;
	uint64_t start;
	int r;

	report_set_program("anet-gateway");
	r = helper_begin();
	if (r < 0)
		return refuse(
			REASON_HANDOVER_INVALID,
			"anet-gateway is started by anet itself, with a socket on "
			"descriptor 3: %s",
			strerror(-r));
	reason = prepare(&g, &policy, &detail);
	/* There is no supervisor who would write it down. */
	if (reason == REASON_PEER_REFUSED)
		(void)refuse(reason, "%s", detail);
	if (reason != REASON_OK)
		return finish(&g, reason, detail);
	r = enter_sandbox();
	if (r < 0)
		return finish(&g, REASON_SYSTEM,
			      "anet-gateway cannot enter its sandbox");
	reason = wait_for_connection(&g, &detail);
	if (reason != REASON_OK)
		return finish(&g, reason, detail);
	start = now_usec();
	reason = gateway_serve(&g);
	g.report.usec = now_usec() - start;
	if (reason == REASON_HELPER_DIED)
		snprintf(counted, sizeof(counted), "anet-upstream ended first");
	else if (g.refused > 0)
		snprintf(counted, sizeof(counted), "requests refused: %llu",
			 (unsigned long long)g.refused);
	return finish(&g, reason, counted);
}

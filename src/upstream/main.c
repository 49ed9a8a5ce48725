/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet-upstream: carries the model requests of one agent connection to the
 * model service, with the operator's key, and the answers back.
 *
 * Trusts: the policy (who made it is who may use the key), the supervisor that
 * the policy names.  Does not trust: the gateway, which parses hostile bytes
 * (its record is checked, nothing of it but numbers reaches the service's
 * head, and the body is read as a file); the service's answers, which are
 * parsed strictly and within bounds; the agent, of which it reads nothing.
 *
 * Descriptors: 3 the supervisor's socket; by PREPARE the policy, the ledger
 * (its page is written), the pair with the gateway, and the key if the policy
 * says so; by CONNECTION the agent's connection, written only.  It opens one
 * connection to the service at a time, and CA certificates.
 *
 * A process of its own because it is the only one with the key: what parses an
 * agent's bytes must not be able to read it, and what can read it must be
 * small.  One per agent connection: a connection's troubles stay its own.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/handover.h"
#include "os/ledger.h"
#include "os/report.h"
#include "os/sandbox.h"
#include "upstream/serve.h"
#include "upstream/upstream-seccomp.h"

static struct upstream {
	struct policy policy;
	struct ledger *ledger;
	struct secret *secret;
	struct addresses addresses;
	struct server server;
} self;

/* Descriptors of PREPARE, in their order (core/handover.h). */
enum prepare_fd { FD_POLICY, FD_LEDGER, FD_PAIR, FD_CREDENTIAL, FD_COUNT };

static enum reason map_ledger(int fd, struct failure *failure)
{
	int r = ledger_map(fd, true, &self.ledger);

	if (r == -EBADMSG)
		return failure_set(
			failure, REASON_HANDOVER_INVALID,
			"the ledger has not the size, the seals, the magic or "
			"the version of one");
	if (r < 0)
		return failure_set(failure, REASON_SYSTEM, "the ledger: %s",
				   strerror(-r));
	return REASON_OK;
}

/* What is put into a request head must not be able to end a line. */
static bool is_visible(const char *text)
{
	for (; *text; text++)
		if (*text <= ' ' || *text > '~')
			return false;
	return true;
}

static enum reason check_policy(int fd, struct failure *failure)
{
	struct policy *policy = &self.policy;
	uid_t uid;
	int r = policy_read(fd, policy);

	if (r == -ENOTCONN)
		return REASON_SUPERVISOR_GONE;
	if (r == -EPERM)
		return failure_set(
			failure, REASON_PEER_REFUSED,
			"anet-upstream was handed a policy that root has not made");
	if (r < 0)
		return failure_set(failure, REASON_POLICY_INVALID, "the policy: %s",
				   strerror(-r));
	r = handover_peer_uid(HANDOVER_FD, &uid);
	if (r < 0)
		return failure_set(failure, REASON_SYSTEM, "SO_PEERCRED: %s",
				   strerror(-r));
	if (uid != policy->supervisor_uid)
		return failure_set(
			failure, REASON_PEER_REFUSED,
			"uid %u, which asked anet-upstream for service, is not "
			"%u, the supervisor of session '%s'",
			uid, policy->supervisor_uid, policy->session);
	if ((policy->wire != WIRE_ANTHROPIC && policy->wire != WIRE_OPENAI) ||
	    policy->port == 0 || !policy->host[0] || !is_visible(policy->host) ||
	    !is_visible(policy->base_path) ||
	    (policy->profile != PROFILE_OWN && policy->profile != PROFILE_PEER))
		return failure_set(failure, REASON_POLICY_INVALID,
				   "the policy names no model service to carry to");
	return REASON_OK;
}

/* SPEC S6: plain HTTP only to this machine itself. */
static void check_plain(void)
{
	struct addresses *addresses = &self.addresses;

	for (size_t i = 0; i < addresses->count; i++) {
		char text[ADDRESS_TEXT];

		if (address_is_loopback(&addresses->list[i]))
			continue;
		address_format(&addresses->list[i], text, sizeof(text));
		failure_set(&addresses->failure, REASON_UPSTREAM_UNREACHABLE,
			    "'%s' is %s: without TLS only a loopback address is served",
			    self.policy.host, text);
		addresses->count = 0;
	}
}

static enum reason read_key(int fd, const char *directory, struct failure *failure)
{
	const char *name = self.policy.credential;
	int r = secret_create(&self.secret);

	if (r < 0)
		return failure_set(failure, REASON_SYSTEM, "memory for the key: %s",
				   strerror(-r));
	if (self.policy.flags & POLICY_CREDENTIAL_FD)
		return secret_read(self.secret, fd, name[0] ? name : "descriptor",
				   failure);
	return secret_read_credential(self.secret, directory, name, failure);
}

/* Step 2 of the house's order; everything that opens files but CA files. */
static enum reason prepare(int *ret_pair, struct failure *failure)
{
	const char *directory = secure_getenv("CREDENTIALS_DIRECTORY");
	int fds[FD_COUNT] = {-1, -1, -1, -1};
	struct resolver resolver = {.fd = -1};
	bool plain;
	size_t n_fds = 0;
	enum reason reason;
	SSL_CTX *tls = NULL;
	int r;

	r = handover_receive(HANDOVER_UPSTREAM, HANDOVER_PREPARE, fds, FD_CREDENTIAL, 1,
			     &n_fds, NULL);
	if (r == -ENOTCONN)
		return REASON_SUPERVISOR_GONE;
	if (r < 0)
		return failure_set(failure, REASON_HANDOVER_INVALID, "PREPARE: %s",
				   strerror(-r));
	reason = check_policy(fds[FD_POLICY], failure);
	if (reason == REASON_OK &&
	    (n_fds == FD_COUNT) != !!(self.policy.flags & POLICY_CREDENTIAL_FD))
		reason = failure_set(failure, REASON_HANDOVER_INVALID,
				     "PREPARE: %zu descriptors", n_fds);
	if (reason == REASON_OK)
		reason = map_ledger(fds[FD_LEDGER], failure);
	if (reason != REASON_OK)
		return reason;
	/* Neither the resolver's settings nor OpenSSL's come from whoever
	 * started this; the string of `directory` stays. */
	(void)clearenv();
	r = resolve_begin(self.policy.host, self.policy.port, &resolver);
	if (r < 0)
		return failure_set(failure, REASON_SYSTEM, "fork: %s", strerror(-r));
	reason = read_key(fds[FD_CREDENTIAL], directory, failure);
	plain = self.policy.flags & POLICY_PLAIN_HTTP;
	if (reason == REASON_OK && !plain && !(tls = tls_prepare(ANET_CA_DIR)))
		reason = failure_set(failure, REASON_UPSTREAM_TLS,
				     "OpenSSL cannot begin");
	if (reason == REASON_OK)
		reason = resolve_finish(&resolver, self.policy.host, &self.addresses);
	if (reason != REASON_OK)
		return reason;
	if (plain)
		check_plain();
	close(fds[FD_POLICY]);
	close(fds[FD_LEDGER]);
	close_fd(&fds[FD_CREDENTIAL]);
	service_init(&self.server.exchange.service, &self.policy, &self.addresses, tls);
	*ret_pair = fds[FD_PAIR];
	return REASON_OK;
}

static enum reason enter_sandbox(struct failure *failure)
{
	const struct sandbox sandbox = {
		.filter = upstream_seccomp,
		.filter_length = sizeof(upstream_seccomp) / sizeof(upstream_seccomp[0]),
		/* 0 to 3, pair, conn, body, service, a CA file; the rest is air */
		.max_fds = 16,
		/* What OpenSSL and libc map, and 16 MiB of heap. */
		.max_memory = 64 * 1024 * 1024,
		/* The links of ANET_CA_DIR lead to the other ones: Debian's
		 * ca-certificates and its local part; Arch's update-ca-trust. */
		.read_only_directories =
			{
				ANET_CA_DIR,
				"/usr/share/ca-certificates",
				"/usr/local/share/ca-certificates",
				"/etc/ca-certificates/extracted",
			},
	};
	int r = sandbox_enter(&sandbox);

	if (r < 0)
		return failure_set(failure, REASON_SYSTEM,
				   "the sandbox of anet-upstream: %s", strerror(-r));
	return REASON_OK;
}

static enum reason run(struct failure *failure)
{
	struct server *server = &self.server;
	struct exchange *exchange = &server->exchange;
	enum reason reason;
	size_t n_fds = 0;
	int conn = -1, pair = -1, r;

	reason = prepare(&pair, failure);
	if (reason == REASON_OK)
		reason = enter_sandbox(failure);
	if (reason != REASON_OK)
		return reason;
	r = handover_receive(HANDOVER_UPSTREAM, HANDOVER_CONNECTION, &conn, 1, 0,
			     &n_fds, &server->report.connection);
	if (r == -ENOTCONN)
		return REASON_SUPERVISOR_GONE;
	if (r < 0)
		return failure_set(failure, REASON_HANDOVER_INVALID, "CONNECTION: %s",
				   strerror(-r));
	server->policy = &self.policy;
	server->ledger = self.ledger;
	server->begin = watch_now();
	exchange->watch = (struct watch){.conn = conn, .pair = pair};
	exchange->request.policy = &self.policy;
	exchange->request.secret = self.secret;
	relay_init(&exchange->relay, conn, &self.policy, self.ledger, self.secret->key,
		   self.secret->key_length);
	return serve(server, failure);
}

int main(void)
{
	struct report *report = &self.server.report;
	struct failure failure = {""};
	enum reason reason;
	int r;

	report_set_program("anet-upstream");
	r = helper_begin();
	if (r < 0)
		return refuse(
			REASON_HANDOVER_INVALID,
			"anet-upstream is started by anet itself, with a socket on "
			"descriptor 3: %s",
			strerror(-r));
	reason = run(&failure);
	if (self.secret)
		secret_wipe(self.secret);
	/* There is no supervisor who would write it down. */
	if (reason == REASON_PEER_REFUSED)
		(void)refuse(reason, "%s", failure.detail);
	report->kind = HANDOVER_UPSTREAM;
	if (self.server.begin)
		report->usec = (uint64_t)(watch_now() - self.server.begin) * 1000;
	report_send(report, REPORT_OUTCOME, reason, "%s", failure.detail);
	return reason_exit_status(reason);
}

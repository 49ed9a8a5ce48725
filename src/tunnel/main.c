/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet-tunnel: one connection of an agent to one host that its session may reach.
 *
 * Trusts: the supervisor that hands over (its uid is checked), the policy.  Does not
 * trust: every byte of the agent's connection; the host; name servers.
 *
 *   fd 3     the supervisor: hand-over, lifetime, reports (core/handover.h)
 *   ledger   the tunnels' page of it is written
 *   dialer   the second process, which looks up and connects (dialer.c)
 *   conn     the agent's connection
 *   server   the host's, from the dialer
 *
 * A process of its own because it reads what the agent says, to a proxy and in TLS, and
 * has the network behind it: the part that reads cannot make a socket, the part that
 * can make one reads nothing, and neither has a key or a file of the operator's.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/clock.h"
#include "os/handover.h"
#include "os/ledger.h"
#include "os/report.h"
#include "os/sandbox.h"
#include "tunnel/allowed.h"
#include "tunnel/dialer.h"
#include "tunnel/relay.h"
#include "tunnel/tunnel-seccomp.h"

/* The program and its libraries; nothing is allocated later. */
#define MAX_MEMORY (32u * 1024 * 1024)
/* 0 to 3, dialer, two pipes, conn, server; the rest is air. */
#define MAX_FDS 16

static struct policy policy;
static struct tunnel self = {
	.policy = &policy,
	.conn = -1,
	.server = -1,
	.dialer = -1,
	.report = {.kind = HANDOVER_TUNNEL},
};

enum { FD_POLICY, FD_LEDGER, PREPARE_FDS };

static enum reason check_policy(int fd)
{
	int r = policy_read(fd, &policy);
	uid_t peer;

	if (r == -ENOTCONN)
		return REASON_SUPERVISOR_GONE;
	if (r == -EPERM)
		return failure_set(
			&self.failure, REASON_PEER_REFUSED,
			"anet-tunnel was handed a policy that root has not made");
	if (r < 0)
		return failure_set(&self.failure, REASON_POLICY_INVALID,
				   "the policy: %s", strerror(-r));
	r = handover_peer_uid(HANDOVER_FD, &peer);
	if (r < 0)
		return failure_set(&self.failure, REASON_SYSTEM, "SO_PEERCRED: %s",
				   strerror(-r));
	if (peer != policy.supervisor_uid)
		return failure_set(
			&self.failure, REASON_PEER_REFUSED,
			"uid %u, which asked anet-tunnel for service, is not %u, "
			"the supervisor of session '%s'",
			peer, policy.supervisor_uid, policy.session);
	if (policy.egress == EGRESS_NONE)
		return failure_set(&self.failure, REASON_POLICY_INVALID,
				   "the policy allows no host to tunnel to");
	return REASON_OK;
}

static enum reason make_pipe(int ends[2])
{
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return failure_set(&self.failure, REASON_SYSTEM, "a pipe: %s",
				   strerror(errno));
	/* An account may have so many of them that it gets no larger ones (pipe(7)):
	 * then it only takes more calls. */
	(void)fcntl(ends[0], F_SETPIPE_SZ, RELAY_PIPE_BYTES);
	return REASON_OK;
}

/* Step 2 of the house's order. */
static enum reason prepare(void)
{
	int fds[HANDOVER_MAX_FDS] = {-1, -1};
	enum reason reason;
	size_t n_fds;
	int r = handover_receive(HANDOVER_TUNNEL, HANDOVER_PREPARE, fds, PREPARE_FDS, 0,
				 &n_fds, NULL);
	auto_fd int policy_fd = fds[FD_POLICY];
	auto_fd int ledger_fd = fds[FD_LEDGER];

	if (r == -ENOTCONN)
		return REASON_SUPERVISOR_GONE;
	if (r < 0)
		return failure_set(&self.failure, REASON_HANDOVER_INVALID,
				   "PREPARE: %s", strerror(-r));
	reason = check_policy(policy_fd);
	if (reason != REASON_OK)
		return reason;
	/* The resolver's settings do not come from whoever started this. */
	(void)clearenv();
	/* Nobody waits for the dialer's end. */
	(void)signal(SIGCHLD, SIG_IGN);
	/* Before anything is there that it would inherit. */
	r = dialer_start(&policy, &self.dialer);
	if (r < 0)
		return failure_set(&self.failure, REASON_SYSTEM, "fork: %s",
				   strerror(-r));
	r = ledger_map(ledger_fd, true, &self.ledger);
	if (r == -EBADMSG)
		return failure_set(
			&self.failure, REASON_HANDOVER_INVALID,
			"the ledger has not the size, the seals, the magic or "
			"the version of one");
	if (r < 0)
		return failure_set(&self.failure, REASON_SYSTEM, "the ledger: %s",
				   strerror(-r));
	reason = make_pipe(self.sent);
	return reason == REASON_OK ? make_pipe(self.received) : reason;
}

static enum reason enter_sandbox(void)
{
	const struct sandbox sandbox = {
		.filter = tunnel_seccomp,
		.filter_length = sizeof(tunnel_seccomp) / sizeof(tunnel_seccomp[0]),
		.max_fds = MAX_FDS,
		.max_memory = MAX_MEMORY,
		.ends_child = true, /* the dialer, in the middle of a look-up */
	};
	int r = sandbox_enter(&sandbox);

	if (r < 0)
		return failure_set(&self.failure, REASON_SYSTEM,
				   "the sandbox of anet-tunnel: %s", strerror(-r));
	return REASON_OK;
}

static enum reason take_connection(void)
{
	/* Built in: nothing is lost on the way to the agent, and a control that paces
	 * what it sends (BBR) would only cost time there. */
	static const char control[] = "reno";
	int on = 1, r;
	size_t n_fds;

	r = handover_receive(HANDOVER_TUNNEL, HANDOVER_CONNECTION, &self.conn, 1, 0,
			     &n_fds, &self.report.connection);
	if (r == -ENOTCONN)
		return REASON_SUPERVISOR_GONE;
	/* splice(2) asks the file whether it blocks. */
	if (r == 0 && fcntl(self.conn, F_SETFL, O_RDWR | O_NONBLOCK) < 0)
		r = -errno;
	if (r < 0)
		return failure_set(&self.failure, REASON_HANDOVER_INVALID,
				   "CONNECTION: %s", strerror(-r));
	/* What is passed on has been put together by its sender already. */
	(void)setsockopt(self.conn, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	(void)setsockopt(self.conn, IPPROTO_TCP, TCP_CONGESTION, control,
			 sizeof(control) - 1);
	return REASON_OK;
}

/* Reads the request and judges it: REASON_OK, or why not. */
static enum reason read_request(void)
{
	uint64_t deadline = monotonic_ms() + LIMIT_TUNNEL_HEAD_SECONDS * UINT64_C(1000);
	const struct policy_limits *limits = &policy.limits;
	struct connect_request *request = &self.request;
	const struct ledger_tunnel *used = &self.ledger->tunnel;
	enum reason reason = REASON_OK;

	connect_request_init(request);
	while (reason == REASON_OK && !request->done) {
		reason = client_read(&self, LIMIT_CONNECT_HEAD, deadline);
		if (reason == REASON_OK)
			reason = connect_request_parse(request, self.buffer,
						       self.length);
	}
	if (reason != REASON_OK)
		return reason;
	if (!host_is_allowed(&policy, request->host, &request->detail))
		return REASON_TUNNEL_HOST;
	if (limits->tunnel_sent_bytes &&
	    atomic_load(&used->sent) >= limits->tunnel_sent_bytes)
		return REASON_LIMIT_TUNNEL_SENT;
	if (limits->tunnel_received_bytes &&
	    atomic_load(&used->received) >= limits->tunnel_received_bytes)
		return REASON_LIMIT_TUNNEL_RECEIVED;
	return REASON_OK;
}

/* The answer that opens the tunnel, and the hello that names its host. */
static enum reason read_hello(void)
{
	static const char opened[] = "HTTP/1.1 200 Connection established\r\n\r\n";
	enum reason reason = client_send(&self, opened, sizeof(opened) - 1);
	uint64_t deadline =
		monotonic_ms() + LIMIT_TUNNEL_HELLO_SECONDS * UINT64_C(1000);
	size_t looked_at = 0;

	/* Some clients do not wait for the answer. */
	self.length -= self.request.length;
	memmove(self.buffer, self.buffer + self.request.length, self.length);
	tls_hello_init(&self.hello);
	while (reason == REASON_OK) {
		reason = tls_hello_add(&self.hello, self.buffer + looked_at,
				       self.length - looked_at, self.request.host);
		looked_at = self.length;
		if (reason != REASON_OK || self.hello.done)
			break;
		reason = client_read(&self, sizeof(self.buffer), deadline);
		if (reason == REASON_HTTP_TIMEOUT)
			reason = REASON_TUNNEL_HELLO_TIMEOUT;
	}
	return reason;
}

/* The reason is that of the outcome; what was refused is told by an event of its own.
 */
static enum reason serve(void)
{
	enum reason reason = read_request();

	if (reason == REASON_OK)
		reason = dial(&self);
	if (reason != REASON_OK && reason_http_status(reason) == 0)
		return reason;
	if (reason != REASON_OK) {
		client_refuse(&self, reason);
		return REASON_OK;
	}
	reason = read_hello();
	if (reason == REASON_OK) {
		self.opened = true;
		reason = relay(&self);
	}
	if (reason_severity(reason) == SEVERITY_INFO || reason == REASON_SYSTEM)
		return reason;
	if (reason == REASON_LIMIT_TUNNEL_SENT ||
	    reason == REASON_LIMIT_TUNNEL_RECEIVED)
		tell_supervisor(&self, reason, "");
	else
		client_alert(&self, reason);
	return REASON_OK;
}

static enum reason run(uint64_t *ret_begin)
{
	enum reason reason = prepare();

	if (reason == REASON_OK)
		reason = enter_sandbox();
	if (reason == REASON_OK)
		reason = take_connection();
	if (reason != REASON_OK)
		return reason;
	*ret_begin = monotonic_ms();
	return serve();
}

int main(void)
{
	uint64_t begin = 0;
	enum reason reason;
	int r;

	report_set_program("anet-tunnel");
	r = helper_begin();
	if (r < 0)
		return refuse(REASON_HANDOVER_INVALID,
			      "anet-tunnel is started by anet itself, with a socket on "
			      "descriptor 3: %s",
			      strerror(-r));
	reason = run(&begin);
	/* There is no supervisor who would write it down. */
	if (reason == REASON_PEER_REFUSED)
		(void)refuse(reason, "%s", self.failure.detail);
	if (begin)
		self.report.usec = (monotonic_ms() - begin) * 1000;
	report_send(&self.report, REPORT_OUTCOME, reason, "%s",
		    self.opened ? self.request.host : self.failure.detail);
	return reason_exit_status(reason);
}

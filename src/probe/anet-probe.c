/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet-probe: asserts from inside that a sandbox is what it should be.
 *
 *   anet-probe PORT ABSTRACT_NAME_HEX
 *
 * Job: runs in a run's place, started by anet-init as any command would be,
 * with the same mounts, namespaces and filter, and tries what must not work.
 * PORT is open on the host's 127.0.0.1, and a socket listens in the host's
 * abstract namespace under the name given in hexadecimal, while it runs.
 *
 * Prints a line for each assertion, always for all of them and in this order:
 *   NAME ok
 *   NAME failed DETAIL
 * Exit status 0 if it ran to its end, whatever it found.
 *
 * It trusts nothing and reads nothing of others; its descriptors are 0 to 2.  A
 * process of its own because only what was started in a sandbox can tell.
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/process.h"
#include "probe/probe.h"

/* A connection inside of one machine is made or refused at once. */
#define CHECK_SECONDS 5

static const struct {
	const char *name;
	probe_check *check;
} checks[] = {
	/* The network: one that fails means netns_failed. */
	{ "loopback", probe_loopback },
	{ "host_tcp", probe_host_tcp },
	{ "host_abstract", probe_host_abstract },
	{ "vsock", probe_vsock },
	/* The others: seccomp_failed. */
	{ "keyring", probe_keyring },
	{ "userns", probe_userns },
	{ "io_uring", probe_io_uring },
	{ "ptrace", probe_ptrace },
	{ "mount", probe_mount },
	{ "setid", probe_setid },
	{ "tiocsti", probe_tiocsti },
	{ "i386", probe_i386 },
	{ "x32", probe_x32 },
	{ "caps", probe_caps },
	{ "proc_masked", probe_proc_masked },
};

bool probe_failed(char detail[PROBE_DETAIL], const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(detail, PROBE_DETAIL, format, arguments);
	va_end(arguments);
	return false;
}

static void run_check(const char *name, probe_check *check,
		      const struct probe_host *host)
{
	char detail[PROBE_DETAIL] = "";
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		alarm(CHECK_SECONDS);
		if (check(host, detail))
			printf("%s ok\n", name);
		else
			printf("%s failed %s\n", name, detail);
		_exit(fflush(stdout) == 0 ? 0 : 1);
	}
	if (child < 0) {
		printf("%s failed fork: %s\n", name, strerror(errno));
	} else {
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
		if (WIFSIGNALED(status))
			printf("%s failed killed by signal %d\n", name,
			       WTERMSIG(status));
		else if (WEXITSTATUS(status) != 0)
			printf("%s failed exit status %d\n", name, WEXITSTATUS(status));
	}
	/* Before the next fork, which would inherit what is not yet written. */
	fflush(stdout);
}

static bool parse_port(const char *text, uint16_t *ret_port)
{
	char *end = NULL;
	long port = strtol(text, &end, 10);

	if (end == text || *end || port < 1 || port > 65535)
		return false;
	*ret_port = (uint16_t)port;
	return true;
}

static bool parse_hex(const char *text, uint8_t *ret_bytes, size_t size,
		      size_t *ret_length)
{
	static const char digits[] = "0123456789abcdef";
	size_t length = strlen(text) / 2;

	if (strlen(text) % 2 || length == 0 || length > size)
		return false;
	for (size_t i = 0; i < length; i++) {
		const char *high = strchr(digits, text[2 * i]);
		const char *low = strchr(digits, text[2 * i + 1]);

		if (!high || !low)
			return false;
		ret_bytes[i] = (uint8_t)((high - digits) * 16 + (low - digits));
	}
	*ret_length = length;
	return true;
}

int main(int argc, char **argv)
{
	struct probe_host host = { 0 };

	process_harden(); /* children die by SIGSYS: no core dumps */
	process_reset_signals();
	if (argc != 3 || !parse_port(argv[1], &host.port) ||
	    !parse_hex(argv[2], host.abstract, sizeof(host.abstract),
		       &host.abstract_length)) {
		fprintf(stderr, "usage: anet-probe PORT ABSTRACT_NAME_HEX\n");
		return 64;
	}
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		run_check(checks[i].name, checks[i].check, &host);
	return ferror(stdout) ? 74 : 0;
}

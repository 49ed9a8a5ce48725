/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A key from the terminal or a pipe.  Never from an argument: those of a process
 * are there for everybody to read.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "cli/credential.h"
#include "config/key.h"
#include "os/cleanup.h"

/* The terminal while it does not echo. */
struct quiet {
	struct termios before;
	sigset_t signals; /* what would end or stop this, held back meanwhile */
	int signal_fd;
};

static int quiet_begin(struct quiet *quiet)
{
	struct termios silent = quiet->before;

	silent.c_lflag &= ~(tcflag_t)(ECHO | ECHONL);
	/* What was typed before belongs to somebody else. */
	return tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) < 0 ? -errno : 0;
}

/* What is left of a paste would be commands for the shell: it is discarded. */
static void quiet_end(const struct quiet *quiet)
{
	(void)tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet->before);
	fputc('\n', stderr);
}

/* A signal came: lets it do what it does, with the terminal as it was.  Goes on
 * when it stopped and continued this, or was ignored. */
static int quiet_signal(struct quiet *quiet, const char *prompt)
{
	struct signalfd_siginfo which;

	if (read(quiet->signal_fd, &which, sizeof(which)) != sizeof(which))
		return 0;
	quiet_end(quiet);
	(void)raise((int)which.ssi_signo);
	(void)sigprocmask(SIG_UNBLOCK, &quiet->signals, NULL);
	(void)sigprocmask(SIG_BLOCK, &quiet->signals, NULL);
	fputs(prompt, stderr);
	return quiet_begin(quiet);
}

/* Until the line, the input or the room ends.  0 or -errno. */
static int read_line(struct quiet *quiet, const char *prompt,
		     struct credential_key *key)
{
	struct pollfd polled[2] = {{.fd = STDIN_FILENO, .events = POLLIN},
				   {.fd = quiet->signal_fd, .events = POLLIN}};

	while (key->length < sizeof(key->bytes)) {
		ssize_t got;

		if (poll(polled, 2, -1) < 0)
			continue;
		if (polled[1].revents) {
			int r = quiet_signal(quiet, prompt);

			if (r < 0)
				return r;
			explicit_bzero(key, sizeof(*key));
			continue;
		}
		got = read(STDIN_FILENO, key->bytes + key->length,
			   sizeof(key->bytes) - key->length);
		if (got < 0 && errno != EINTR)
			return -errno;
		if (got == 0)
			return 0;
		key->length += got > 0 ? (size_t)got : 0;
		if (key->length && key->bytes[key->length - 1] == '\n')
			return 0;
	}
	return 0;
}

static int read_terminal(const char *name, struct credential_key *key)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
	struct quiet quiet = {.signal_fd = -1};
	char prompt[128];
	int r;

	snprintf(prompt, sizeof(prompt), "Key for `%s`, which is not shown: ", name);
	if (tcgetattr(STDIN_FILENO, &quiet.before) < 0)
		return -errno;
	sigemptyset(&quiet.signals);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaddset(&quiet.signals, numbers[i]);
	quiet.signal_fd = signalfd(-1, &quiet.signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (quiet.signal_fd < 0)
		return -errno;
	(void)sigprocmask(SIG_BLOCK, &quiet.signals, NULL);
	fputs(prompt, stderr);
	r = quiet_begin(&quiet);
	if (r == 0)
		r = read_line(&quiet, prompt, key);
	quiet_end(&quiet);
	(void)sigprocmask(SIG_UNBLOCK, &quiet.signals, NULL);
	close_fd(&quiet.signal_fd);
	return r;
}

static int read_pipe(struct credential_key *key)
{
	while (key->length < sizeof(key->bytes)) {
		ssize_t got = read(STDIN_FILENO, key->bytes + key->length,
				   sizeof(key->bytes) - key->length);

		if (got < 0 && errno != EINTR)
			return -errno;
		if (got == 0)
			break;
		key->length += got > 0 ? (size_t)got : 0;
	}
	return 0;
}

enum reason credential_read_key(const char *name, struct credential_key *ret_key,
				struct detail *ret_detail)
{
	struct credential_key key = {0};
	enum reason reason = REASON_OK;
	int r = isatty(STDIN_FILENO) ? read_terminal(name, &key) : read_pipe(&key);

	if (key.length && key.bytes[key.length - 1] == '\n')
		key.length--;
	if (r < 0)
		reason = explain(ret_detail, REASON_SYSTEM,
				 "cannot read the key from standard input: %s",
				 strerror(-r));
	else if (key.length == 0)
		reason = explain(ret_detail, REASON_NO_API_KEY,
				 "no key was given, and nothing was changed");
	else if (!key_is_plain(key.bytes, key.length))
		reason = explain(ret_detail, REASON_CREDENTIAL_UNSAFE,
				 "nothing was changed: a key is one line of " KEY_RULE,
				 LIMIT_API_KEY_MIN, LIMIT_API_KEY);
	else
		*ret_key = key;
	explicit_bzero(&key, sizeof(key));
	return reason;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The run's standard input and outputs.
 *
 * Nothing of the caller crosses into the run: a directory as standard input
 * would be the host's root, a file as standard output could be read and
 * truncated.  The run gets pipes, or a terminal of its own devpts, and the bytes
 * are copied here, unmixed and at once.
 *
 * The caller's descriptors are shared with others, so they stay in blocking
 * mode: they are written in pieces that cannot block after a poll said so.
 */
#include "session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/cleanup.h"

static void stream_step(struct session *session, struct stream *stream);

static void handle_from(struct session *session, struct watch *watch, uint32_t events)
{
	(void)events;
	stream_step(session,
		    (struct stream *)((char *)watch - offsetof(struct stream, from)));
}

static void handle_to(struct session *session, struct watch *watch, uint32_t events)
{
	(void)events;
	stream_step(session, (struct stream *)((char *)watch - offsetof(struct stream, to)));
}

/* Regular files and some devices are always ready, and epoll refuses them. */
static bool always_ready(const struct session *session, int fd)
{
	struct epoll_event event = { .events = 0 };

	if (epoll_ctl(session->epoll, EPOLL_CTL_ADD, fd, &event) < 0)
		return errno == EPERM;
	(void)epoll_ctl(session->epoll, EPOLL_CTL_DEL, fd, NULL);
	return false;
}

/* 0, 1 and 2 stay open for messages, and for the caller who waits for their end. */
static int own_copy(int fd)
{
	return fd <= STDERR_FILENO ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : fd;
}

static void stream_open(const struct session *session, struct stream *stream, int from, int to,
			bool to_blocks)
{
	from = own_copy(from);
	to = own_copy(to);
	stream->from = (struct watch){ .fd = from, .handle = handle_from };
	stream->to = (struct watch){ .fd = to, .handle = handle_to };
	stream->from_always = always_ready(session, from);
	stream->to_always = always_ready(session, to);
	stream->to_blocks = to_blocks;
	stream->lines = NULL;
	stream->ended = false;
	stream->begin = stream->end = 0;
}

static void output_open(struct session *session, struct stream *stream, int from,
			int callers, int terminal)
{
	if (session->policy.flags & POLICY_UNIT) {
		bool error = callers == STDERR_FILENO;

		stream_open(session, stream, from, session->null_fd, false);
		stream->lines = error ? &session->err_lines : &session->out_lines;
		stream->lines->name = error ? "stderr" : "stdout";
	} else if (terminal >= 0)
		stream_open(session, stream, from, terminal, false);
	else
		stream_open(session, stream, from, callers, true);
}

/* Both ends: the one who still writes learns it by EPIPE, the one who still
 * reads by the end of file. */
static void stream_close(struct session *session, struct stream *stream)
{
	if (stream->lines)
		lines_flush(session, stream->lines);
	watch_close(session, &stream->from);
	watch_close(session, &stream->to);
	stream->ended = true;
	stream->begin = stream->end = 0;
}

bool stream_writable(int fd)
{
	struct pollfd polled = { .fd = fd, .events = POLLOUT };

	/* Errors too: the write will tell which. */
	return poll(&polled, 1, 0) > 0;
}

static ssize_t write_some(struct session *session, const struct stream *stream)
{
	const uint8_t *bytes = stream->buffer + stream->begin;
	size_t length = stream->end - stream->begin;
	ssize_t written;

	if (stream->lines) {
		lines_take(session, stream->lines, bytes, length);
		return (ssize_t)length;
	}
	if (!stream->to_blocks || stream->to_always)
		return write(stream->to.fd, bytes, length);
	if (!stream_writable(stream->to.fd)) {
		errno = EAGAIN;
		return -1;
	}
	written = send(stream->to.fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (written >= 0 || errno != ENOTSOCK)
		return written;
	/* A terminal that could not be opened anew promises no more. */
	if (isatty(stream->to.fd))
		return write(stream->to.fd, bytes, 1);
	/* pipe(7): after POLLOUT there is room for PIPE_BUF bytes. */
	return write(stream->to.fd, bytes, length < PIPE_BUF ? length : PIPE_BUF);
}

/* Returns false when the stream is over. */
static bool drain(struct session *session, struct stream *stream)
{
	ssize_t written;

	if (stream->begin == stream->end)
		return !stream->ended;
	written = write_some(session, stream);
	if (written < 0)
		return errno == EAGAIN || errno == EINTR;
	stream->begin += (size_t)written;
	if (stream->begin == stream->end)
		stream->begin = stream->end = 0;
	return stream->begin != stream->end || !stream->ended;
}

static void fill(struct stream *stream)
{
	ssize_t got;

	got = read(stream->from.fd, stream->buffer, sizeof(stream->buffer));
	if (got > 0)
		stream->end = (size_t)got;
	else if (got == 0 || (errno != EAGAIN && errno != EINTR))
		stream->ended = true; /* EIO: the last process left the terminal */
}

/* Waits for what moves it on. */
static void stream_wait(struct session *session, struct stream *stream)
{
	if (stream->begin != stream->end || stream->from_always) {
		(void)watch_set(session, &stream->from, 0);
		(void)watch_set(session, &stream->to, EPOLLOUT);
	} else {
		(void)watch_set(session, &stream->to, 0);
		(void)watch_set(session, &stream->from, EPOLLIN);
	}
}

static void stream_step(struct session *session, struct stream *stream)
{
	bool goes_on;

	/* Empty only when `from` is readable or always ready: no read blocks. */
	if (stream->begin == stream->end && !stream->ended)
		fill(stream);
	do
		goes_on = drain(session, stream);
	while (goes_on && stream->to_always && stream->begin != stream->end);
	if (goes_on)
		stream_wait(session, stream);
	else
		stream_close(session, stream);
}

static int pipe_pair(const struct session *session, int ret_ends[2], bool ours_reads)
{
	bool separate = session->policy.flags & POLICY_SEPARATE_UIDS;
	int ours, r;

	/* Programs open /dev/stdout and /dev/stderr, that is, the pipe anew, which
	 * is its maker's: as the run, and not with CAP_CHOWN. */
	if (separate && seteuid(session->policy.run_uid) < 0)
		return -errno;
	r = pipe2(ret_ends, O_CLOEXEC) < 0 ? -errno : 0;
	if (separate && seteuid(0) < 0)
		return -errno;
	if (r < 0)
		return r;
	ours = ret_ends[ours_reads ? 0 : 1];
	return fcntl(ours, F_SETFL, O_NONBLOCK) < 0 ? -errno : 0;
}

/* What bwrap and anet-init write before the run begins is kept: it says why
 * there is no sandbox. */
static ssize_t read_diagnostics(struct session *session)
{
	size_t room = sizeof(session->diagnostics) - session->diagnostics_length;
	char surplus[256];
	ssize_t got;

	got = room ? read(session->err.from.fd,
			  session->diagnostics + session->diagnostics_length, room) :
		     read(session->err.from.fd, surplus, sizeof(surplus));
	if (got > 0 && room)
		session->diagnostics_length += (size_t)got;
	return got;
}

static void handle_diagnostics(struct session *session, struct watch *watch, uint32_t events)
{
	ssize_t got = read_diagnostics(session);

	(void)events;
	if (got == 0 || (got < 0 && errno != EAGAIN))
		(void)watch_set(session, watch, 0);
}

void streams_read_diagnostics(struct session *session)
{
	while (read_diagnostics(session) > 0)
		;
}

/* A terminal whose user has stopped it takes a byte after poll says so, and blocks
 * at the next: opened anew it need not, and the caller's own descriptor stays as
 * it is.  While still root: the terminal may belong to somebody else. */
static int open_terminal(int fd)
{
	char path[32];

	if (!isatty(fd))
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

int streams_open(struct session *session, int ret_run_fds[3])
{
	int in[2], out[2], err[2], r;

	session->tty = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	session->stderr_tty = isatty(STDERR_FILENO);
	session->tty_out = open_terminal(STDOUT_FILENO);
	session->tty_err = open_terminal(STDERR_FILENO);
	r = pipe_pair(session, err, true);
	if (r < 0)
		return r;
	ret_run_fds[2] = err[1];
	session->err.from = (struct watch){ .fd = err[0], .handle = handle_diagnostics };
	session->in.from.fd = session->in.to.fd = -1;
	session->out.from.fd = session->out.to.fd = -1;
	session->in.ended = session->out.ended = true;
	if (session->tty) {
		ret_run_fds[0] = ret_run_fds[1] = session->null_fd;
		return watch_set(session, &session->err.from, EPOLLIN);
	}
	r = pipe_pair(session, in, false);
	if (r == 0)
		r = pipe_pair(session, out, true);
	if (r < 0)
		return r;
	ret_run_fds[0] = in[0];
	ret_run_fds[1] = out[1];
	stream_open(session, &session->in, STDIN_FILENO, in[1], false);
	output_open(session, &session->out, out[0], STDOUT_FILENO, session->tty_out);
	return watch_set(session, &session->err.from, EPOLLIN);
}

void streams_resize(struct session *session)
{
	struct winsize size;

	/* The kernel tells the run's foreground processes by SIGWINCH. */
	if (session->tty && ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0)
		(void)ioctl(session->master, TIOCSWINSZ, &size);
}

static int terminal_begin(struct session *session, int master)
{
	struct termios raw;
	int copy, r;

	session->master = master;
	if (fcntl(master, F_SETFL, O_NONBLOCK) < 0)
		return -errno;
	copy = fcntl(master, F_DUPFD_CLOEXEC, 3);
	if (copy < 0)
		return -errno;
	/* In the background this stops us until we are in front, like any program
	 * for a full screen: until then the settings are those of another. */
	do
		r = tcdrain(STDIN_FILENO);
	while (r < 0 && errno == EINTR);
	if (r < 0 || tcgetattr(STDIN_FILENO, &session->tty_saved) < 0)
		return -errno;
	(void)tcsetattr(master, TCSANOW, &session->tty_saved);
	streams_resize(session);
	raw = session->tty_saved;
	cfmakeraw(&raw);
	if (tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) < 0)
		return -errno;
	session->tty_raw = true;
	stream_open(session, &session->in, STDIN_FILENO, copy, false);
	output_open(session, &session->out, master, STDOUT_FILENO, session->tty_out);
	return 0;
}

int streams_begin(struct session *session, int master)
{
	int fd = session->err.from.fd, r = 0;

	if (session->tty)
		r = terminal_begin(session, master);
	if (r < 0)
		return r;
	session->streams_begun = true;
	/* From now on this pipe is the agent's. */
	(void)watch_set(session, &session->err.from, 0);
	output_open(session, &session->err, fd, STDERR_FILENO, session->tty_err);
	stream_wait(session, &session->in);
	stream_wait(session, &session->out);
	stream_wait(session, &session->err);
	return 0;
}

void streams_restore(struct session *session)
{
	/* Setting it back must not stop us, wherever we stand. */
	signal(SIGTTOU, SIG_IGN);
	if (session->tty_raw)
		(void)tcsetattr(STDIN_FILENO, TCSADRAIN, &session->tty_saved);
	session->tty_raw = false;
}

bool streams_done(const struct session *session)
{
	return session->out.from.fd < 0 && session->err.from.fd < 0;
}

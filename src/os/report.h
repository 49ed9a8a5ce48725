/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_REPORT_H
#define ANET_OS_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/reason.h"

/*
 * How a program of anet tells people why something was refused, ended or
 * failed: one structured journal record, and the same on standard error where
 * a person runs it.  Used by programs' main files only; library code returns.
 */
struct record {
	enum reason reason;
	const char *session; /* NULL: none */
	const char *agent;   /* NULL: none */
	const char *helper;  /* "anet-session", … */
	/* What failed, on which object, why: a whole sentence without the final
	 * full stop.  "" or NULL: the reason's own sentence.  May quote untrusted
	 * bytes, best by escape_bytes(): control bytes that are left are escaped. */
	const char *detail;
	/* anet goes on without it: a warning, whatever the reason is elsewhere. */
	bool warning;
	uint64_t bytes_in, bytes_out, usec; /* 0: not told */
	/* Of a helper's outcome: the number of the connection, and what host it went
	 * to.  0 and NULL: of something else. */
	uint64_t connection;
	const char *destination;
};

/* Sends the record to journald by its native protocol (systemd.io,
 * JOURNAL_NATIVE_PROTOCOL) when it listens.  Returns 0, or -errno when there is
 * no journal. */
int journal_send(const struct record *record);

/* The same by a program of a unit that is about to end: so that the journal knows
 * the unit, and `journalctl -u` shows the record.  Takes some milliseconds, where
 * journald does not read 2 s. */
int journal_send_last(const struct record *record);

/* One line that a run wrote to its standard output or error. */
struct output_line {
	const char *session, *agent;
	const char *stream; /* "stdout", "stderr" */
	const char *text;   /* untrusted bytes, at most LIMIT_JOURNAL_LINE */
	size_t length;
};

/* Sends it to journald, at a fixed priority and with its control bytes escaped
 * (tabs stay).  0, or -errno when there is no journal or it takes nothing now. */
int journal_send_line(const struct output_line *line);

/* The datagram that journal_send_line() sends; a buffer of 4 * LIMIT_JOURNAL_LINE
 * + 1024 bytes holds any.  Its length. */
size_t journal_format_line(const struct output_line *line, char *ret_buffer, size_t size);

/* The datagram that journal_send() sends, into a buffer of `size` bytes (4096
 * hold any); returns its length. */
size_t journal_format(const struct record *record, char *ret_buffer, size_t size);

/*
 * "anet: DETAIL [CODE]", or "anet: warning: DETAIL [CODE]", and the remedy on a line of its own, on standard
 * error; colours only if that is a terminal and NO_COLOR is not set.
 */
void report_print(const struct record *record);

/* Whether standard error is the journal's, by $JOURNAL_STREAM (systemd.exec(5)):
 * what was sent as a record would stand there twice. */
bool report_goes_to_journal(void);

/* To the journal and to standard error; only once where these are the same.  For
 * what ends the calling program. */
void report_tell(const struct record *record);

/* report_tell() for a refusal by the calling program; returns the exit status of
 * the reason, so that main() can return it. */
int refuse(enum reason reason, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The name of the program that refuse() puts into records. */
void report_set_program(const char *program);

/* Copies `length` bytes so that they can be shown: printable ASCII and valid
 * UTF-8 as they are, everything else as \xHH, a backslash doubled; cut to fit.
 * Always ends with a NUL. */
void escape_bytes(const void *bytes, size_t length, char *ret_text, size_t size);

/* The same with other alphabets as \xHH too: for names, one of which would look like
 * another. */
void escape_ascii(const void *bytes, size_t length, char *ret_text, size_t size);

/* escape_bytes() for text that may hold such escapes already: a backslash stays one. */
void escape_text(const char *text, char *ret_text, size_t size);

#endif

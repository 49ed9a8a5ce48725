/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/report.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/sockios.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "core/limits.h"
#include "os/cleanup.h"

#define SERVICE ".service"
#define JOURNAL_SOCKET "/run/systemd/journal/socket"
/* Detail, remedy and the few names: each is bounded far below this. */
#define RECORD_BYTES 4096
#define DETAIL_BYTES 1024
/* A line with all of its bytes escaped, and five short fields. */
#define LINE_BYTES (4 * LIMIT_JOURNAL_LINE + 1024)

static const char *program_name = "anet";

void report_set_program(const char *program)
{
	program_name = program;
}

/* Length of the valid UTF-8 sequence at `bytes` (RFC 3629 4) that a terminal
 * only shows; 0 if there is none. */
static size_t shown_sequence(const uint8_t *bytes, size_t length)
{
	uint32_t point;
	size_t n;

	if (bytes[0] < 0x80)
		return bytes[0] >= 0x20 && bytes[0] != 0x7f;
	if (bytes[0] >= 0xc2 && bytes[0] <= 0xdf)
		n = 2;
	else if (bytes[0] >= 0xe0 && bytes[0] <= 0xef)
		n = 3;
	else if (bytes[0] >= 0xf0 && bytes[0] <= 0xf4)
		n = 4;
	else
		return 0;
	if (n > length)
		return 0;
	point = bytes[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		point = point << 6 | (bytes[i] & 0x3f);
	}
	if ((n == 3 && point < 0x800) ||
	    (n == 4 && (point < 0x10000 || point > 0x10ffff)) ||
	    (point >= 0xd800 && point <= 0xdfff))
		return 0;
	/* C1 controls; line separators and what turns the direction of text
	 * round, by which a name can pretend to be another. */
	if (point < 0xa0 || (point >= 0x200b && point <= 0x200f) ||
	    (point >= 0x2028 && point <= 0x202e) ||
	    (point >= 0x2060 && point <= 0x2069) || point == 0xfeff)
		return 0;
	return n;
}

enum escaping {
	ESCAPE_BYTES,
	ESCAPE_ASCII,
	ESCAPE_TEXT, /* that holds escapes already */
};

static void escape(const uint8_t *in, size_t length, enum escaping how, char *out,
		   size_t size)
{
	static const char hex[] = "0123456789abcdef";
	size_t room = size ? size - 1 : 0;

	while (length > 0) {
		char piece[4];
		size_t used = shown_sequence(in, length);
		size_t n;

		/* A program's columns are not lost in the journal. */
		if (how == ESCAPE_TEXT && in[0] == '\t')
			used = 1;
		if (how == ESCAPE_ASCII && in[0] >= 0x80)
			used = 0;
		n = used;

		if (used == 0) {
			used = 1;
			n = 4;
			piece[0] = '\\';
			piece[1] = 'x';
			piece[2] = hex[in[0] >> 4];
			piece[3] = hex[in[0] & 15];
		} else if (in[0] == '\\' && how != ESCAPE_TEXT) {
			n = 2;
			piece[0] = piece[1] = '\\';
		} else {
			memcpy(piece, in, n);
		}
		if (n > room)
			break;
		memcpy(out, piece, n);
		out += n;
		room -= n;
		in += used;
		length -= used;
	}
	if (size)
		*out = 0;
}

void escape_bytes(const void *bytes, size_t length, char *ret_text, size_t size)
{
	escape(bytes, length, ESCAPE_BYTES, ret_text, size);
}

void escape_ascii(const void *bytes, size_t length, char *ret_text, size_t size)
{
	escape(bytes, length, ESCAPE_ASCII, ret_text, size);
}

void escape_text(const char *text, char *ret_text, size_t size)
{
	escape((const uint8_t *)text, strlen(text), ESCAPE_TEXT, ret_text, size);
}

static const char *detail_of(const struct record *record)
{
	return record->detail && *record->detail ? record->detail
						 : reason_sentence(record->reason);
}

/* Adds NAME=VALUE; without a value, nothing. */
static void add_field(char *buffer, size_t size, size_t *used, const char *name,
		      const char *value)
{
	char text[DETAIL_BYTES];
	int n;

	if (!value || !*value)
		return;
	escape_text(value, text, sizeof(text));
	n = snprintf(buffer + *used, size - *used, "%s=%s\n", name, text);
	if (n > 0 && (size_t)n < size - *used)
		*used += (size_t)n;
}

static void add_number(char *buffer, size_t size, size_t *used, const char *name,
		       uint64_t value)
{
	char text[24];

	if (value == 0)
		return;
	snprintf(text, sizeof(text), "%" PRIu64, value);
	add_field(buffer, size, used, name, text);
}

static unsigned int message_number(const struct record *record)
{
	if (record->connection && reason_severity(record->reason) == SEVERITY_INFO)
		return REASON_MESSAGE_CONNECTION;
	/* A number that is no reason reads as `internal`. */
	return (unsigned int)record->reason < REASON_COUNT
		       ? (unsigned int)record->reason
		       : (unsigned int)REASON_INTERNAL;
}

size_t journal_format(const struct record *record, char *ret_buffer, size_t size)
{
	enum reason_severity severity = record->warning ? SEVERITY_WARNING
							: reason_severity(record->reason);
	char priority[] = {(char)('0' + severity), 0};
	char id[40];
	size_t used = 0;

	snprintf(id, sizeof(id), REASON_MESSAGE_ID, message_number(record));
	add_field(ret_buffer, size, &used, "MESSAGE", detail_of(record));
	add_field(ret_buffer, size, &used, "MESSAGE_ID", id);
	add_field(ret_buffer, size, &used, "PRIORITY", priority);
	add_field(ret_buffer, size, &used, "SYSLOG_IDENTIFIER", "anet");
	add_field(ret_buffer, size, &used, "ANET_REASON", reason_code(record->reason));
	add_field(ret_buffer, size, &used, "ANET_REMEDY",
		  reason_remedy(record->reason));
	add_field(ret_buffer, size, &used, "ANET_SESSION", record->session);
	add_field(ret_buffer, size, &used, "ANET_AGENT", record->agent);
	add_field(ret_buffer, size, &used, "ANET_HELPER", record->helper);
	add_field(ret_buffer, size, &used, "ANET_DESTINATION", record->destination);
	add_number(ret_buffer, size, &used, "ANET_CONNECTION", record->connection);
	add_number(ret_buffer, size, &used, "ANET_BYTES_IN", record->bytes_in);
	add_number(ret_buffer, size, &used, "ANET_BYTES_OUT", record->bytes_out);
	add_number(ret_buffer, size, &used, "ANET_USEC", record->usec);
	return used;
}

/* journald looks up the unit of a sender when it reads what that sent, by /proc:
 * of one that has ended by then it knows none.  Waits until it has taken all, a
 * moment longer for that look, and for a journal that is stuck 2 s. */
static void wait_until_taken(int fd)
{
	const struct timespec moment = {.tv_nsec = 5 * 1000 * 1000};
	int queued = 1;

	for (int i = 0; i < 400 && queued; i++) {
		if (ioctl(fd, SIOCOUTQ, &queued) < 0)
			return;
		(void)nanosleep(&moment, NULL);
	}
}

static int send_datagram(const char *buffer, size_t size, bool wait)
{
	static const struct sockaddr_un address = {AF_UNIX, JOURNAL_SOCKET};
	auto_fd int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	/* A journal that does not read must not hold a session up. */
	if (sendto(fd, buffer, size, MSG_NOSIGNAL | MSG_DONTWAIT,
		   (const struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	if (wait)
		wait_until_taken(fd);
	return 0;
}

bool report_goes_to_journal(void)
{
	const char *named = secure_getenv("JOURNAL_STREAM");
	struct stat status;
	char stream[64];

	if (!named || fstat(STDERR_FILENO, &status) < 0)
		return false;
	snprintf(stream, sizeof(stream), "%ju:%ju", (uintmax_t)status.st_dev,
		 (uintmax_t)status.st_ino);
	return strcmp(named, stream) == 0;
}

/* The unit that this process belongs to, by its control group ("…/NAME.service",
 * cgroups(7)); false if it is none's. */
static bool own_unit(char *ret_name, size_t size)
{
	auto_file FILE *file = fopen("/proc/self/cgroup", "re");
	char line[PATH_MAX];

	while (file && fgets(line, sizeof(line), file)) {
		char *name = strrchr(line, '/');
		size_t length = name ? strcspn(++name, "\n") : 0;

		/* Of version 2, or where systemd has its own of version 1. */
		if ((strncmp(line, "0::", 3) != 0 && !strstr(line, ":name=systemd:")) ||
		    length <= strlen(SERVICE) || length >= size ||
		    memcmp(name + length - strlen(SERVICE), SERVICE, strlen(SERVICE)) != 0)
			continue;
		memcpy(ret_name, name, length);
		ret_name[length] = 0;
		return true;
	}
	return false;
}

int journal_send_last(const struct record *record)
{
	char buffer[RECORD_BYTES + LIMIT_UNIT_NAME + 32], unit[LIMIT_UNIT_NAME + 1];
	size_t size = journal_format(record, buffer, RECORD_BYTES);

	/* What root says of a unit needs no look-up (systemd.journal-fields(7)). */
	if (getuid() == 0 && own_unit(unit, sizeof(unit)))
		add_field(buffer, sizeof(buffer), &size, "OBJECT_SYSTEMD_UNIT", unit);
	return send_datagram(buffer, size, true);
}

void report_tell(const struct record *record)
{
	if (!report_goes_to_journal()) {
		(void)journal_send(record);
		report_print(record);
	} else if (journal_send_last(record) < 0) {
		report_print(record);
	}
}

int journal_send(const struct record *record)
{
	char buffer[RECORD_BYTES];

	return send_datagram(buffer, journal_format(record, buffer, sizeof(buffer)), false);
}

size_t journal_format_line(const struct output_line *line, char *ret_buffer, size_t size)
{
	/* Each byte may become four. */
	char text[4 * LIMIT_JOURNAL_LINE + 1];
	size_t used = 0;

	add_field(ret_buffer, size, &used, "PRIORITY", "6");
	add_field(ret_buffer, size, &used, "SYSLOG_IDENTIFIER", "anet-run");
	add_field(ret_buffer, size, &used, "ANET_SESSION", line->session);
	add_field(ret_buffer, size, &used, "ANET_AGENT", line->agent);
	add_field(ret_buffer, size, &used, "ANET_STREAM", line->stream);
	/* Not add_field(), which leaves out what is empty and cuts what is long. */
	escape((const uint8_t *)line->text, line->length, ESCAPE_TEXT, text, sizeof(text));
	return used + (size_t)snprintf(ret_buffer + used, size - used, "MESSAGE=%s\n", text);
}

int journal_send_line(const struct output_line *line)
{
	char buffer[LINE_BYTES];

	return send_datagram(buffer, journal_format_line(line, buffer, sizeof(buffer)), false);
}

void report_print(const struct record *record)
{
	const char *no_color = secure_getenv("NO_COLOR");
	bool color = isatty(STDERR_FILENO) && !(no_color && *no_color);
	const char *red = color ? "\033[31m" : "", *dim = color ? "\033[2m" : "";
	const char *plain = color ? "\033[0m" : "";
	const char *remedy = reason_remedy(record->reason);
	/* What a run goes on after. */
	bool warning = record->warning ||
		       (reason_severity(record->reason) == SEVERITY_WARNING &&
			reason_exit_status(record->reason) == 0);
	char detail[DETAIL_BYTES], text[RECORD_BYTES];
	int n;

	escape_text(detail_of(record), detail, sizeof(detail));
	n = snprintf(text, sizeof(text), "%sanet:%s %s%s %s[%s]%s\n%s%s%s", red, plain,
		     warning ? "warning: " : "", detail, dim, reason_code(record->reason), plain,
		     *remedy ? "      " : "", remedy, *remedy ? "\n" : "");
	if (n > 0 && (size_t)n >= sizeof(text))
		n = sizeof(text) - 1;
	/* One write, so that lines of several processes do not mix; standard
	 * error may be closed, and then nobody is there to be told. */
	if (n > 0 && write(STDERR_FILENO, text, (size_t)n) < 0)
		return;
}

int refuse(enum reason reason, const char *format, ...)
{
	char detail[DETAIL_BYTES];
	const struct record record = {
		.reason = reason,
		.helper = program_name,
		.detail = detail,
	};
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(detail, sizeof(detail), format, arguments);
	va_end(arguments);
	report_tell(&record);
	return reason_exit_status(reason);
}

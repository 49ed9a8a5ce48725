/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/tls-hello.h"

#include <string.h>

/* RFC 8446 5.1: what a record is of, and how much one holds. */
#define CONTENT_HANDSHAKE 22
#define RECORD_BYTES (1 << 14)
/* RFC 8446 4: type and length. */
#define MESSAGE_HEADER 4
#define TYPE_CLIENT_HELLO 1
/* RFC 8446 4.1.2. */
#define RANDOM_BYTES 32
#define SESSION_ID_BYTES 32

/* RFC 6066 3. */
#define EXTENSION_SERVER_NAME 0
#define NAME_HOST 0

/* What is left of something that consists of vectors (RFC 8446 3.4). */
struct reader {
	const uint8_t *at;
	size_t left;
};

static bool take(struct reader *reader, size_t length, const uint8_t **ret_bytes)
{
	if (length > reader->left)
		return false;
	*ret_bytes = reader->at;
	reader->at += length;
	reader->left -= length;
	return true;
}

/* A number of `bytes` bytes, 1 to 3. */
static bool take_number(struct reader *reader, size_t bytes, size_t *ret_number)
{
	const uint8_t *digits;
	size_t number = 0;

	if (!take(reader, bytes, &digits))
		return false;
	for (size_t i = 0; i < bytes; i++)
		number = number << 8 | digits[i];
	*ret_number = number;
	return true;
}

/* A vector whose length is a number of `bytes` bytes. */
static bool take_vector(struct reader *reader, size_t bytes, struct reader *ret_vector)
{
	size_t length;

	if (!take_number(reader, bytes, &length) ||
	    !take(reader, length, &ret_vector->at))
		return false;
	ret_vector->left = length;
	return true;
}

static enum reason fail(struct tls_hello *hello, enum reason reason, const char *detail)
{
	hello->detail = detail;
	return reason;
}

/* The one of RFC 9849, those of the drafts before it, and encrypted_server_name: some
 * servers still take them. */
static bool is_encrypted_hello(size_t type)
{
	return (type >= 0xfe08 && type <= 0xfe0d) || type == 0xff02 || type == 0xffce;
}

static enum reason judge_name(struct tls_hello *hello, struct reader extension,
			      const char *host)
{
	struct reader list, name;
	size_t type;

	if (!take_vector(&extension, 2, &list) || extension.left > 0)
		return fail(hello, REASON_TUNNEL_SNI, "server_name is not one list");
	if (!take_number(&list, 1, &type))
		return fail(hello, REASON_TUNNEL_SNI, "server_name has no name");
	if (type != NAME_HOST)
		return fail(hello, REASON_TUNNEL_SNI,
			    "server_name has a name that is none of a host");
	if (!take_vector(&list, 2, &name))
		return fail(hello, REASON_TUNNEL_SNI, "server_name is cut off");
	if (list.left > 0)
		return fail(hello, REASON_TUNNEL_SNI,
			    "server_name has more than one name");
	if (name.left != strlen(host) || memcmp(name.at, host, name.left) != 0)
		return fail(hello, REASON_TUNNEL_SNI,
			    "server_name has the name of another host");
	return REASON_OK;
}

/* That the hello is encrypted explains the rest, so that it is looked for first. */
static enum reason judge_extensions(struct tls_hello *hello, struct reader extensions,
				    const char *host)
{
	struct reader extension, found = {.at = NULL};
	bool encrypted = false, twice = false;
	size_t type;

	while (extensions.left > 0) {
		if (!take_number(&extensions, 2, &type) ||
		    !take_vector(&extensions, 2, &extension))
			return fail(hello, REASON_TUNNEL_NOT_TLS,
				    "an extension is cut off");
		if (is_encrypted_hello(type))
			encrypted = true;
		if (type != EXTENSION_SERVER_NAME)
			continue;
		twice = twice || found.at;
		found = extension;
	}
	if (encrypted)
		return fail(hello, REASON_TUNNEL_ECH,
			    "the extension encrypted_client_hello is there");
	if (!found.at)
		return fail(hello, REASON_TUNNEL_SNI,
			    "the extension server_name is missing");
	if (twice)
		return fail(hello, REASON_TUNNEL_SNI,
			    "the extension server_name is there twice");
	return judge_name(hello, found, host);
}

static enum reason judge(struct tls_hello *hello, struct reader message,
			 const char *host)
{
	struct reader session, ciphers, compressions, extensions;
	const uint8_t *random;
	enum reason reason;
	size_t version;

	if (!take_number(&message, 2, &version) || version >> 8 != 3)
		return fail(hello, REASON_TUNNEL_NOT_TLS,
			    "the hello is of another version");
	if (!take(&message, RANDOM_BYTES, &random) ||
	    !take_vector(&message, 1, &session) || session.left > SESSION_ID_BYTES ||
	    !take_vector(&message, 2, &ciphers) || ciphers.left < 2 ||
	    ciphers.left % 2 != 0 || !take_vector(&message, 1, &compressions) ||
	    compressions.left == 0)
		return fail(hello, REASON_TUNNEL_NOT_TLS, "the hello is malformed");
	if (message.left == 0)
		return fail(hello, REASON_TUNNEL_SNI, "the hello has no extensions");
	if (!take_vector(&message, 2, &extensions) || message.left > 0)
		return fail(hello, REASON_TUNNEL_NOT_TLS,
			    "the extensions do not end with the hello");
	reason = judge_extensions(hello, extensions, host);
	hello->done = reason == REASON_OK;
	return reason;
}

/* One byte of a record's header. */
static enum reason add_header(struct tls_hello *hello, uint8_t byte)
{
	hello->header[hello->header_bytes++] = byte;
	switch (hello->header_bytes) {
	case 1:
		if (byte != CONTENT_HANDSHAKE)
			return fail(hello, REASON_TUNNEL_NOT_TLS,
				    hello->length ? "another record is inside the hello"
						  : "it does not begin with a record "
						    "of the handshake");
		break;
	case 2:
		if (byte != 3)
			return fail(hello, REASON_TUNNEL_NOT_TLS,
				    "a record is of another version");
		break;
	case 5:
		hello->record_left = (size_t)hello->header[3] << 8 | byte;
		hello->header_bytes = 0;
		if (hello->record_left == 0 || hello->record_left > RECORD_BYTES)
			return fail(hello, REASON_TUNNEL_NOT_TLS,
				    "a record is empty or longer than 16 KiB");
		break;
	default:
		break;
	}
	return REASON_OK;
}

/* The whole of the message as its header says; MESSAGE_HEADER as long as that is not
 * complete. */
static size_t message_bytes(const struct tls_hello *hello)
{
	const uint8_t *header = hello->message;

	if (hello->length < MESSAGE_HEADER)
		return MESSAGE_HEADER;
	return MESSAGE_HEADER +
	       ((size_t)header[1] << 16 | (size_t)header[2] << 8 | header[3]);
}

/* Takes what is of the record and of the part of the message that is awaited, at
 * least one byte. */
static enum reason add_message(struct tls_hello *hello, const uint8_t *bytes,
			       size_t length, const char *host, size_t *ret_used)
{
	size_t wanted = message_bytes(hello) - hello->length;
	bool whole;

	if (wanted > length)
		wanted = length;
	if (wanted > hello->record_left)
		wanted = hello->record_left;
	memcpy(hello->message + hello->length, bytes, wanted);
	hello->length += wanted;
	hello->record_left -= wanted;
	*ret_used = wanted;

	if (hello->message[0] != TYPE_CLIENT_HELLO)
		return fail(hello, REASON_TUNNEL_NOT_TLS,
			    "the first message is not a client's hello");
	if (message_bytes(hello) > LIMIT_CLIENT_HELLO)
		return fail(hello, REASON_TUNNEL_NOT_TLS,
			    "the hello is longer than 16 KiB");
	whole = hello->length >= MESSAGE_HEADER &&
		hello->length == message_bytes(hello);
	if (!whole)
		return REASON_OK;
	/* RFC 8446 5.1: no other message stands in the record of one before which keys
	 * change.  Two hellos in one record could be taken for the other. */
	if (hello->record_left > 0)
		return fail(hello, REASON_TUNNEL_NOT_TLS,
			    "the record does not end with the hello");
	return judge(hello,
		     (struct reader){hello->message + MESSAGE_HEADER,
				     hello->length - MESSAGE_HEADER},
		     host);
}

void tls_hello_init(struct tls_hello *hello)
{
	hello->done = false;
	hello->detail = NULL;
	hello->header_bytes = hello->record_left = hello->length = 0;
}

enum reason tls_hello_add(struct tls_hello *hello, const uint8_t *bytes, size_t length,
			  const char *host)
{
	size_t at = 0;

	while (at < length && !hello->done) {
		enum reason reason;
		size_t used = 1;

		if (hello->record_left == 0)
			reason = add_header(hello, bytes[at]);
		else
			reason = add_message(hello, bytes + at, length - at, host,
					     &used);
		if (reason != REASON_OK)
			return reason;
		at += used;
	}
	return REASON_OK;
}

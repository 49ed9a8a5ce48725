/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/http1-chunked.h"

#include "core/limits.h"

enum state {
	SIZE,	   /* before or inside the digits */
	EXTENSION, /* behind a `;` */
	SIZE_LF,   /* behind the CR of a size line */
	DATA,
	DATA_CR, /* behind the data */
	DATA_LF,
	LAST_CR, /* behind the size line of the last chunk */
	LAST_LF,
	TRAILER, /* within a line that is thrown away */
	TRAILER_LF,
	DONE,
	BROKEN,
};

#define SIZE_DIGITS 16

void http1_chunked_init(struct http1_chunked *c)
{
	*c = (struct http1_chunked){.state = SIZE};
}

static enum reason broken(struct http1_chunked *c, const char *detail)
{
	c->state = BROKEN;
	c->detail = detail;
	return REASON_HTTP_FRAMING;
}

static int hex_value(uint8_t byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	if (byte >= 'a' && byte <= 'f')
		return byte - 'a' + 10;
	if (byte >= 'A' && byte <= 'F')
		return byte - 'A' + 10;
	return -1;
}

static enum reason feed_size(struct http1_chunked *c, uint8_t byte)
{
	int digit = hex_value(byte);

	if (digit >= 0) {
		if (c->digits == SIZE_DIGITS)
			return broken(c, "a chunk size has more than 16 digits");
		c->digits++;
		c->remaining = c->remaining << 4 | (uint64_t)digit;
		return REASON_OK;
	}
	if (c->digits == 0)
		return broken(c,
			      "a chunk size does not begin with a hexadecimal digit");
	if (byte == '\r')
		c->state = SIZE_LF;
	else if (byte == ';')
		c->state = EXTENSION;
	else
		return broken(c, "a chunk size is followed by neither CR LF nor `;`");
	return REASON_OK;
}

static enum reason feed_extension(struct http1_chunked *c, uint8_t byte)
{
	if (byte == '\r')
		c->state = SIZE_LF;
	else if ((byte < 0x20 && byte != '\t') || byte == 0x7f)
		return broken(c, "a chunk extension holds a control byte");
	return REASON_OK;
}

static enum reason feed_trailer(struct http1_chunked *c, uint8_t byte)
{
	if (c->line_bytes == LIMIT_RESPONSE_TRAILERS)
		return broken(c, "the trailer fields are too long");
	c->line_bytes++;
	if ((byte < 0x20 && byte != '\t' && byte != '\r') || byte == 0x7f)
		return broken(c, "a trailer field holds a control byte");
	c->state = byte == '\r' ? TRAILER_LF : TRAILER;
	return REASON_OK;
}

/* Between CR and LF, or where a CR must stand. */
static enum reason feed_exact(struct http1_chunked *c, uint8_t byte)
{
	switch (c->state) {
	case SIZE_LF:
		if (byte != '\n')
			return broken(c, "a chunk-size line does not end with CR LF");
		c->state = c->remaining ? DATA : LAST_CR;
		c->line_bytes = 0;
		return REASON_OK;
	case DATA_CR:
		if (byte != '\r')
			return broken(c, "a chunk is longer than its size");
		c->state = DATA_LF;
		return REASON_OK;
	case DATA_LF:
		if (byte != '\n')
			return broken(c, "the data of a chunk do not end with CR LF");
		*c = (struct http1_chunked){.state = SIZE,
					    .skip_trailers = c->skip_trailers};
		return REASON_OK;
	case LAST_CR:
		if (byte != '\r' && !c->skip_trailers)
			return broken(c, "trailer fields are not accepted");
		if (byte != '\r')
			return feed_trailer(c, byte);
		c->state = LAST_LF;
		return REASON_OK;
	case TRAILER_LF:
		if (byte != '\n')
			return broken(c, "a trailer field does not end with CR LF");
		c->state = LAST_CR;
		return REASON_OK;
	default: /* LAST_LF */
		if (byte != '\n')
			return broken(c, "the last chunk does not end with CR LF");
		c->state = DONE;
		c->done = true;
		return REASON_OK;
	}
}

static enum reason feed_byte(struct http1_chunked *c, uint8_t byte)
{
	if (c->state == SIZE || c->state == EXTENSION || c->state == SIZE_LF) {
		if (c->line_bytes == LIMIT_HTTP_CHUNK_LINE)
			return broken(c, "a chunk-size line is too long");
		c->line_bytes++;
	}
	if (c->state == SIZE)
		return feed_size(c, byte);
	if (c->state == EXTENSION)
		return feed_extension(c, byte);
	if (c->state == TRAILER)
		return feed_trailer(c, byte);
	return feed_exact(c, byte);
}

enum reason http1_chunked_feed(struct http1_chunked *c, const uint8_t *in,
			       size_t length, size_t *ret_used,
			       const uint8_t **ret_data, size_t *ret_length)
{
	size_t used = 0;

	if (c->state == BROKEN)
		return REASON_HTTP_FRAMING;
	while (used < length && c->state != DATA && c->state != DONE) {
		enum reason reason = feed_byte(c, in[used]);

		if (reason != REASON_OK)
			return reason;
		used++;
	}
	*ret_data = NULL;
	*ret_length = 0;
	if (c->state == DATA && used < length) {
		size_t piece = length - used;

		if (piece > c->remaining)
			piece = (size_t)c->remaining;
		c->remaining -= piece;
		if (c->remaining == 0)
			c->state = DATA_CR;
		*ret_data = in + used;
		*ret_length = piece;
		used += piece;
	}
	*ret_used = used;
	return REASON_OK;
}

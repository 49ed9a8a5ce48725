/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "core/json-keys.h"

/* SipHash (Aumasson, Bernstein 2012) with one round a word and three at the
 * end, the variant of most hash tables. */
struct sip {
	uint64_t v[4];
	uint64_t word;
	unsigned int n; /* bytes so far, modulo 2^32 */
};

static uint64_t rotate(uint64_t value, unsigned int by)
{
	return value << by | value >> (64 - by);
}

static void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[0] = rotate(v[0], 32);
	v[2] += v[3];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[2] = rotate(v[2], 32);
}

static void sip_word(struct sip *sip, uint64_t word)
{
	sip->v[3] ^= word;
	sip_round(sip->v);
	sip->v[0] ^= word;
}

static struct sip sip_begin(const struct json_scan_seed *seed)
{
	return (struct sip){.v = {
				    seed->k[0] ^ UINT64_C(0x736f6d6570736575),
				    seed->k[1] ^ UINT64_C(0x646f72616e646f6d),
				    seed->k[0] ^ UINT64_C(0x6c7967656e657261),
				    seed->k[1] ^ UINT64_C(0x7465646279746573),
			    }};
}

static void sip_bytes(struct sip *sip, const uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		sip->word |= (uint64_t)bytes[i] << (8 * (sip->n % 8));
		if (++sip->n % 8 == 0) {
			sip_word(sip, sip->word);
			sip->word = 0;
		}
	}
}

static uint64_t sip_end(struct sip *sip)
{
	sip_word(sip, sip->word | (uint64_t)(sip->n & 0xff) << 56);
	sip->v[2] ^= 0xff;
	for (int i = 0; i < 3; i++)
		sip_round(sip->v);
	return sip->v[0] ^ sip->v[1] ^ sip->v[2] ^ sip->v[3];
}

static uint32_t hex4(const uint8_t *digits)
{
	uint32_t value = 0;

	for (int i = 0; i < 4; i++) {
		uint8_t c = digits[i];

		value = value << 4 | (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	return value;
}

static size_t utf8_encode(uint32_t c, uint8_t ret[4])
{
	if (c < 0x80) {
		ret[0] = (uint8_t)c;
		return 1;
	}
	if (c < 0x800) {
		ret[0] = (uint8_t)(0xc0 | c >> 6);
		ret[1] = (uint8_t)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		ret[0] = (uint8_t)(0xe0 | c >> 12);
		ret[1] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
		ret[2] = (uint8_t)(0x80 | (c & 0x3f));
		return 3;
	}
	ret[0] = (uint8_t)(0xf0 | c >> 18);
	ret[1] = (uint8_t)(0x80 | (c >> 12 & 0x3f));
	ret[2] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
	ret[3] = (uint8_t)(0x80 | (c & 0x3f));
	return 4;
}

/* Reads one unit of a valid string, a byte or an escape, advances *at and
 * returns how many bytes it stands for. */
static size_t unescape(const uint8_t *text, size_t *at, uint8_t ret[4])
{
	const uint8_t *c = text + *at;
	uint32_t code;

	if (c[0] != '\\') {
		ret[0] = c[0];
		*at += 1;
		return 1;
	}
	*at += 2;
	switch (c[1]) {
	case 'b':
		ret[0] = '\b';
		return 1;
	case 'f':
		ret[0] = '\f';
		return 1;
	case 'n':
		ret[0] = '\n';
		return 1;
	case 'r':
		ret[0] = '\r';
		return 1;
	case 't':
		ret[0] = '\t';
		return 1;
	case 'u':
		break;
	default: /* '"', '\\' and '/' stand for themselves */
		ret[0] = c[1];
		return 1;
	}
	*at += 4;
	code = hex4(c + 2);
	if (code >= 0xd800 && code < 0xdc00) {
		code = 0x10000 + ((code - 0xd800) << 10) + (hex4(c + 8) - 0xdc00);
		*at += 6;
	}
	return utf8_encode(code, ret);
}

static bool escaped(const uint8_t *key, size_t length)
{
	return memchr(key, '\\', length);
}

static uint64_t hash_key(const struct json_keys *keys, uint32_t object, size_t at,
			 size_t length)
{
	struct sip sip = sip_begin(keys->seed);
	uint8_t bytes[4];

	/* A word of its own: equal keys of different objects must not meet. */
	sip_word(&sip, object);
	if (!escaped(keys->text + at, length)) {
		sip_bytes(&sip, keys->text + at, length);
		return sip_end(&sip);
	}
	for (size_t end = at + length; at < end;) {
		size_t n = unescape(keys->text, &at, bytes);

		sip_bytes(&sip, bytes, n);
	}
	return sip_end(&sip);
}

/* One side of a comparison: a key of which a unit may be half consumed. */
struct reader {
	const uint8_t *text;
	size_t at;
	size_t end;
	uint8_t unit[4];
	size_t next;
	size_t n;
};

/* The next byte, -1 at the end. */
static int read_byte(struct reader *reader)
{
	if (reader->next == reader->n) {
		if (reader->at == reader->end)
			return -1;
		reader->n = unescape(reader->text, &reader->at, reader->unit);
		reader->next = 0;
	}
	return reader->unit[reader->next++];
}

static bool same_key(const uint8_t *text, const struct json_scan_slot *slot, size_t at,
		     size_t length)
{
	struct reader a = {
		.text = text, .at = slot->at, .end = slot->at + slot->length};
	struct reader b = {.text = text, .at = at, .end = at + length};
	int byte;

	if (!escaped(text + a.at, slot->length) && !escaped(text + at, length))
		return slot->length == length &&
		       !memcmp(text + a.at, text + at, length);
	do {
		byte = read_byte(&a);
		if (byte != read_byte(&b))
			return false;
	} while (byte >= 0);
	return true;
}

bool json_keys_add(struct json_keys *keys, uint32_t object, size_t at, size_t length)
{
	uint64_t hash = hash_key(keys, object, at, length);
	size_t mask = keys->n_slots - 1;
	size_t index = hash & mask;
	uint32_t tag = (uint32_t)(hash >> 32);

	/* Ends: the table is never more than half full. */
	for (; keys->slots[index].object; index = (index + 1) & mask) {
		const struct json_scan_slot *slot = &keys->slots[index];

		if (slot->object == object && slot->hash == tag &&
		    same_key(keys->text, slot, at, length))
			return false;
	}
	keys->slots[index] = (struct json_scan_slot){
		.object = object,
		.at = (uint32_t)at,
		.length = (uint32_t)length,
		.hash = tag,
	};
	return true;
}

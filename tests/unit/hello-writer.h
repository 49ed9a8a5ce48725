/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_TESTS_HELLO_WRITER_H
#define ANET_TESTS_HELLO_WRITER_H

/* Writes hellos of TLS clients, wrong ones too. */

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct bytes {
	size_t length;
	uint8_t data[128 * 1024];
};

static inline void put(struct bytes *to, const void *data, size_t length)
{
	assert_true(length <= sizeof(to->data) - to->length);
	memcpy(to->data + to->length, data, length);
	to->length += length;
}

static inline void put_number(struct bytes *to, size_t number, size_t bytes)
{
	while (bytes-- > 0)
		put(to, &(uint8_t){(uint8_t)(number >> 8 * bytes)}, 1);
}

/* The extension server_name with one name. */
static inline void put_name(struct bytes *to, const char *name)
{
	size_t length = strlen(name);

	put_number(to, 0, 2);
	put_number(to, length + 5, 2);
	put_number(to, length + 3, 2);
	put_number(to, 0, 1);
	put_number(to, length, 2);
	put(to, name, length);
}

/* The message around these extensions. */
static inline void put_hello(struct bytes *to, const void *extensions, size_t length)
{
	uint8_t random[32] = {1, 2, 3};

	put_number(to, 1, 1);
	put_number(to, 2 + 32 + 1 + 32 + 2 + 4 + 2 + 2 + length, 3);
	put_number(to, 0x0303, 2);
	put(to, random, 32);
	put_number(to, 32, 1);
	put(to, random, 32);
	put_number(to, 4, 2);
	put_number(to, 0x13011302, 4);
	put_number(to, 0x0100, 2);
	put_number(to, length, 2);
	put(to, extensions, length);
}

/* The message in records of `size` bytes. */
static inline void put_records(struct bytes *to, const uint8_t *message, size_t length,
			       size_t size)
{
	for (size_t at = 0; at < length; at += size) {
		size_t part = length - at < size ? length - at : size;

		put_number(to, 0x160301, 3);
		put_number(to, part, 2);
		put(to, message + at, part);
	}
}

#endif

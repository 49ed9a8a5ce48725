/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as a host's name: what is taken has one spelling only, and the C library
 * takes it for an address in none of its ways to read one.
 */
#include <arpa/inet.h>
#include <netdb.h>

#include "core/hostname.h"
#include "core/limits.h"
#include "fuzz.h"

static void check_name(const char *name, size_t length)
{
	const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST};
	struct addrinfo *found;
	unsigned char address[16];
	const char *detail;
	char other[LIMIT_HOST_NAME + 2];

	demand(length > 0 && length <= LIMIT_HOST_NAME && strlen(name) == length);
	demand(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-.") == length);
	demand(inet_aton(name, (struct in_addr *)address) == 0);
	demand(inet_pton(AF_INET, name, address) == 0);
	demand(inet_pton(AF_INET6, name, address) == 0);
	demand(getaddrinfo(name, NULL, &hints, &found) == EAI_NONAME);

	memcpy(other, name, length + 1);
	other[length] = '.';
	other[length + 1] = 0;
	demand(hostname_spelling((const uint8_t *)other, length + 1, &detail) !=
	       REASON_OK);
	for (size_t i = 0; i < length; i++) {
		if (name[i] < 'a')
			continue;
		other[i] = (char)(name[i] - 'a' + 'A');
		demand(hostname_spelling((const uint8_t *)other, length, &detail) !=
		       REASON_OK);
		other[i] = name[i];
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = copy_of(data, size);
	const char *detail = NULL;
	enum reason spelling = hostname_spelling(copy, size, &detail);
	enum reason reason;

	demand((spelling == REASON_OK) == (detail == NULL));
	reason = hostname_check(copy, size, &detail);
	demand((reason == REASON_OK) == (detail == NULL));
	demand(spelling == REASON_OK || reason == spelling);
	if (spelling == REASON_OK) {
		char name[LIMIT_HOST_NAME + 1] = {0};

		demand(size <= LIMIT_HOST_NAME);
		memcpy(name, copy, size);
		check_name(name, size);
	}
	free(copy);
	return 0;
}

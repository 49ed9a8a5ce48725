/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "watch/place.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/un.h>

bool place_leaves(const char *path)
{
	const char *part = path;

	for (; part; part = strchr(part, '/')) {
		part += *part == '/';
		if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == 0))
			return true;
	}
	return false;
}

/* Adds the parts of `path` to `text`, whose length is returned; 0: no room. */
static size_t append(char text[LIMIT_SEEN_TEXT + 1], size_t used, const char *path)
{
	while (*path) {
		size_t length = strcspn(path, "/");

		if (length == 2 && memcmp(path, "..", 2) == 0) {
			while (used > 0 && text[--used] != '/')
				;
		} else if (length > 0 && !(length == 1 && *path == '.')) {
			if (length + 1 > LIMIT_SEEN_TEXT - used)
				return LIMIT_SEEN_TEXT + 1;
			text[used++] = '/';
			memcpy(text + used, path, length);
			used += length;
		}
		path += length + (path[length] == '/');
	}
	return used;
}

bool place_clean(const char *base, const char *path, char ret_path[LIMIT_SEEN_TEXT + 1])
{
	size_t used = 0;

	if (*path != '/') {
		if (*base != '/')
			return false;
		used = append(ret_path, used, base);
	}
	if (used <= LIMIT_SEEN_TEXT)
		used = append(ret_path, used, path);
	if (used > LIMIT_SEEN_TEXT)
		return false;
	if (used == 0)
		ret_path[used++] = '/';
	ret_path[used] = 0;
	return true;
}

static int of_unix(const struct sockaddr_storage *address, size_t size,
		   char ret_text[LIMIT_SEEN_TEXT + 1])
{
	const struct sockaddr_un *local = (const struct sockaddr_un *)address;
	size_t start = offsetof(struct sockaddr_un, sun_path), length;
	char path[sizeof(local->sun_path) + 1];

	/* An abstract name, or one below the directory that the caller stands in. */
	if (size <= start || local->sun_path[0] != '/')
		return AF_UNSPEC;
	length = strnlen(local->sun_path, size - start < sizeof(local->sun_path)
						  ? size - start
						  : sizeof(local->sun_path));
	memcpy(path, local->sun_path, length);
	path[length] = 0;
	return place_clean("/", path, ret_text) ? AF_UNIX : AF_UNSPEC;
}

int place_of_address(const struct sockaddr_storage *address, size_t size,
		     char ret_text[LIMIT_SEEN_TEXT + 1], unsigned int *ret_port)
{
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;
	const struct sockaddr_in *four = (const struct sockaddr_in *)address;
	struct in_addr mapped;

	*ret_port = 0;
	if (size < sizeof(address->ss_family))
		return AF_UNSPEC;
	if (address->ss_family == AF_UNIX)
		return of_unix(address, size, ret_text);
	if (address->ss_family == AF_INET && size >= sizeof(*four)) {
		mapped = four->sin_addr;
		*ret_port = ntohs(four->sin_port);
	} else if (address->ss_family == AF_INET6 &&
		   size >= offsetof(struct sockaddr_in6, sin6_scope_id)) {
		*ret_port = ntohs(six->sin6_port);
		/* RFC 4291 2.5.5.2: IPv4 by another name. */
		if (!IN6_IS_ADDR_V4MAPPED(&six->sin6_addr)) {
			if (IN6_IS_ADDR_LOOPBACK(&six->sin6_addr) ||
			    IN6_IS_ADDR_UNSPECIFIED(&six->sin6_addr))
				return AF_UNSPEC;
			(void)inet_ntop(AF_INET6, &six->sin6_addr, ret_text,
					LIMIT_SEEN_TEXT);
			return AF_INET6;
		}
		memcpy(&mapped, six->sin6_addr.s6_addr + 12, sizeof(mapped));
	} else {
		return AF_UNSPEC;
	}
	/* Its own loopback is all that a run has; 0.0.0.0 is the same to connect(). */
	if (ntohl(mapped.s_addr) >> 24 == 127 || mapped.s_addr == 0)
		return AF_UNSPEC;
	(void)inet_ntop(AF_INET, &mapped, ret_text, LIMIT_SEEN_TEXT);
	return AF_INET;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/notify.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "os/cleanup.h"

int notify_send(const char *state)
{
	const char *path = secure_getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = path ? strlen(path) : 0;
	auto_fd int fd = -1;

	if (length < 2 || (path[0] != '/' && path[0] != '@'))
		return -ENOENT;
	if (length >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, length);
	if (path[0] == '@')
		address.sun_path[0] = 0; /* an abstract name, unix(7) */
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	/* A manager that does not read must not hold a session up. */
	if (sendto(fd, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT,
		   (const struct sockaddr *)&address,
		   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)) < 0)
		return -errno;
	return 0;
}

int notify_status(const char *format, ...)
{
	char state[1024] = "STATUS=";
	size_t used = strlen(state);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(state + used, sizeof(state) - used, format, arguments);
	va_end(arguments);
	/* A line's end would begin another assignment. */
	for (char *at = state; *at; at++)
		if ((unsigned char)*at < ' ')
			*at = ' ';
	return notify_send(state);
}

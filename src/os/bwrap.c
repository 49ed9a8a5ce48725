/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/bwrap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "os/cleanup.h"

static void append(struct bwrap_arguments *arguments, const char *text)
{
	size_t length = strlen(text) + 1;

	if (arguments->failed)
		return;
	if (length > arguments->size - arguments->length) {
		size_t size = (arguments->size + length) * 2;
		char *bytes = realloc(arguments->bytes, size);

		if (!bytes) {
			arguments->failed = true;
			return;
		}
		arguments->bytes = bytes;
		arguments->size = size;
	}
	memcpy(arguments->bytes + arguments->length, text, length);
	arguments->length += length;
}

void bwrap_add(struct bwrap_arguments *arguments, ...)
{
	const char *text;
	va_list list;

	va_start(list, arguments);
	while ((text = va_arg(list, const char *)))
		append(arguments, text);
	va_end(list);
}

int memfd_sealed(const char *name, const void *bytes, size_t length, int *ret_fd)
{
	auto_fd int fd = -1;
	size_t done = 0;

	fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -errno;
	while (done < length) {
		ssize_t written = write(fd, (const char *)bytes + done, length - done);

		if (written < 0)
			return -errno;
		done += (size_t)written;
	}
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0)
		return -errno;
	if (lseek(fd, 0, SEEK_SET) < 0)
		return -errno;
	*ret_fd = take_fd(&fd);
	return 0;
}

int bwrap_arguments_seal(struct bwrap_arguments *arguments, int *ret_fd)
{
	auto_free char *bytes = take_ptr(arguments->bytes);

	if (arguments->failed)
		return -ENOMEM;
	return memfd_sealed("anet-bwrap-arguments", bytes, arguments->length, ret_fd);
}

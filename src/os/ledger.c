/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/cleanup.h"

int ledger_create(struct ledger **ret_ledger, int *ret_fd, int *ret_read_fd)
{
	auto_fd int fd = memfd_create("anet-ledger", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	auto_fd int read_fd = -1;
	struct ledger *ledger;
	char path[32];

	if (fd < 0 || ftruncate(fd, LEDGER_BYTES) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW) < 0)
		return -errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (read_fd < 0)
		return -errno;
	ledger = mmap(NULL, LEDGER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ledger == MAP_FAILED)
		return -errno;
	ledger->session.magic = LEDGER_MAGIC;
	ledger->session.version = LEDGER_VERSION;
	*ret_ledger = ledger;
	*ret_fd = take_fd(&fd);
	*ret_read_fd = take_fd(&read_fd);
	return 0;
}

int ledger_map(int fd, bool writable, struct ledger **ret_ledger)
{
	/* Else whoever has another descriptor could end its readers by SIGBUS. */
	const int needed = F_SEAL_GROW | F_SEAL_SHRINK;
	int seals = fcntl(fd, F_GET_SEALS), flags = fcntl(fd, F_GETFL);
	struct ledger *ledger;
	struct stat status;

	if (seals < 0 || flags < 0 || (seals & needed) != needed ||
	    (!writable && (flags & O_ACCMODE) != O_RDONLY))
		return -EBADMSG;
	if (fstat(fd, &status) < 0)
		return -errno;
	if (status.st_size != LEDGER_BYTES)
		return -EBADMSG;
	ledger = mmap(NULL, LEDGER_BYTES, writable ? PROT_READ | PROT_WRITE : PROT_READ,
		      MAP_SHARED, fd, 0);
	if (ledger == MAP_FAILED)
		return -errno;
	if (ledger->session.magic != LEDGER_MAGIC ||
	    ledger->session.version != LEDGER_VERSION) {
		(void)munmap(ledger, LEDGER_BYTES);
		return -EBADMSG;
	}
	*ret_ledger = ledger;
	return 0;
}

void ledger_fields(const struct ledger *ledger, const struct policy_limits *limits,
		   char ret_fields[LEDGER_FIELDS])
{
	const struct {
		const char *name;
		uint64_t limit;
		const _Atomic uint64_t *used;
	} fields[] = {
		{"anet-requests-left", limits->requests, &ledger->upstream.requests},
		{"anet-request-bytes-left", limits->request_bytes,
		 &ledger->upstream.request_bytes},
	};
	size_t length = 0;

	ret_fields[0] = 0;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		uint64_t used = atomic_load(fields[i].used);

		if (fields[i].limit == 0)
			continue; /* unlimited */
		length += (size_t)snprintf(ret_fields + length, LEDGER_FIELDS - length,
					   "%s: %ju\r\n", fields[i].name,
					   (uintmax_t)(used < fields[i].limit
							       ? fields[i].limit - used
							       : 0));
	}
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strategies/identity.h"

#include <inttypes.h>
#include <stdint.h>
#include <sys/stat.h>

/* FNV-1a, 64 bits: tells configurations apart. */
static uint64_t digest(const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ at[i]) * 0x100000001b3u;
	return hash;
}

static char *file_identity(struct arena *arena, const char *path)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return arena_format(arena, "%s -", path);
	return arena_format(arena, "%s %ju:%ju:%jd.%09ld", path,
			    (uintmax_t)status.st_dev, (uintmax_t)status.st_ino,
			    (intmax_t)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

char *probe_identity(struct arena *arena, uid_t uid, const struct config *config)
{
	const bool offered[] = {config->sandbox.host, config->sandbox.srt,
				config->sandbox.microsandbox};

	return arena_format(arena, "%s %ju %s %s %016" PRIx64, PACKAGE_VERSION,
			    (uintmax_t)uid, file_identity(arena, ANET_BWRAP),
			    file_identity(arena, ANET_HELPER_DIR "/anet-session"),
			    digest(offered, sizeof(offered)));
}

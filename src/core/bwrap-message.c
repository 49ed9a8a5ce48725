/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/bwrap-message.h"

#include <string.h>

static const struct wording {
	const char *text;
	/* With AppArmor's restriction, and without. */
	enum reason restricted, otherwise;
} wordings[] = {
	/* The errno that follows differs between versions of bwrap. */
	{ "loopback: Failed RTM_NEWADDR", REASON_USERNS_BLOCKED, REASON_SANDBOX_START_FAILED },
	{ "setting up uid map", REASON_USERNS_BLOCKED, REASON_USERNS_UNAVAILABLE },
	{ "No permissions to create", REASON_USERNS_BLOCKED, REASON_USERNS_UNAVAILABLE },
	{ "Creating new namespace failed: Permission denied", REASON_USERNS_BLOCKED,
	  REASON_USERNS_UNAVAILABLE },
	{ "Creating new namespace failed", REASON_USERNS_UNAVAILABLE, REASON_USERNS_UNAVAILABLE },
	/* Part of the host's own /proc is covered: a container in a container. */
	{ "Can't mount proc", REASON_USERNS_UNAVAILABLE, REASON_USERNS_UNAVAILABLE },
	{ "Failed to make / slave", REASON_USERNS_UNAVAILABLE, REASON_USERNS_UNAVAILABLE },
	{ "SECCOMP", REASON_SECCOMP_FAILED, REASON_SECCOMP_FAILED },
	{ "seccomp", REASON_SECCOMP_FAILED, REASON_SECCOMP_FAILED },
};

static bool contains(const char *message, size_t length, const char *text)
{
	size_t wanted = strlen(text);

	for (size_t i = 0; i + wanted <= length; i++)
		if (memcmp(message + i, text, wanted) == 0)
			return true;
	return false;
}

enum reason bwrap_message_reason(const char *message, size_t length, bool restricted)
{
	for (size_t i = 0; i < sizeof(wordings) / sizeof(wordings[0]); i++)
		if (contains(message, length, wordings[i].text))
			return restricted ? wordings[i].restricted : wordings[i].otherwise;
	return REASON_SANDBOX_START_FAILED;
}

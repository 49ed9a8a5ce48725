/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/session-unit.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/session-dir.h"

/* Where version 2 is mounted beside version 1, and systemd's own hierarchy where
 * it is not mounted at all (systemd: CGROUP_DELEGATION, "Three Different Tree
 * Setups"). */
#define UNIFIED "/unified"
#define LEGACY "/systemd"

static bool is_version_2(const char *path)
{
	struct statfs filesystem;

	return statfs(path, &filesystem) == 0 &&
	       filesystem.f_type == CGROUP2_SUPER_MAGIC;
}

/* The path of a line "0::PATH" or "ID:name=systemd:PATH" (cgroups(7)). */
static bool read_own_path(const char *mark, char *ret_path, size_t size)
{
	auto_file FILE *file = fopen("/proc/self/cgroup", "re");
	char line[CGROUP_PATH_MAX + 64];

	while (file && fgets(line, sizeof(line), file)) {
		const char *place = strchr(line, ':');
		size_t length;

		if (!place || strncmp(place, mark, strlen(mark)) != 0)
			continue;
		place += strlen(mark);
		length = strcspn(place, "\n");
		if (!place[length] || length >= size)
			return false;
		memcpy(ret_path, place, length);
		ret_path[length] = 0;
		return true;
	}
	return false;
}

bool session_unit_arguments(int argc, char *const argv[], const char **ret_template,
			    const char **ret_instance)
{
	bool host = argc > 1 && strcmp(argv[1], "--host") == 0;

	if (argc != (host ? 3 : 2))
		return false;
	*ret_template = host ? HOST_UNIT_TEMPLATE : SESSION_UNIT_TEMPLATE;
	*ret_instance = argv[argc - 1];
	return true;
}

void session_unit_self(const char *template, const char *instance,
		       struct session_unit *ret_unit)
{
	const char *base = LEGACY, *mark = ":name=systemd:";
	char path[CGROUP_PATH_MAX - sizeof(UNIFIED)];

	if (is_version_2(CGROUP_ROOT)) {
		base = "";
		mark = "::";
	} else if (is_version_2(CGROUP_ROOT UNIFIED)) {
		base = UNIFIED;
		mark = "::";
	}
	snprintf(ret_unit->name, sizeof(ret_unit->name), "%s@%s", template, instance);
	ret_unit->cgroup[0] = 0;
	if (read_own_path(mark, path, sizeof(path)))
		snprintf(ret_unit->cgroup, sizeof(ret_unit->cgroup), "%s%s", base,
			 path);
}

int session_unit_write(int directory, const struct session_unit *unit)
{
	char text[sizeof(*unit) + 2];
	int length =
		snprintf(text, sizeof(text), "%s\n%s\n", unit->name, unit->cgroup);

	return session_record_write(directory, SESSION_UNIT_FILE, 0444, text,
				    (size_t)length);
}

/* The next line, without its end. */
static bool next_line(char **text, char *ret_line, size_t size)
{
	char *end = strchr(*text, '\n');
	size_t length;

	if (!end)
		return false;
	length = (size_t)(end - *text);
	if (length >= size)
		return false;
	memcpy(ret_line, *text, length);
	ret_line[length] = 0;
	*text = end + 1;
	return true;
}

int session_unit_read(int directory, struct session_unit *ret_unit)
{
	auto_fd int fd = session_record_open(directory, SESSION_UNIT_FILE, 0444);
	char bytes[sizeof(*ret_unit) + 3], *text = bytes;
	struct session_unit unit;
	ssize_t length;

	if (fd < 0)
		return fd;
	length = read(fd, bytes, sizeof(bytes) - 1);
	if (length < 0)
		return -errno;
	bytes[length] = 0;
	if (!next_line(&text, unit.name, sizeof(unit.name)) ||
	    !next_line(&text, unit.cgroup, sizeof(unit.cgroup)) || *text)
		return -EBADMSG;
	*ret_unit = unit;
	return 0;
}

bool session_unit_session(const struct session_unit *unit,
			  struct session_name *ret_session)
{
	static const char *const templates[] = {SESSION_UNIT_TEMPLATE "@",
						HOST_UNIT_TEMPLATE "@"};

	for (size_t i = 0; i < 2; i++) {
		size_t length = strlen(templates[i]);

		if (strncmp(unit->name, templates[i], length) == 0)
			return session_name_parse(unit->name + length, ret_session);
	}
	return false;
}

bool session_unit_is_alive(const struct session_unit *unit)
{
	char path[sizeof(CGROUP_ROOT) + CGROUP_PATH_MAX];

	if (!unit->cgroup[0])
		return false;
	snprintf(path, sizeof(path), CGROUP_ROOT "%s", unit->cgroup);
	return access(path, F_OK) == 0;
}

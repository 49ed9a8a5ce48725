/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/retired.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/config-table.h"
#include "os/cleanup.h"
#include "os/report.h"
#include "os/session-dir.h"

#define TOLD_FILE "retired-keys-told"
#define TOLD_BYTES (64 * 1024)

const char *retired_backend(struct json_object *value)
{
	(void)value;
	return ": it is ignored, but for agents with `runInSandbox` and no "
	       "`strategy`; delete it from this file";
}

const char *retired_require_sandbox(struct json_object *value)
{
	return json_object_get_boolean(value)
		       ? " and read as sandbox.host: false; write that, and delete it "
			 "from this file"
		       : " and says nothing; delete it from this file";
}

const char *retired_execution(struct json_object *value)
{
	(void)value;
	return " and read as `strategy`; write that, and delete it from this file";
}

const char *retired_run_in_sandbox(struct json_object *value)
{
	return json_object_get_boolean(value)
		       ? "; write `strategy` with the sandbox that is meant, and "
			 "delete it from this file"
		       : " and read as `strategy`: \"host\"; write that, and delete it "
			 "from this file";
}

const char *retired_check_backend(const char *text)
{
	return strcmp(text, "host") == 0 || strcmp(text, "none") == 0
		       ? "agents that were saved for a sandbox would run without one"
		       : NULL;
}

char *retired_strategy(struct arena *arena, const struct retired_agent *agent,
		       const char *backend)
{
	if (agent->execution)
		return agent->execution;
	if (agent->run_in_sandbox == CONFIG_GIVEN_FALSE)
		return arena_copy(arena, "host");
	if (agent->run_in_sandbox == CONFIG_GIVEN_TRUE)
		return arena_copy(arena, backend ? backend : "srt");
	return NULL;
}

/* What was told, a line each; "" if nothing. */
static char *read_told(struct arena *arena, int directory)
{
	auto_fd int fd =
		openat(directory, TOLD_FILE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char *text = arena_get(arena, TOLD_BYTES + 1);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) ||
	    read(fd, text, TOLD_BYTES) < 0)
		text[0] = 0;
	return text;
}

static bool has_line(const char *text, const char *line)
{
	size_t length = strlen(line);

	for (const char *at = text; (at = strstr(at, line)); at += length)
		if ((at == text || at[-1] == '\n') && at[length] == '\n')
			return true;
	return false;
}

/* Added, so that of two sessions that start at once none takes back what the other
 * has told.  What cannot be noted is told again. */
static void add_told(int directory, const char *line)
{
	auto_fd int fd =
		openat(directory, TOLD_FILE,
		       O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd >= 0)
		(void)dprintf(fd, "%s\n", line);
}

char **retired_untold(struct arena *arena, const struct places *places,
		      const struct config *config)
{
	auto_fd int directory = -1;
	const char *told = "";
	struct list untold = {0};

	if (config->warnings.n && places->runtime)
		directory = runtime_dir_open(places->runtime);
	if (directory >= 0)
		told = read_told(arena, directory);
	for (size_t i = 0; i < config->warnings.n; i++) {
		char *warning = config->warnings.items[i];

		if (has_line(told, warning))
			continue;
		list_add(arena, &untold, warning);
		if (directory >= 0)
			add_told(directory, warning);
	}
	return list_items(arena, &untold);
}

void retired_tell(struct arena *arena, const struct places *places,
		  const struct config *config, const char *helper, const char *session,
		  const char *agent)
{
	char **untold = retired_untold(arena, places, config);

	for (; *untold; untold++) {
		const struct record record = {
			.reason = REASON_KEY_RETIRED,
			.session = session,
			.agent = agent,
			.helper = helper,
			.detail = *untold,
			.warning = true,
		};

		report_tell(&record);
	}
}

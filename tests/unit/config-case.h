/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_TESTS_CONFIG_CASE_H
#define ANET_TESTS_CONFIG_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "config/config.h"
#include "temporary.h"

/* A machine of the test's own: etc/, share/ with two runtimes, user/, run/ and
 * user-run/, all below the temporary directory. */
static struct arena arena;
static struct detail detail;

static inline struct places places(void)
{
	return (struct places){
		.uid = geteuid(),
		.system = arena_copy(&arena, temporary_path("etc")),
		.data = arena_copy(&arena, temporary_path("share")),
		.user = arena_copy(&arena, temporary_path("user")),
		.machine = arena_copy(&arena, temporary_path("run")),
		.runtime = arena_copy(&arena, temporary_path("user-run")),
	};
}

static inline int begin(void **state)
{
	int r = temporary_make(state);

	temporary_file("share/runtimes/claude.json", 0644, "{}");
	temporary_file("share/runtimes/command.json", 0644, "{}");
	return r;
}

static inline int end(void **state)
{
	arena_free(&arena);
	return temporary_remove(state);
}

static inline enum reason load(struct config *ret_config)
{
	struct places here = places();

	memset(&detail, 0, sizeof(detail));
	return config_load(&arena, &here, ret_config, &detail);
}

static inline enum reason load_agent(const char *name, struct config *config,
				     struct agent *ret_agent)
{
	struct places here = places();

	memset(&detail, 0, sizeof(detail));
	return agent_load(&arena, &here, name, config, ret_agent, &detail);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

#endif

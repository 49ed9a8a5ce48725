/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "strategies/selection.h"

#define START                                                                          \
	"agent \"demo\" runs its sessions in the srt strategy, which this machine "    \
	"cannot run: "

/* As a probe leaves it on a machine where all is well. */
static struct strategies *make_table(struct arena *arena)
{
	static const struct config all = {.sandbox = {.host = true, .srt = true}};
	struct strategies *table = arena_get(arena, sizeof(*table));

	strategies_unprobed(arena, &all, table);
	table->rows[1].available = true;
	table->rows[1].reason = REASON_OK;
	table->rows[1].detail = "";
	return table;
}

/* SPEC S9: a mount that a strategy cannot make takes that strategy away, for whom it
 * is for; others go on. */
static const struct {
	const char *name;
	const char *source, *target; /* of the agent */
	const char *machine;	     /* of all */
	enum reason srt;
	const char *part; /* of why not */
	const char *fresh;
} mounts[] = {
	{"none", NULL, NULL, NULL, REASON_OK, "", "srt"},
	{"good", "/usr/share", NULL, NULL, REASON_OK, "", "srt"},
	{"good, of all", NULL, NULL, "/usr/share", REASON_OK, "", "srt"},
	{"elsewhere", "/usr/share", "/opt/share", NULL, REASON_MOUNT_UNSUPPORTED,
	 "/opt/share", NULL},
	{"not there", "/nonexistent", NULL, NULL, REASON_MOUNT_INVALID, "/nonexistent",
	 NULL},
	{"not there, of all", NULL, NULL, "/nonexistent", REASON_MOUNT_INVALID,
	 "/nonexistent", NULL},
};

static void check_mount(size_t i, bool host)
{
	struct arena arena = {0};
	struct places places = {.system = "/nonexistent", .data = "/nonexistent"};
	struct config_mount own = {(char *)mounts[i].source, (char *)mounts[i].target,
				   CONFIG_MOUNT_READONLY};
	struct config_mount all = {(char *)mounts[i].machine, NULL,
				   CONFIG_MOUNT_READONLY};
	struct config config;
	struct agent agent = {.name = "demo", .strategy = (char *)"srt"};
	struct selection_case of = {.places = &places,
				    .config = &config,
				    .agent = &agent,
				    .table = make_table(&arena)};
	enum policy_strategy strategy;
	struct selection selection;
	struct detail detail = {0};
	const char *fresh = host ? "host" : mounts[i].fresh;

	config = (struct config){.sandbox = {.host = host, .srt = true}};
	if (mounts[i].source)
		agent.mounts = (struct config_mounts){&own, 1};
	if (mounts[i].machine)
		config.sandbox.mounts = (struct config_mounts){&all, 1};
	selection_make(&arena, &of, &selection);
	if (selection.reason != mounts[i].srt ||
	    !strstr(selection.detail, mounts[i].part))
		fail_msg("%s: %s", mounts[i].name, selection.detail);
	if (!fresh != !selection.fresh ||
	    (fresh && strcmp(fresh, selection.fresh) != 0))
		fail_msg("%s: %s", mounts[i].name, selection.fresh);
	if (selection_check_start(&arena, &of, &strategy, &detail) != mounts[i].srt)
		fail_msg("%s: %s", mounts[i].name, detail.text);
	if (mounts[i].srt != REASON_OK &&
	    strncmp(detail.text, START, strlen(START)) != 0)
		fail_msg("%s: %s", mounts[i].name, detail.text);
	arena_free(&arena);
}

static void test_mounts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		check_mount(i, false);
		check_mount(i, true);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_mounts)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

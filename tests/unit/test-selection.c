/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "strategies/selection.h"

/* What was found when the machine was probed. */
enum probed {
	UNPROBED, /* there is no table yet */
	GOOD,
	BAD, /* bubblewrap is not installed */
	WAS_OFF,
};

#define OFF(name) "sandbox." name " is off on this machine"
#define NO_BWRAP "bubblewrap (/usr/bin/bwrap) is not installed"
#define NOT_BUILT "microsandbox is not part of this build"
#define GONE "not offered where this agent is placed"
#define NOT_PROBED "it was not probed yet: `systemctl restart anet-probe` does that"
#define NOT_THEN                                                                       \
	"sandbox.srt was off when this machine was probed: `systemctl restart "        \
	"anet-probe` probes anew"
#define REQUIRED "`--require-sandbox` refuses sessions without a sandbox"
#define START(strategy)                                                                \
	"agent \"demo\" runs its sessions in the " strategy                            \
	" strategy, which this machine cannot run: "

#define HOST 1u
#define SRT 2u
#define MICRO 4u
#define ALL (HOST | SRT | MICRO)

static void make_config(unsigned int offered, struct config *ret_config)
{
	*ret_config = (struct config){
		.sandbox = {.host = offered & HOST,
			    .srt = offered & SRT,
			    .microsandbox = offered & MICRO},
	};
}

/* The table that the boot probe would have written. */
static struct strategies *make_table(struct arena *arena, enum probed probed)
{
	struct strategies *table = arena_get(arena, sizeof(*table));
	struct strategy_row *srt = &table->rows[1];
	struct config config;

	if (probed == UNPROBED)
		return NULL;
	make_config(probed == WAS_OFF ? 0 : ALL, &config);
	strategies_unprobed(arena, &config, table);
	table->probed_at = 1000;
	table->identity = "x";
	if (probed == GOOD)
		*srt = (struct strategy_row){.name = "srt",
					     .boundary = "b",
					     .offered = true,
					     .available = true,
					     .reason = REASON_OK,
					     .detail = ""};
	if (probed == BAD) {
		srt->reason = REASON_NO_BWRAP;
		srt->detail = NO_BWRAP;
	}
	return table;
}

/* SPEC S1.5 and S1.6: offered × available × saved × flag. */
static const struct {
	const char *name;
	unsigned int offered;
	enum probed probed;
	const char *saved; /* NULL: none */
	bool require;
	enum reason reason; /* of a start */
	const char *shown;  /* next to the saved choice */
	const char *refusal;
	enum policy_strategy strategy; /* if it may start */
} starts[] = {
	/* No saved strategy, or an agent without a file: srt, whatever else there is.
	 */
	{"unsaved", ALL, GOOD, NULL, false, REASON_OK, "", NULL, STRATEGY_SRT},
	{"unsaved, required", ALL, GOOD, NULL, true, REASON_OK, "", NULL, STRATEGY_SRT},
	{"unsaved, host off", SRT, GOOD, NULL, false, REASON_OK, "", NULL,
	 STRATEGY_SRT},
	{"unsaved, srt bad", ALL, BAD, NULL, false, REASON_NO_BWRAP, NO_BWRAP,
	 START("srt") NO_BWRAP, 0},
	{"unsaved, srt off", HOST | MICRO, GOOD, NULL, false, REASON_STRATEGY_OFF,
	 OFF("srt"), START("srt") OFF("srt"), 0},
	{"unsaved, no table", ALL, UNPROBED, NULL, false, REASON_NO_STRATEGY,
	 NOT_PROBED, START("srt") NOT_PROBED, 0},
	{"unsaved, srt was off", ALL, WAS_OFF, NULL, false, REASON_STRATEGY_UNAVAILABLE,
	 NOT_THEN, START("srt") NOT_THEN, 0},
	{"unsaved, nothing offered", 0, GOOD, NULL, false, REASON_STRATEGY_OFF,
	 OFF("srt"), START("srt") OFF("srt"), 0},

	{"srt", ALL, GOOD, "srt", false, REASON_OK, "", NULL, STRATEGY_SRT},
	{"srt, required", ALL, GOOD, "srt", true, REASON_OK, "", NULL, STRATEGY_SRT},
	{"srt bad", ALL, BAD, "srt", false, REASON_NO_BWRAP, NO_BWRAP,
	 START("srt") NO_BWRAP, 0},
	{"srt bad, required", ALL, BAD, "srt", true, REASON_NO_BWRAP, NO_BWRAP,
	 START("srt") NO_BWRAP, 0},
	{"srt withdrawn", HOST | MICRO, GOOD, "srt", false, REASON_STRATEGY_OFF, GONE,
	 START("srt") OFF("srt"), 0},
	{"srt withdrawn, bad", HOST | MICRO, BAD, "srt", false, REASON_STRATEGY_OFF,
	 GONE, START("srt") OFF("srt"), 0},
	{"srt withdrawn, no table", HOST, UNPROBED, "srt", false, REASON_STRATEGY_OFF,
	 GONE, START("srt") OFF("srt"), 0},
	{"srt, no table", ALL, UNPROBED, "srt", false, REASON_NO_STRATEGY, NOT_PROBED,
	 START("srt") NOT_PROBED, 0},
	{"srt was off", ALL, WAS_OFF, "srt", false, REASON_STRATEGY_UNAVAILABLE,
	 NOT_THEN, START("srt") NOT_THEN, 0},

	{"host", ALL, GOOD, "host", false, REASON_OK, "", NULL, STRATEGY_HOST},
	{"host, srt bad", ALL, BAD, "host", false, REASON_OK, "", NULL, STRATEGY_HOST},
	{"host, no table", ALL, UNPROBED, "host", false, REASON_OK, "", NULL,
	 STRATEGY_HOST},
	{"host was off", ALL, WAS_OFF, "host", false, REASON_OK, "", NULL,
	 STRATEGY_HOST},
	{"host, required", ALL, GOOD, "host", true, REASON_SANDBOX_REQUIRED, REQUIRED,
	 START("host") REQUIRED, 0},
	{"host, required, no table", ALL, UNPROBED, "host", true,
	 REASON_SANDBOX_REQUIRED, REQUIRED, START("host") REQUIRED, 0},
	{"host withdrawn", SRT, GOOD, "host", false, REASON_STRATEGY_OFF, GONE,
	 START("host") OFF("host"), 0},
	{"host withdrawn, required", SRT, GOOD, "host", true, REASON_STRATEGY_OFF, GONE,
	 START("host") OFF("host"), 0},

	{"microsandbox", ALL, GOOD, "microsandbox", false, REASON_STRATEGY_NOT_BUILT,
	 NOT_BUILT, START("microsandbox") NOT_BUILT, 0},
	{"microsandbox, required", ALL, GOOD, "microsandbox", true,
	 REASON_STRATEGY_NOT_BUILT, NOT_BUILT, START("microsandbox") NOT_BUILT, 0},
	{"microsandbox, no table", ALL, UNPROBED, "microsandbox", false,
	 REASON_STRATEGY_NOT_BUILT, NOT_BUILT, START("microsandbox") NOT_BUILT, 0},
	{"microsandbox withdrawn", HOST | SRT, GOOD, "microsandbox", false,
	 REASON_STRATEGY_OFF, GONE, START("microsandbox") OFF("microsandbox"), 0},

	{"unknown", ALL, GOOD, "docker", false, REASON_STRATEGY_UNKNOWN,
	 "this machine has no \"docker\" execution strategy",
	 START("docker") "this machine has no \"docker\" execution strategy", 0},
	{"unknown, required", ALL, GOOD, "docker", true, REASON_STRATEGY_UNKNOWN,
	 "this machine has no \"docker\" execution strategy",
	 START("docker") "this machine has no \"docker\" execution strategy", 0},
	{"upper case", ALL, GOOD, "SRT", false, REASON_STRATEGY_UNKNOWN,
	 "this machine has no \"SRT\" execution strategy",
	 START("SRT") "this machine has no \"SRT\" execution strategy", 0},
	{"a terminal's escape", ALL, GOOD, "\033[2J", false, REASON_STRATEGY_UNKNOWN,
	 "this machine has no \"\\x1b[2J\" execution strategy",
	 START("\\x1b[2J") "this machine has no \"\\x1b[2J\" execution strategy", 0},
};

/* Hosts that it may reach, and without a boundary: SPEC S8.1. */
static void hosts_need_a_boundary(void **state)
{
	static char host[] = "pypi.org", *hosts[] = {host, NULL};
	static const struct {
		const char *saved;
		struct config_egress egress;
		enum reason reason;
	} rows[] = {
		{"host", {0}, REASON_OK},
		{"host", {.hosts = hosts + 1}, REASON_OK},
		{"host", {.hosts = hosts}, REASON_EGRESS_UNSUPPORTED},
		{"host", {.word = CONFIG_EGRESS_PUBLIC}, REASON_EGRESS_UNSUPPORTED},
		{"srt", {.hosts = hosts}, REASON_OK},
		{"srt", {.word = CONFIG_EGRESS_PUBLIC}, REASON_OK},
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena arena = {0};
		struct config config;
		struct agent agent = {.name = "demo",
				      .strategy = (char *)rows[i / 2].saved,
				      .egress = rows[i / 2].egress};
		struct selection_case of = {.config = &config,
					    .agent = &agent,
					    .table = i % 2 ? make_table(&arena, GOOD)
							   : NULL};
		enum policy_strategy strategy = 0;
		struct detail detail = {0};
		enum reason reason, want = rows[i / 2].reason;

		make_config(ALL, &config);
		reason = selection_check_start(&arena, &of, &strategy, &detail);
		/* Without a probe nothing is known of srt. */
		if (!of.table && strcmp(agent.strategy, "srt") == 0)
			want = REASON_NO_STRATEGY;
		if (reason != want)
			fail_msg("row %zu: %s", i, detail.text);
		arena_free(&arena);
	}
}

static void check_start(size_t i)
{
	struct arena arena = {0};
	struct config config;
	struct agent agent = {.name = "demo", .strategy = (char *)starts[i].saved};
	struct selection_case of = {.config = &config,
				    .agent = &agent,
				    .table = make_table(&arena, starts[i].probed),
				    .require_sandbox = starts[i].require};
	enum policy_strategy strategy = 0;
	struct selection selection;
	struct detail detail = {0};

	make_config(starts[i].offered, &config);
	if (selection_check_start(&arena, &of, &strategy, &detail) != starts[i].reason)
		fail_msg("%s: other reason: %s", starts[i].name, detail.text);
	if (strategy != starts[i].strategy)
		fail_msg("%s: strategy %d", starts[i].name, strategy);
	if (starts[i].refusal && strcmp(detail.text, starts[i].refusal) != 0)
		fail_msg("%s: %s", starts[i].name, detail.text);
	selection_make(&arena, &of, &selection);
	if (selection.reason != starts[i].reason ||
	    strcmp(selection.detail, starts[i].shown) != 0)
		fail_msg("%s: shows %s", starts[i].name, selection.detail);
	/* The saved choice stays, whatever becomes of it. */
	if (selection.saved != starts[i].saved ||
	    strcmp(selection.strategy, starts[i].saved ? starts[i].saved : "srt") != 0)
		fail_msg("%s: the choice went", starts[i].name);
	arena_free(&arena);
}

static void test_start(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		check_start(i);
}

/* No agent can be without a boundary that was not asked for, in all cases there are. */
static void test_no_fallback(void **state)
{
	static const char *const saved[] = {NULL, "host", "srt", "microsandbox", "x"};
	struct arena arena = {0};

	(void)state;
	for (unsigned int offered = 0; offered <= ALL; offered++)
		for (enum probed probed = UNPROBED; probed <= WAS_OFF; probed++)
			for (size_t i = 0; i < 10; i++) {
				struct config config;
				struct agent agent = {.name = "demo",
						      .strategy = (char *)saved[i / 2]};
				struct selection_case of = {
					.config = &config,
					.agent = &agent,
					.table = make_table(&arena, probed),
					.require_sandbox = i % 2};
				enum policy_strategy got = 0;
				struct detail detail;
				bool asked = saved[i / 2] &&
					     strcmp(saved[i / 2], "host") == 0;

				make_config(offered, &config);
				if (selection_check_start(&arena, &of, &got, &detail) !=
				    REASON_OK)
					continue;
				assert_true(got == STRATEGY_HOST ? asked
								 : got == STRATEGY_SRT);
				assert_true(offered & (1u << (got - 1)));
				assert_false(of.require_sandbox &&
					     got == STRATEGY_HOST);
			}
	arena_free(&arena);
}

/* SPEC S1.4 and S1.5: what a new agent gets. */
static const struct {
	const char *name;
	unsigned int offered;
	enum probed probed;
	bool require;
	const char *fresh; /* NULL: the refusal below */
	const char *refusal;
} news[] = {
	{"all", ALL, GOOD, false, "host", NULL},
	{"all, required", ALL, GOOD, true, "srt", NULL},
	{"srt bad", ALL, BAD, false, "host", NULL},
	{"no table", ALL, UNPROBED, false, "host", NULL},
	{"host off", SRT | MICRO, GOOD, false, "srt", NULL},
	{"host off, srt bad", SRT | MICRO, BAD, false, NULL,
	 "startup refused: no execution strategy can run on this machine "
	 "(host: " OFF("host") "; srt: " NO_BWRAP "; microsandbox: " NOT_BUILT ")"},
	{"required, srt bad", ALL, BAD, true, NULL,
	 "startup refused: no execution strategy can run on this machine "
	 "(host: " REQUIRED "; srt: " NO_BWRAP "; microsandbox: " NOT_BUILT ")"},
	{"nothing offered", 0, GOOD, false, NULL,
	 "startup refused: no execution strategy can run on this machine "
	 "(host: " OFF("host") "; srt: " OFF("srt") "; microsandbox: " OFF(
		 "microsandbox") ")"},
};

static void test_new(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(news) / sizeof(news[0]); i++) {
		struct arena arena = {0};
		struct config config;
		struct selection_case of = {.config = &config,
					    .table = make_table(&arena, news[i].probed),
					    .require_sandbox = news[i].require};
		struct selection selection;

		make_config(news[i].offered, &config);
		selection_make(&arena, &of, &selection);
		assert_null(selection.strategy);
		assert_null(selection.saved);
		if (!news[i].fresh != !selection.fresh ||
		    (news[i].fresh && strcmp(news[i].fresh, selection.fresh) != 0))
			fail_msg("%s: %s", news[i].name, selection.fresh);
		if (selection.reason !=
		    (news[i].refusal ? REASON_NO_STRATEGY : REASON_OK))
			fail_msg("%s: reason", news[i].name);
		if (strcmp(selection.detail, news[i].refusal ? news[i].refusal : "") !=
		    0)
			fail_msg("%s: %s", news[i].name, selection.detail);
		arena_free(&arena);
	}
}

/* SPEC S1.5: what may be saved. */
static const struct {
	const char *name;
	unsigned int offered;
	enum probed probed;
	const char *strategy;
	enum reason reason;
	const char *refusal;
} saves[] = {
	{"host", ALL, GOOD, "host", REASON_OK, NULL},
	{"srt", ALL, GOOD, "srt", REASON_OK, NULL},
	{"srt bad", ALL, BAD, "srt", REASON_NO_BWRAP,
	 "the srt strategy cannot be chosen: " NO_BWRAP},
	{"host off", SRT, GOOD, "host", REASON_STRATEGY_OFF,
	 "the host strategy cannot be chosen: " OFF("host")},
	{"microsandbox", ALL, GOOD, "microsandbox", REASON_STRATEGY_NOT_BUILT,
	 "the microsandbox strategy cannot be chosen: " NOT_BUILT},
	{"microsandbox off", HOST, GOOD, "microsandbox", REASON_STRATEGY_OFF,
	 "the microsandbox strategy cannot be chosen: " OFF("microsandbox")},
	{"unknown", ALL, GOOD, "docker", REASON_STRATEGY_UNKNOWN,
	 "this machine has no \"docker\" execution strategy"},
	{"empty", ALL, GOOD, "", REASON_STRATEGY_UNKNOWN,
	 "this machine has no \"\" execution strategy"},
};

static void test_save(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(saves) / sizeof(saves[0]); i++) {
		struct arena arena = {0};
		struct config config;
		struct selection_case of = {
			.config = &config,
			.table = make_table(&arena, saves[i].probed)};
		struct selection selection;
		struct detail detail = {0};

		make_config(saves[i].offered, &config);
		selection_make(&arena, &of, &selection);
		if (selection_check_save(&selection, saves[i].strategy, &detail) !=
		    saves[i].reason)
			fail_msg("%s: %s", saves[i].name, detail.text);
		if (saves[i].refusal && strcmp(detail.text, saves[i].refusal) != 0)
			fail_msg("%s: %s", saves[i].name, detail.text);
		arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts_need_a_boundary),
		cmocka_unit_test(test_start),
		cmocka_unit_test(test_no_fallback),
		cmocka_unit_test(test_new),
		cmocka_unit_test(test_save),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

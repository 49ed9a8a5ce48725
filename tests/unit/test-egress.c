/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config-case.h"

#include "config/egress.h"

/* What an option says, and what a policy has of it. */
static const struct {
	const char *text;
	enum policy_egress kind;
	const char *hosts; /* with blanks between them */
	const char *why;   /* it is refused: a part of the sentence */
} options[] = {
	{"none", EGRESS_NONE, "", NULL},
	{"public", EGRESS_PUBLIC, "", NULL},
	{"pypi.org", EGRESS_LIST, "pypi.org", NULL},
	{"pypi.org,files.pythonhosted.org", EGRESS_LIST,
	 "pypi.org files.pythonhosted.org", NULL},
	{"xn--bcher-kva.example", EGRESS_LIST, "xn--bcher-kva.example", NULL},
	{"", EGRESS_NONE, "", "names no host"},
	{",", EGRESS_NONE, "", "has \"\", which is no host"},
	{"pypi.org,", EGRESS_NONE, "", "has \"\", which is no host"},
	{",pypi.org", EGRESS_NONE, "", "has \"\", which is no host"},
	{"a.org,,b.org", EGRESS_NONE, "", "has \"\", which is no host"},
	{"a.org, b.org", EGRESS_NONE, "", "has \" b.org\""},
	{"a.org,a.org", EGRESS_NONE, "", "it stands there twice"},
	{"none,a.org", EGRESS_NONE, "", "this word stands alone"},
	{"a.org,public", EGRESS_NONE, "", "this word stands alone"},
	{"*.pypi.org", EGRESS_NONE, "", "wildcards"},
	{"PyPI.org", EGRESS_NONE, "", "lower case"},
	{"pypi.org.", EGRESS_NONE, "", "must not end with a dot"},
	{"pypi.org:443", EGRESS_NONE, "", "without port"},
	{"https://pypi.org", EGRESS_NONE, "", "without port"},
	{"user@pypi.org", EGRESS_NONE, "", "no letter, digit, hyphen or dot"},
	{"pypi.org/simple", EGRESS_NONE, "", "no letter, digit, hyphen or dot"},
	{"pypi.org%00.example", EGRESS_NONE, "", "no letter, digit, hyphen or dot"},
	{"b\xc3\xbc"
	 "cher.example",
	 EGRESS_NONE, "", "xn--"},
	{"127.0.0.1", EGRESS_NONE, "", "no IP address"},
	{"0x7f.1", EGRESS_NONE, "", "no IP address"},
	{"2130706433", EGRESS_NONE, "", "no IP address"},
	{"[::1]", EGRESS_NONE, "", "no IP address"},
	{"localhost", EGRESS_NONE, "", "not a public host"},
	{"a.localhost", EGRESS_NONE, "", "not a public host"},
	{"nas.local", EGRESS_NONE, "", "local network"},
	{"metadata.google.internal", EGRESS_NONE, "", "local network"},
	{"nas.lan", EGRESS_NONE, "", "local network"},
	{"nas.home.arpa", EGRESS_NONE, "", "local network"},
	{"a\nb.org", EGRESS_NONE, "", "has \"a\\x0ab.org\""},
};

static void options_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		static struct policy policy;
		struct config_egress egress = {0};
		struct list hosts = {0};
		enum reason reason = egress_parse(&arena, "egress", options[i].text,
						  &egress, &detail);

		if (options[i].why) {
			assert_int_equal(reason, REASON_HOST_INVALID);
			if (!strstr(detail.text, options[i].why))
				fail_msg("%s: no \"%s\"", detail.text, options[i].why);
			continue;
		}
		assert_int_equal(reason, REASON_OK);
		egress_fill(&egress, &policy);
		assert_int_equal(egress_kind(&egress), options[i].kind);
		assert_int_equal(policy.egress, options[i].kind);
		for (size_t j = 0; j < policy.n_egress_hosts; j++)
			list_add(&arena, &hosts, policy.egress_hosts[j]);
		assert_string_equal(list_join(&arena, list_items(&arena, &hosts), " "),
				    options[i].hosts);
	}
}

static char *many_hosts(size_t n)
{
	struct list hosts = {0};

	for (size_t i = 0; i < n; i++)
		list_add(&arena, &hosts, arena_format(&arena, "h%zu.example", i));
	return list_join(&arena, list_items(&arena, &hosts), ",");
}

static void there_are_64_hosts_at_most(void **state)
{
	static struct policy policy;
	struct config_egress egress;
	char name[LIMIT_HOST_NAME + 2];

	(void)state;
	assert_int_equal(
		egress_parse(&arena, "egress", many_hosts(64), &egress, &detail),
		REASON_OK);
	egress_fill(&egress, &policy);
	assert_int_equal(policy.n_egress_hosts, 64);
	assert_string_equal(policy.egress_hosts[63], "h63.example");
	assert_int_equal(
		egress_parse(&arena, "egress", many_hosts(65), &egress, &detail),
		REASON_HOST_INVALID);
	assert_non_null(strstr(detail.text, "more than 64 hosts"));
	for (size_t i = 0; i < sizeof(name); i++)
		name[i] = i % 2 ? '.' : 'a';
	name[LIMIT_HOST_NAME] = 0;
	assert_int_equal(egress_parse(&arena, "egress", name, &egress, &detail),
			 REASON_OK);
	egress_fill(&egress, &policy);
	assert_string_equal(policy.egress_hosts[0], name);
}

static void a_list_of_an_option_may_be_empty(void **state)
{
	char **hosts = NULL;

	(void)state;
	assert_int_equal(
		egress_parse_hosts(&arena, "egress-allow", "", &hosts, &detail),
		REASON_OK);
	assert_null(hosts[0]);
	assert_int_equal(
		egress_parse_hosts(&arena, "egress-allow", "none", &hosts, &detail),
		REASON_HOST_INVALID);
}

static void an_empty_list_of_a_file_is_none(void **state)
{
	struct config config;
	struct agent agent;

	(void)state;
	temporary_file("etc/agents.d/dev.json", 0644,
		       "{\"runtime\": \"claude\", \"egress\": [\"a.org\"]}");
	temporary_file("user/agents.d/dev.json", 0600, "{\"egress\": []}");
	assert_int_equal(load(&config), REASON_OK);
	assert_int_equal(load_agent("dev", &config, &agent), REASON_OK);
	assert_int_equal(egress_kind(&agent.egress), EGRESS_NONE);
	/* A word of a later file takes the list away. */
	temporary_file("user/agents.d/dev.json", 0600, "{\"egress\": \"public\"}");
	assert_int_equal(load_agent("dev", &config, &agent), REASON_OK);
	assert_int_equal(egress_kind(&agent.egress), EGRESS_PUBLIC);
	temporary_file("user/agents.d/dev.json", 0600, "{\"egress\": \"none\"}");
	assert_int_equal(load_agent("dev", &config, &agent), REASON_OK);
	assert_int_equal(egress_kind(&agent.egress), EGRESS_NONE);
}

/* A machine with a service of each kind. */
static struct config machine(void)
{
	struct config config;

	temporary_file("share/models.json", 0644,
		       "{\"api.models.example\": {\"cheapest\": \"m\"}}");
	temporary_file("etc/models.json", 0644, "{\"api.own.example\": {}}");
	temporary_file("share/runtimes/claude.json", 0644,
		       "{\"name\": \"claude\", \"wire\": \"anthropic\", \"host\": "
		       "\"api.runtime.example\", \"credential\": {\"name\": \"k\"}}");
	temporary_file("etc/agents.d/based.json", 0644,
		       "{\"runtime\": \"command\", \"api_base\": "
		       "\"https://api.agent.example:8443/v1\", \"egress\": "
		       "[\"listed.example\"]}");
	/* What is wrong with its limits is not what its neighbours ask. */
	temporary_file("etc/agents.d/odd.json", 0644,
		       "{\"runtime\": \"command\", \"limits\": 7, \"api_base\": "
		       "\"https://api.odd.example\"}");
	temporary_file("etc/config.json", 0644,
		       "{\"auto_reply\": {\"sandbox\": {\"egress_allow\": "
		       "[\"peers.example\"]}}}");
	assert_int_equal(load(&config), REASON_OK);
	return config;
}

static const struct {
	const char *agent, *host, *service;
	bool new_service;
	const char *why; /* NULL: it is accepted */
} subjects[] = {
	{"new", "pypi.org", NULL, false, NULL},
	{"new", "models.example", NULL, false, NULL},
	{"new", "api.models.example", NULL, false, "share/models.json"},
	{"new", "api.own.example", NULL, false, "etc/models.json"},
	{"new", "api.runtime.example", NULL, false, "the runtime \"claude\""},
	{"new", "api.agent.example", NULL, false, "the `api_base` of agent \"based\""},
	{"new", "api.odd.example", NULL, false, "the `api_base` of agent \"odd\""},
	{"new", "api.new.example", "api.new.example", false, "it is the agent's own"},
	{"new", "pypi.org", "api.new.example", true, NULL},
	{NULL, "api.models.example", NULL, false,
	 "`auto_reply.sandbox.egress_allow` names api.models.example"},
	{NULL, "api.agent.example", NULL, false, "agent \"based\""},
	{NULL, "pypi.org", NULL, false, NULL},
	/* What is written of itself may be what changes. */
	{"based", "api.agent.example", NULL, false, NULL},
	{"based", "listed.example", "api.agent.example", true, NULL},
	/* A new service, and the lists of others. */
	{"new", NULL, "listed.example", true,
	 "listed.example cannot be a model service: the `egress` of agent \"based\""},
	{"new", NULL, "peers.example", true,
	 "cannot be a model service: `auto_reply.sandbox.egress_allow`"},
	{"new", NULL, "listed.example", false, NULL},
	{NULL, NULL, "peers.example", true, NULL},
	{"new", NULL, "127.0.0.1", true, NULL},
};

static void model_services_are_in_no_list(void **state)
{
	struct config config = machine();
	struct places here = places();

	(void)state;
	for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++) {
		char host[LIMIT_HOST_NAME + 1];
		char *const hosts[] = {host, NULL};
		const struct egress_subject subject = {
			.agent = subjects[i].agent,
			.hosts = subjects[i].host ? hosts : NULL,
			.service = subjects[i].service,
			.new_service = subjects[i].new_service,
		};
		enum reason reason;

		snprintf(host, sizeof(host), "%s",
			 subjects[i].host ? subjects[i].host : "");
		detail.text[0] = 0;
		reason = egress_check_services(&arena, &here, &config, &subject,
					       &detail);
		if (reason != (subjects[i].why ? REASON_EGRESS_MODEL_HOST : REASON_OK))
			fail_msg("row %zu: %s", i, detail.text);
		if (subjects[i].why && !strstr(detail.text, subjects[i].why))
			fail_msg("%s: no \"%s\"", detail.text, subjects[i].why);
	}
}

static void what_cannot_be_read_allows_nothing(void **state)
{
	char host[] = "pypi.org";
	char *const hosts[] = {host, NULL};
	const struct egress_subject subject = {.agent = "new", .hosts = hosts};
	struct config config = machine();
	struct places here = places();

	(void)state;
	temporary_file("etc/models.json", 0644, "{");
	assert_int_equal(
		egress_check_services(&arena, &here, &config, &subject, &detail),
		REASON_CONFIG_INVALID);
}

static void peers_are_answered_by_the_machine(void **state)
{
	struct config config;

	(void)state;
	temporary_file("etc/config.d/1.json", 0644,
		       "{\"auto_reply\": {\"sandbox\": {\"egress_allow\": "
		       "[\"a.org\", \"b.org\"]}}}");
	assert_int_equal(load(&config), REASON_OK);
	assert_string_equal(config.auto_reply.sandbox.egress_allow[1], "b.org");
	temporary_file("user/config.json", 0600, "{\"auto_reply\": {}}");
	assert_int_equal(load(&config), REASON_CONFIG_INVALID);
	assert_non_null(strstr(detail.text, "`auto_reply` stands in the machine's"));
	temporary_file("user/config.json", 0600, "{}");
	temporary_file("etc/config.d/1.json", 0644,
		       "{\"auto_reply\": {\"sandbox\": {\"egress_allow\": "
		       "\"public\"}}}");
	assert_int_equal(load(&config), REASON_CONFIG_INVALID);
	assert_non_null(strstr(detail.text, "must be a list of texts"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(options_are_read),
		TEST(there_are_64_hosts_at_most),
		TEST(a_list_of_an_option_may_be_empty),
		TEST(an_empty_list_of_a_file_is_none),
		TEST(model_services_are_in_no_list),
		TEST(what_cannot_be_read_allows_nothing),
		TEST(peers_are_answered_by_the_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

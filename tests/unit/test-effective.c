/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config-case.h"

#include "config/effective.h"

/* What was visited: "NAME=VALUE LINE" each, the line where it is no default. */
static char seen[8192];

static void take(void *context, const struct config_value *value)
{
	const char *text = value->json ? json_object_to_json_string_ext(
						 value->json,
						 JSON_C_TO_STRING_PLAIN |
							 JSON_C_TO_STRING_NOSLASHESCAPE)
				       : value->unset;
	char line[16] = "";
	size_t used = strlen(seen);

	(void)context;
	if (value->origin)
		snprintf(line, sizeof(line), " %u", value->origin->line);
	snprintf(seen + used, sizeof(seen) - used, "%s=%s%s\n", value->name, text,
		 line);
	json_object_put(value->json);
}

#define LIMITS(memory, tasks)                                                          \
	"limits.memory_mib=" memory "\n"                                               \
	"limits.tasks=" tasks "\n"                                                     \
	"limits.wall_clock_seconds=0\n"                                                \
	"limits.growth_mib=2048\n"                                                     \
	"limits.growth_entries=200000\n"                                               \
	"limits.requests=0\n"                                                          \
	"limits.count_tokens=0\n"                                                      \
	"limits.request_mib=0\n"                                                       \
	"limits.connections=0\n"                                                       \
	"limits.connections_at_once=32\n"                                              \
	"limits.tunnels=0\n"                                                           \
	"limits.tunnels_at_once=16\n"                                                  \
	"limits.tunnel_sent_mib=0\n"                                                   \
	"limits.tunnel_received_mib=0\n"                                               \
	"limits.output_tokens=8192\n"

static void load_noted(struct config *ret_config, struct config_notes *notes)
{
	struct places here = places();

	*notes = (struct config_notes){.complete = true};
	seen[0] = 0;
	assert_int_equal(config_load_noted(&arena, &here, notes, ret_config, &detail),
			 REASON_OK);
}

static void each_setting_is_shown_as_a_file_says_it(void **state)
{
	struct config_notes notes;
	struct config config;

	(void)state;
	temporary_file(
		"etc/config.json", 0644,
		"{\"sandbox\": {\"microsandbox\": {\"cpus\": 3},\n\"mounts\": ["
		"{\"source\": \"/a\"},\n{\"source\": \"/b\", \"target\": \"/c\", "
		"\"mode\": \"overlay\"}]},\n\"host\": {\"user\": \"worker\"},\n"
		"\"security\": {\"requireSandbox\": true},\n\"limits\": "
		"{\"memory_mib\": 64},\n\"auto_reply\": {\"sandbox\": "
		"{\"egress_allow\": [\"pypi.org\"]}}}");
	load_noted(&config, &notes);
	config_values(&arena, &config, &notes, take, NULL);
	assert_string_equal(
		seen, "sandbox.host=false 5\n"
		      "sandbox.srt=true\n"
		      "sandbox.microsandbox=true 1\n"
		      "sandbox.microsandbox.cpus=3 1\n"
		      "sandbox.microsandbox.memoryMiB=2048\n"
		      "sandbox.microsandbox.diskGiB=10\n"
		      "sandbox.microsandbox.image=the one that comes with anet\n"
		      "sandbox.mounts[0]={\"source\":\"/a\",\"mode\":\"readonly\"} 2\n"
		      "sandbox.mounts[1]={\"source\":\"/b\",\"target\":\"/c\","
		      "\"mode\":\"overlay\"} 3\n"
		      "host.user=\"worker\" 4\n" LIMITS("64 6", "256")
		      "auto_reply.sandbox.egress_allow=[\"pypi.org\"] 7\n");
}

static void an_agent_shows_whose_limits_it_has(void **state)
{
	struct places here = places();
	struct config_notes notes, own = {.complete = true};
	struct config config;
	struct agent agent;

	(void)state;
	temporary_file("etc/config.json", 0644,
		       "{\n\n\"limits\": {\"memory_mib\": 64}}");
	temporary_file("etc/agents.d/dev.json", 0644,
		       "{\"runtime\": \"claude\", \"env\": {\"A\": \"x=y\"},\n"
		       "\"server_tools\": [\"code_execution\", \"web_search\"],\n"
		       "\"limits\": {\"tasks\": 9}, \"runInSandbox\": true,\n"
		       "\"home\": \"kept\"}");
	load_noted(&config, &notes);
	assert_int_equal(
		agent_load_noted(&arena, &here, "dev", &own, &config, &agent, &detail),
		REASON_OK);
	agent_values(&arena, &agent, &config, &own, &notes, take, NULL);
	assert_string_equal(
		seen, "runtime=\"claude\" 1\n"
		      "strategy=\"srt\" 3\n"
		      "model=the service's cheapest\n"
		      "api_base=the runtime's\n"
		      "workspace=the current directory; under systemd, the session's "
		      "own\n"
		      "mounts=[]\n"
		      "home=\"kept\" 4\n"
		      "protect=true\n"
		      "arguments=[]\n"
		      "env={\"A\":\"x=y\"} 1\n"
		      "egress=\"none\"\n"
		      "server_tools=[\"web_search\",\"code_execution\"] 2\n" LIMITS(
			      "64 3", "9 3"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_setting_is_shown_as_a_file_says_it),
		TEST(an_agent_shows_whose_limits_it_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

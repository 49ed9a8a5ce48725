/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What sessions are made of: configuration, the sandbox itself, the runtimes.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/doctor.h"
#include "cli/runtime-here.h"
#include "config/key.h"
#include "config/model.h"
#include "strategies/probe-cache.h"
#include "config/runtime.h"
#include "os/explain.h"

/* SPEC S1.8: each time, other than what starts sessions. */
static void warn_of_retired(struct doctor *doctor, const char *id,
			    const struct config *config)
{
	for (size_t i = 0; i < config->warnings.n; i++)
		doctor_add_reason(doctor, id, FINDING_WARN, REASON_KEY_RETIRED,
				  config->warnings.items[i]);
}

static void check_agent(struct doctor *doctor, const char *name)
{
	struct config config = doctor->config;
	struct agent agent;
	struct detail detail;
	char *id = arena_format(&doctor->arena, "agent.%s", SHOW(name));
	enum reason reason;

	config.warnings = (struct list){0}; /* those of the settings were told */
	reason = agent_load(&doctor->arena, &doctor->places, name, &config, &agent,
			    &detail);
	warn_of_retired(doctor, id, &config);
	if (reason == REASON_OK &&
	    !runtime_exists(&doctor->arena, &doctor->places, agent.runtime))
		reason = explain(&detail, REASON_AGENT_UNKNOWN,
				 "there is no runtime \"%s\"", SHOW(agent.runtime));
	if (reason != REASON_OK)
		doctor_add_reason(doctor, id, FINDING_FAIL, reason, detail.text);
	else
		doctor_add(doctor, id, FINDING_OK, NULL, "runtime %s%s%s",
			   agent.runtime, agent.model ? ", model " : "",
			   agent.model ? agent.model : "");
}

static void check_agents(struct doctor *doctor)
{
	struct list names = {0};
	struct detail detail;
	enum reason reason =
		agent_names(&doctor->arena, &doctor->places, &names, &detail);

	if (reason != REASON_OK)
		doctor_add_reason(doctor, "agents", FINDING_FAIL, reason, detail.text);
	for (size_t i = 0; i < names.n; i++)
		check_agent(doctor, names.items[i]);
}

void doctor_check_config(struct doctor *doctor)
{
	struct detail detail;
	enum reason reason =
		config_load(&doctor->arena, &doctor->places, &doctor->config, &detail);

	doctor->config_is_valid = reason == REASON_OK;
	if (reason != REASON_OK) {
		doctor_add_reason(doctor, "config", FINDING_FAIL, reason, detail.text);
		return;
	}
	if (doctor->config.files.n)
		doctor_add(doctor, "config", FINDING_OK, NULL, "%s",
			   SHOW(list_join(&doctor->arena, doctor->config.files.items,
					  ", ")));
	else
		doctor_add(doctor, "config", FINDING_OK, NULL,
			   "no configuration file: defaults");
	warn_of_retired(doctor, "config", &doctor->config);
	check_agents(doctor);
}

void doctor_check_srt(struct doctor *doctor)
{
	struct probe_result result;

	if (!doctor->config_is_valid) {
		doctor_add(doctor, "srt", FINDING_UNKNOWN, NULL,
			   "not tried: the configuration does not say whether it is "
			   "offered");
		return;
	}
	if (!doctor->config.sandbox.srt) {
		doctor_add(doctor, "srt", FINDING_INFO, NULL,
			   "not tried: sandbox.srt is off on this machine");
		return;
	}
	probe_anew(&doctor->arena, &doctor->places, &doctor->config, &result);
	if (result.reason == REASON_OK)
		doctor_add(doctor, "srt", FINDING_OK, NULL, "available: %s",
			   strategy_srt.boundary);
	else
		doctor_add_reason(doctor, "srt", FINDING_FAIL, result.reason,
				  result.detail.text);
	for (size_t i = 0; i < result.n_checks; i++) {
		const struct probe_check *check = &result.checks[i];
		char *id = arena_format(&doctor->arena, "srt.%s", check->name);

		if (!check->tried)
			doctor_add(doctor, id, FINDING_UNKNOWN, NULL,
				   "not tried: the sandbox did not start");
		else if (check->ok)
			doctor_add(doctor, id, FINDING_OK, NULL, "%s", check->meaning);
		else
			doctor_add(doctor, id, FINDING_FAIL, NULL, "not so: %s%s%s",
				   check->meaning, check->detail[0] ? "; " : "",
				   check->detail);
	}
}

/* Of a runtime whose program is not `here` a key that is not there says nothing. */
static void check_key(struct doctor *doctor, const struct runtime *runtime, bool here)
{
	char *id = arena_format(&doctor->arena, "key.%s", runtime->name);
	struct detail detail;
	enum reason reason = REASON_OK;
	const char *where =
		key_where(&doctor->arena, &doctor->places, runtime, &reason, &detail);

	if (reason == REASON_OK)
		doctor_add(doctor, id, FINDING_OK, NULL, "there is one in %s",
			   SHOW(where));
	else if (reason != REASON_NO_API_KEY)
		doctor_add_reason(doctor, id, FINDING_FAIL, reason, detail.text);
	else if (here)
		doctor_add_reason(doctor, id, FINDING_INFO, reason, detail.text);
}

static void check_runtime(struct doctor *doctor, const char *name)
{
	char *id = arena_format(&doctor->arena, "runtime.%s", name);
	struct runtime runtime;
	const char *where = NULL;
	struct detail detail;
	enum reason reason =
		runtime_load(&doctor->arena, &doctor->places, name, &runtime, &detail);

	if (reason != REASON_OK) {
		doctor_add_reason(doctor, id, FINDING_FAIL, reason, detail.text);
		return;
	}
	reason = runtime_check_strategy(&runtime, "", STRATEGY_SRT, &detail);
	if (reason == REASON_OK)
		reason = runtime_here(&doctor->arena, &doctor->places, &runtime, &where,
				      &detail);
	if (reason == REASON_OK)
		doctor_add(doctor, id, FINDING_OK, NULL, "%s", where);
	else if (reason == REASON_RUNTIME_NOT_INSTALLED)
		doctor_add(doctor, id, FINDING_INFO,
			   runtime.program.install
				   ? arena_format(&doctor->arena, "install it: `%s`",
						  SHOW(runtime.program.install))
				   : reason_remedy(reason),
			   "%s is not installed, or not where %s looks [%s]",
			   runtime.program.names[0], SHOW(runtime.path),
			   reason_code(reason));
	else
		doctor_add_reason(doctor, id,
				  reason == REASON_INTERPRETER_OLD ? FINDING_WARN
								   : FINDING_INFO,
				  reason, detail.text);
	if (runtime.wire != WIRE_NONE && runtime.api_base != RUNTIME_API_BASE_OPTIONAL)
		check_key(doctor, &runtime, reason != REASON_RUNTIME_NOT_INSTALLED);
}

void doctor_check_runtimes(struct doctor *doctor)
{
	struct list names = {0};

	runtime_list(&doctor->arena, &doctor->places, &names);
	for (size_t i = 0; i < names.n; i++)
		check_runtime(doctor, names.items[i]);
	if (!names.n)
		doctor_add(doctor, "runtimes", FINDING_FAIL,
			   reason_remedy(REASON_HELPER_MISSING),
			   "there is no runtime in " ANET_DATA_DIR "/runtimes");
}

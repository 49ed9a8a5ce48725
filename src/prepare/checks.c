/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What must be there before a session may start, and is not made by it.
 */
#include "prepare/prepare.h"

#include <pwd.h>
#include <string.h>

#include "config/key.h"
#include "os/session-dir.h"
#include "os/session-unit.h"
#include "strategies/selection.h"
#include "strategies/table.h"

enum reason check_strategy(struct start *start)
{
	struct preparation *p = &start->preparation;
	struct strategies table;
	const char *template;
	enum reason reason =
		strategies_read(&p->arena, STRATEGIES_FILE, &table, &p->detail);

	/* Without a boundary there is nothing to probe. */
	bool host = strcmp(selection_name(&p->agent), "host") == 0;
	const struct selection_case of = {
		.places = &p->places,
		.table = reason == REASON_OK ? &table : NULL,
		.config = &p->config,
		.agent = &p->agent,
		.runtime = &p->runtime,
	};

	if (reason == REASON_OK || host)
		reason =
			selection_check_start(&p->arena, &of, &p->strategy, &p->detail);
	if (reason != REASON_OK)
		return reason;
	template = p->strategy == STRATEGY_HOST ? HOST_UNIT_TEMPLATE
						: SESSION_UNIT_TEMPLATE;
	if (strcmp(template, start->template) == 0)
		return REASON_OK;
	return explain(&p->detail, REASON_WRONG_UNIT,
		       "agent \"%s\" runs its sessions %s: `systemctl start %s@%s`",
		       start->name.agent,
		       p->strategy == STRATEGY_HOST ? "without a boundary"
						    : "in a sandbox",
		       template, SHOW(start->instance));
}

enum reason check_account(struct start *start)
{
	struct preparation *p = &start->preparation;
	const char *name = p->config.host_user;
	const struct passwd *account;

	if (p->strategy != STRATEGY_HOST)
		return REASON_OK;
	account = getpwnam(name);
	if (!account || account->pw_uid == 0)
		return explain(
			&p->detail, REASON_ACCOUNT_MISSING,
			account ? "the account `%s`, which `host.user` names for "
				  "sessions without a boundary, is root"
				: "there is no account `%s`, which `host.user` "
				  "names for sessions without a boundary",
			SHOW(name));
	start->host_uid = account->pw_uid;
	p->account = (struct run_account){
		.name = name,
		.home = arena_copy(&p->arena, account->pw_dir),
		.shell = "/bin/sh",
	};
	return REASON_OK;
}

enum reason check_credential(struct start *start)
{
	static const char *const directories[] = {KEYS_DIRECTORY, SEALED_DIRECTORY};
	struct preparation *p = &start->preparation;
	const char *name = p->runtime.credential.name;

	if (p->runtime.wire == WIRE_NONE)
		return REASON_OK;
	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++) {
		bool found = false;
		enum reason reason = key_file_check(
			arena_format(&p->arena, "%s/%s", directories[i], name), &found,
			&p->detail);

		if (found || reason != REASON_OK)
			return reason;
	}
	return explain(&p->detail, REASON_NO_API_KEY,
		       "agent \"%s\" has no API key for its model service: there is "
		       "neither " KEYS_DIRECTORY "/%s nor " SEALED_DIRECTORY
		       "/%s; set it with `anet credential set %s`",
		       start->name.agent, name, name, name);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/auto-reply.h"

#include <stddef.h>

#include "config/config-keys.h"
#include "config/egress.h"
#include "core/limits.h"

#define AT(field) offsetof(struct config_auto_reply, field)

static const struct config_key sandbox_keys[] = {
	{"egress_allow", CONFIG_LIST, AT(sandbox.egress_allow),
	 .check = egress_check_host, .max = LIMIT_EGRESS_HOSTS},
	{0},
};

const struct config_key auto_reply_keys[] = {
	{"sandbox", CONFIG_SECTION, .section = sandbox_keys},
	{0},
};

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CLI_AUTOREPLY_H
#define ANET_CLI_AUTOREPLY_H

#include <stdbool.h>

#include "cli/changes.h"
#include "config/arena.h"
#include "config/places.h"
#include "os/explain.h"

/* anet autoreply: what the words of its line ask for. */
struct autoreply_request {
	struct arena arena;
	struct places places; /* those of the machine */
	struct detail detail;
	struct changes changes; /* of the machine's config.json */
	bool json;
};

/* The verbs.  Each prints what it did, and returns why it did not. */
enum reason autoreply_show(struct autoreply_request *request);
enum reason autoreply_set(struct autoreply_request *request);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_BWRAP_MESSAGE_H
#define ANET_CORE_BWRAP_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include "core/reason.h"

/*
 * What a bwrap that did not build the sandbox means.  `message` is what it
 * wrote to standard error, any bytes; `restricted` says whether
 * kernel.apparmor_restrict_unprivileged_userns is 1.  bwrap's wordings of 0.8
 * to 0.12 are known; anything else is sandbox_start_failed.  SPEC S10.
 */
enum reason bwrap_message_reason(const char *message, size_t length, bool restricted);

#endif

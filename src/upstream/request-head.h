/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_UPSTREAM_REQUEST_HEAD_H
#define ANET_UPSTREAM_REQUEST_HEAD_H

#include "upstream/request.h"

/* Appends the request's head, with the key, to the secret's empty buffer; it leaves
 * room for some of the body. */
void request_head_append(struct request *request);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_EGRESS_H
#define ANET_CONFIG_EGRESS_H

#include "config/arena.h"
#include "config/config.h"
#include "config/places.h"
#include "core/policy.h"
#include "os/explain.h"

/* The hosts that runs may reach besides their model service: what may be written of
 * them, and what a policy has.  SPEC S8.1, S8.6. */

/* What is wrong with an entry of a list; NULL if nothing.  For the reader. */
const char *egress_check_host(const char *text);

/* The words of `egress`, in the order of enum config_egress_word. */
extern const char *const egress_words[];

/*
 * What an option says: "none", "public", or hosts with commas between them; the second
 * one takes hosts alone, and none for "".  `option` is its name, for people.  REASON_OK
 * or HOST_INVALID.
 */
enum reason egress_parse(struct arena *arena, const char *option, const char *text,
			 struct config_egress *ret_egress, struct detail *ret_detail);
enum reason egress_parse_hosts(struct arena *arena, const char *option,
			       const char *text, char ***ret_hosts,
			       struct detail *ret_detail);

/* What it is in a policy; the hosts are there for EGRESS_LIST alone. */
enum policy_egress egress_kind(const struct config_egress *egress);

/* Fills the policy's.  The entries were checked. */
void egress_fill(const struct config_egress *egress, struct policy *policy);

/* Hosts are what a run cannot get past, which takes a boundary.  REASON_OK where the
 * agent has none; EGRESS_UNSUPPORTED. */
enum reason egress_check_boundary(const struct agent *agent, struct detail *ret_detail);

/* A list of hosts, or a model service, that somebody has or would have. */
struct egress_subject {
	const char *agent;   /* NULL: `auto_reply` */
	const char *list;    /* what the list is called; NULL: by the file's key */
	char *const *hosts;  /* NULL: none */
	const char *service; /* the host of its model service; NULL: none */
	/* Whether the lists of the others are compared with the service as well: it
	 * is a new one. */
	bool new_service;
};

/*
 * No list names the host of a model service: requests to one are judged, and a tunnel
 * would go past that.  Such are the hosts of models.json, those of all runtimes, and
 * those that agents name as `api_base`.  What is written of the subject itself does not
 * count, since it may be about to change.  `config` has the list of `auto_reply`.
 * REASON_OK, EGRESS_MODEL_HOST, or why models.json cannot be read.
 */
enum reason egress_check_services(struct arena *arena, const struct places *places,
				  const struct config *config,
				  const struct egress_subject *subject,
				  struct detail *ret_detail);

#endif

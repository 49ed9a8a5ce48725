/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CLI_DOCTOR_H
#define ANET_CLI_DOCTOR_H

#include <stdbool.h>

#include "config/arena.h"
#include "config/config.h"
#include "config/places.h"
#include "core/reason.h"

/* What `anet doctor` looks at, and what it found.  Schema anet.doctor/1. */
enum finding_status {
	FINDING_OK,
	FINDING_INFO,	 /* nothing is wrong, but good to know */
	FINDING_WARN,	 /* sessions run, with less than there could be */
	FINDING_FAIL,	 /* sessions cannot run, or not this one */
	FINDING_UNKNOWN, /* could not be looked at */
};

struct finding {
	const char *id;
	enum finding_status status;
	const char *detail; /* what is, on which object */
	const char *hint;   /* what to do; NULL: nothing */
};

struct doctor {
	struct arena arena;
	struct places places;
	struct config config;
	bool config_is_valid;
	struct finding *findings;
	size_t n, room;
};

/* Adds one; the strings must live as long as the arena.  `format` may be given
 * the strings of SHOW(). */
void doctor_add(struct doctor *doctor, const char *id, enum finding_status status,
		const char *hint, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* Adds what a reason says, its remedy as the hint. */
void doctor_add_reason(struct doctor *doctor, const char *id,
		       enum finding_status status, enum reason reason,
		       const char *detail);

/* The machine: doctor-machine.c. */
void doctor_check_helpers(struct doctor *doctor);
void doctor_check_bwrap(struct doctor *doctor);
void doctor_check_user_namespaces(struct doctor *doctor);
void doctor_check_apparmor(struct doctor *doctor);
void doctor_check_kernel(struct doctor *doctor);
void doctor_check_cgroup(struct doctor *doctor);
void doctor_check_account(struct doctor *doctor);

/* Configuration and the sandbox: doctor-session.c. */
void doctor_check_config(struct doctor *doctor);
void doctor_check_srt(struct doctor *doctor);
void doctor_check_runtimes(struct doctor *doctor);

/* The file of another profile that attaches to bwrap; NULL if there is none. */
const char *doctor_other_profile(struct arena *arena, const char *directory);

/* Whether a line of an AppArmor profile attaches that profile to `program`. */
bool apparmor_line_attaches(const char *line, const char *program);

/* To standard output: doctor-print.c. */
void doctor_print_table(struct doctor *doctor);
void doctor_print_json(const struct doctor *doctor);
const char *finding_status_name(enum finding_status status);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_PACKAGE_H
#define ANET_CONFIG_PACKAGE_H

#include "config/program.h"

/* What the npm package of a program says of itself; NULL: nothing. */
struct package {
	const char *version;
	const char *node; /* the least version of Node.js, of ">=X"; no other form */
};

/* Reads its package.json: nothing is executed, and a file that is not root's or the
 * caller's says nothing. */
struct package package_of(struct arena *arena, const struct program *program);

/* The version of the Node.js that interprets the program, from the package or the
 * directory that it lies in; NULL: another interpreter, or not known. */
const char *package_interpreter_version(struct arena *arena,
					const struct program *program);

/* Whether a version is lower than another, number by number; "v" in front of it and
 * what is behind the numbers do not count. */
bool version_is_lower(const char *version, const char *other);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_RULES_ROWS_H
#define ANET_CORE_RULES_ROWS_H

#include "core/rules.h"

/*
 * Words to write the tables of rules.h with, a row a line.  Only for the files
 * that hold tables: the names are short.  What follows the named arguments of a
 * row are further fields of it, such as `.beta = …`.
 */

#define NUL RULE_NULL
#define BOOL RULE_BOOL
#define INTEGER RULE_INTEGER
#define NUMBER (RULE_INTEGER | RULE_REAL)
#define STRING RULE_STRING
#define ARRAY RULE_ARRAY
#define OBJECT RULE_OBJECT
#define ANY RULE_ANY

#define ROW(name_, action_, ...) { .name = name_, .action = RULE_##action_, __VA_ARGS__ }
#define PASS(name_, ...) ROW(name_, PASS, .types = __VA_ARGS__)
/* An object, or objects in an array, that a table judges. */
#define NESTED(name_, types_, ...) \
	ROW(name_, PASS, .types = types_, .object = &__VA_ARGS__)
/* The same where the type of each says which table. */
#define KINDS(name_, types_, kinds_, ...) \
	ROW(name_, PASS, .types = types_, .kinds = &kinds_, .places = __VA_ARGS__)
#define CHECK(name_, types_, check_, why_, ...) \
	ROW(name_, CHECK, .types = types_, .check = check_, .why = why_, __VA_ARGS__)
#define CLAMP(name_, types_, check_, why_) \
	ROW(name_, CLAMP, .types = types_, .check = check_, .why = why_)
/* As the policy wants it. */
#define SET(name_, types_, why_) ROW(name_, SET, .types = types_, .why = why_)
#define DROP(name_, why_) ROW(name_, DROP, .why = why_)
#define REFUSE(name_, reason_, why_) \
	ROW(name_, REFUSE, .reason = REASON_RULE_##reason_, .why = why_)

/* One of these words, or several of them in an array. */
#define ONLY(name_, types_, words_, reason_, why_) \
	ROW(name_, PASS, .types = types_, .words = words_, \
	    .reason = REASON_RULE_##reason_, .why = why_)
/* The same of a field that may not be missing. */
#define NEEDED(name_, types_, words_, reason_, why_) \
	ROW(name_, PASS, .types = types_, .words = words_, .required = true, \
	    .reason = REASON_RULE_##reason_, .why = why_)

/* Kinds of objects. */
#define KIND(type_, places_, fields_, ...) \
	{ .type = type_, .places = places_, .fields = &fields_, __VA_ARGS__ }
/* Only where the policy allows one of these tools. */
#define KIND_OF_SERVER(type_, places_, tools_, fields_, why_)              \
	{ .type = type_, .places = places_, .reason = REASON_RULE_SERVER_TOOL, \
	  .server_tools = tools_, .fields = &fields_, .why = why_ }
#define KIND_REFUSED(type_, reason_, why_) \
	{ .type = type_, .reason = REASON_RULE_##reason_, .why = why_ }
/* The place of kinds that stand in one place only. */
#define HERE 1

/* Defines a table or kinds, static or not. */
#define TABLE(storage_, name_, unknown_, ...)                             \
	static const struct rule_field name_##_rows[] = { __VA_ARGS__ };  \
	storage_ const struct rule_table name_ = {                        \
		.fields = name_##_rows,                                   \
		.n_fields = sizeof(name_##_rows) / sizeof(*name_##_rows), \
		.unknown = RULE_##unknown_,                               \
	}
#define VARIANTS(storage_, name_, noun_, unknown_, absent_, ...)            \
	static const struct rule_variant name_##_rows[] = { __VA_ARGS__ };  \
	storage_ const struct rule_variants name_ = {                       \
		.noun = noun_,                                              \
		.rows = name_##_rows,                                       \
		.n_rows = sizeof(name_##_rows) / sizeof(*name_##_rows),     \
		.unknown = REASON_RULE_##unknown_,                          \
		.absent = absent_,                                          \
	}

#endif

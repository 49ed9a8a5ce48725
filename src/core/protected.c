/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/protected.h"

static const struct {
	const char *path;
	const char *reader;
	enum protected_condition condition;
} table[] = {
#define P(path_, condition_, who_) {path_, who_, PROTECTED_##condition_},
#include "protected.def"
#undef P
};

_Static_assert(PROTECTED_COUNT <= 64, "a mask of rows is 64 bits wide");

const char *protected_path(size_t row)
{
	return table[row].path;
}

enum protected_condition protected_condition(size_t row)
{
	return table[row].condition;
}

const char *protected_reader(size_t row)
{
	return table[row].reader;
}

bool protected_is_read_only(const struct protected_states *states, size_t row)
{
	const struct protected_state *state = &states->rows[row];

	if (state->kind == PROTECTED_ABSENT || state->kind == PROTECTED_HIDDEN)
		return false;
	switch (table[row].condition) {
	case PROTECTED_ALWAYS:
		return true;
	case PROTECTED_REPOSITORY:
		return states->repository;
	case PROTECTED_GITDIR:
		return state->kind != PROTECTED_DIRECTORY;
	case PROTECTED_BEGINS:
		break;
	}
	return false;
}

bool protected_is_same_file(const struct protected_state *one,
			    const struct protected_state *other)
{
	return one->kind != PROTECTED_ABSENT && one->kind != PROTECTED_HIDDEN &&
	       one->kind == other->kind && one->dev == other->dev &&
	       one->ino == other->ino && one->born == other->born;
}

static bool is_same(const struct protected_state *one,
		    const struct protected_state *other)
{
	/* Then it was read-only as a whole. */
	if (one->kind == PROTECTED_HIDDEN && other->kind == PROTECTED_HIDDEN)
		return true;
	return protected_is_same_file(one, other) && one->changed == other->changed &&
	       one->end_dev == other->end_dev && one->end_ino == other->end_ino;
}

static bool is_told(const struct protected_states *before,
		    const struct protected_states *after, size_t row)
{
	const struct protected_state *was = &before->rows[row], *is = &after->rows[row];

	switch (table[row].condition) {
	case PROTECTED_ALWAYS:
		break;
	case PROTECTED_REPOSITORY:
		if (!after->repository)
			return false;
		break;
	case PROTECTED_GITDIR:
		if (was->kind == PROTECTED_ABSENT && is->kind == PROTECTED_DIRECTORY)
			return false;
		break;
	case PROTECTED_BEGINS:
		return after->repository && !before->repository;
	}
	return is->kind != PROTECTED_ABSENT && !is_same(was, is);
}

uint64_t protected_changes(const struct protected_states *before,
			   const struct protected_states *after)
{
	uint64_t rows = 0;

	for (size_t i = 0; i < PROTECTED_COUNT; i++)
		if (is_told(before, after, i))
			rows |= UINT64_C(1) << i;
	return rows;
}

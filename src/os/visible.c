/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/visible-internal.h"

#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct subject {
	const char *path;
	bool program;
	char *detail;
	size_t size;
	struct ancestry ancestry;
};

/* Whether `path` is `directory` or lies below it, by name. */
static bool below(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	while (length > 1 && directory[length - 1] == '/')
		length--;
	if (length == 1)
		return true;
	return strncmp(path, directory, length) == 0 &&
	       (path[length] == 0 || path[length] == '/');
}

/* Whether `wanted` is among them; so it is taken to be where nobody can tell. */
static bool has_ancestor(const struct ancestry *ancestry, const struct place *wanted)
{
	for (size_t i = 0; i < ancestry->n && i < MAX_ANCESTRY; i++)
		if (place_is_same(&ancestry->places[i], wanted))
			return true;
	return ancestry->n > MAX_ANCESTRY;
}

static enum reason refuse_path(const struct subject *subject, const char *how,
			       const char *hidden)
{
	snprintf(subject->detail, subject->size, "%.110s %s %.110s", subject->path, how,
		 hidden);
	return REASON_NEVER_VISIBLE;
}

static bool is_or_contains(const struct subject *subject, const struct hidden *hidden)
{
	if (!hidden->exists || subject->ancestry.n == 0)
		return false;
	for (size_t i = 0; i < hidden->n_above; i++)
		if (place_is_same(&hidden->above[i], &subject->ancestry.places[0]))
			return true;
	return hidden->any;
}

static bool is_or_lies_inside(const struct subject *subject,
			      const struct hidden *hidden)
{
	return hidden->exists && has_ancestor(&subject->ancestry, &hidden->place);
}

static enum reason check_against(const struct subject *subject,
				 const struct hidden *hidden)
{
	if (strcmp(subject->path, hidden->path) == 0)
		return refuse_path(subject, "is", hidden->path);
	if (below(hidden->path, subject->path))
		return refuse_path(subject, "contains", hidden->path);
	if (!subject->program && below(subject->path, hidden->path))
		return refuse_path(subject, "lies inside", hidden->path);
	if (is_or_contains(subject, hidden))
		return refuse_path(subject, "is or contains (by another name)",
				   hidden->path);
	if (!subject->program && is_or_lies_inside(subject, hidden))
		return refuse_path(subject, "lies inside (by another name)",
				   hidden->path);
	return REASON_OK;
}

static enum reason check_list(const struct subject *subject,
			      const struct hidden_list *list)
{
	enum reason reason = REASON_OK;

	for (size_t i = 0; i < list->n && !reason; i++)
		reason = check_against(subject, &list->items[i]);
	return reason;
}

/* The names that a home may get later count as well. */
static enum reason check_names(const struct subject *subject, const char *home)
{
	char hidden[PATH_MAX];

	const char *name;

	for (size_t i = 0; !subject->program && (name = home_path(i)); i++) {
		size_t length = strlen(name);
		int n = snprintf(hidden, sizeof(hidden), "%s/%.*s", home,
				 (int)length - 1, name);

		if (name[length - 1] == '*' && n > 0 && (size_t)n < sizeof(hidden) &&
		    strncmp(subject->path, hidden, (size_t)n) == 0)
			return refuse_path(subject, "is or lies inside", hidden);
	}
	return REASON_OK;
}

static enum reason check_home(const struct subject *subject, struct home *home)
{
	const char *path = home->itself.path;
	enum reason reason;

	if (below(path, subject->path) || is_or_contains(subject, &home->itself))
		return refuse_path(subject, "is or contains the home directory", path);
	reason = check_names(subject, path);
	if (reason)
		return reason;
	if (!home_list(home)) {
		snprintf(subject->detail, subject->size,
			 "%.110s: no memory to check it", subject->path);
		return REASON_SYSTEM;
	}
	return check_list(subject, &home->list);
}

static bool is_own(const struct visible *visible, const struct home *home)
{
	for (size_t i = 0; i < 2; i++)
		if (visible->homes.own[i] &&
		    strcmp(visible->homes.own[i], home->itself.path) == 0)
			return true;
	return false;
}

static enum reason check_known(const struct visible *visible,
			       const struct subject *subject, struct home *home)
{
	if (is_own(visible, home))
		return check_home(subject, home);
	if (!below(subject->path, home->itself.path) &&
	    !is_or_lies_inside(subject, &home->itself))
		return REASON_OK;
	/* Programs are installed there as well: /home/linuxbrew. */
	if (!visible->homes.root && !subject->program)
		return refuse_path(subject, "lies inside another user's home",
				   home->itself.path);
	return check_home(subject, home);
}

void visible_homes_find(struct visible_homes *ret_homes)
{
	const struct passwd *account = getpwuid(getuid());

	*ret_homes = (struct visible_homes){
		.own = {account ? account->pw_dir : NULL, secure_getenv("HOME")},
		.root = getuid() == 0,
	};
}

enum reason visible_look(struct visible *visible, int fd, const char *path,
			 bool program, char *ret_detail, size_t size)
{
	struct subject subject = {
		.path = path,
		.program = program,
		.detail = ret_detail,
		.size = size,
	};
	enum reason reason;

	if (!visible || visible->failed) {
		snprintf(ret_detail, size, "%.110s: no memory to check it", path);
		return REASON_SYSTEM;
	}
	ancestry_find(fd, &subject.ancestry);
	reason = check_list(&subject, &visible->system);
	if (!reason && below("/home", path))
		reason = refuse_path(&subject, "contains", "/home");
	for (size_t i = 0; i < visible->n_known && !reason; i++)
		reason = check_known(visible, &subject, &visible->known[i]);
	return reason;
}

enum reason visible_check(int fd, const char *path, const struct visible_homes *homes,
			  bool program, char *ret_detail, size_t size)
{
	struct visible *visible = visible_new(homes);
	enum reason reason = visible_look(visible, fd, path, program, ret_detail, size);

	visible_free(visible);
	return reason;
}

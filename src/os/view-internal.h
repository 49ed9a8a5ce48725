/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_VIEW_INTERNAL_H
#define ANET_OS_VIEW_INTERNAL_H

#include "os/view.h"
#include "os/visible.h"

/* The parts of view_build(); included by view*.c only. */
struct view_builder {
	struct view *view;
	const struct run_record *run;
	const struct policy *policy;
	const struct visible_homes *homes;
	struct visible *visible;
	char **points; /* where something is mounted, read once */
	size_t n_points;
	size_t n_fixed; /* entries that are the same in all runs */
	int workspace;	/* O_PATH, the view's own */
	char *detail;
	size_t size;
};

/* A copy of `entry`, its strings too, which takes *fd over.  NULL: out of memory, or
 * the file cannot be looked at; then errno says why. */
struct view_entry *view_add(struct view *view, const struct view_entry *entry, int *fd);

void view_entry_free(struct view_entry *entry);

/* Writes the sentence and returns `reason`. */
enum reason view_refuse(const struct view_builder *builder, enum reason reason,
			const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The path that the kernel gives for an open file: no link in it.  0 or -errno. */
int view_canonical(int fd, char *ret_path, size_t size);

/* view-system.c: what is the same in all runs, before and after the rest. */
enum reason view_add_fixed(struct view_builder *builder);
enum reason view_add_masked(struct view_builder *builder);

/* view-sources.c: mounts and workspace. */
enum reason view_add_sources(struct view_builder *builder);

/* view-protected.c: what is read-only in the workspace. */
enum reason view_add_protected(struct view_builder *builder);

#endif

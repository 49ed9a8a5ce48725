/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/resolve.h"
#include "config/writable.h"
#include "core/limits.h"
#include "core/path.h"
#include "os/cleanup.h"
#include "os/view.h"

/* As many as the kernel follows, path_resolution(7). */
#define MAX_LINKS 40

struct resolver {
	struct arena *arena;
	const struct places *places;
	const struct config *config;
	const struct agent *agent;
	const char *workspace; /* canonical, or NULL */
	struct writable_list writable;
	/* The source that was resolved last, if no link was on its way, and who owns
	 * it: what lies beside it and is his needs no new walk. */
	const char *last;
	uid_t last_owner;
	struct detail *detail;
};

static bool lies_inside(const char *path, const char *directory)
{
	return path_is_inside(path, directory) && strcmp(path, directory) != 0;
}

/* Whoever may write a directory may put a link there that leads anywhere. */
static enum reason check_link(struct resolver *resolver, const char *source,
			      const char *directory, const char *link)
{
	for (size_t i = 0; i < resolver->writable.n; i++)
		if (path_is_inside(directory, resolver->writable.list[i].path))
			return explain(resolver->detail, REASON_MOUNT_INVALID,
				       "the mount %s is reached by the link %s, which "
				       "lies where runs can write and could lead it "
				       "anywhere: write the path that is meant",
				       SHOW(source), SHOW(link));
	return REASON_OK;
}

/* Follows `source` by name and looks at each link on the way. */
static enum reason check_links(struct resolver *resolver, const char *source)
{
	struct arena *arena = resolver->arena;
	const char *rest = source, *at = "";
	unsigned int links = 0;

	while (rest += strspn(rest, "/"), *rest) {
		size_t length = strcspn(rest, "/");
		const char *name = arena_copy_bytes(arena, rest, length);
		const char *next = arena_format(arena, "%s/%s", at, name);
		char target[PATH_MAX];
		ssize_t n;
		enum reason reason;

		rest += length;
		if (strcmp(name, ".") == 0)
			continue;
		if (strcmp(name, "..") == 0) {
			const char *slash = strrchr(at, '/');

			at = slash ? arena_copy_bytes(arena, at, (size_t)(slash - at))
				   : "";
			continue;
		}
		n = readlink(next, target, sizeof(target) - 1);
		if (n < 0) {
			at = next;
			continue;
		}
		reason = check_link(resolver, source, *at ? at : "/", next);
		if (reason != REASON_OK || ++links > MAX_LINKS)
			return reason; /* the kernel follows no more either */
		rest = arena_format(arena, "%.*s/%s", (int)n, target, rest);
		if (target[0] == '/')
			at = "";
	}
	return REASON_OK;
}

/* `shared`: a mount of `sandbox.mounts`, which all agents have. */
static enum reason check_others(struct resolver *resolver, const char *path,
				bool shared)
{
	for (size_t i = 0; i < resolver->writable.n; i++) {
		const struct writable *writable = &resolver->writable.list[i];

		if (writable->own || !lies_inside(path, writable->path))
			continue;
		if (writable->agent)
			return explain(
				resolver->detail, REASON_MOUNT_INVALID,
				"the mount %s lies inside %s, which agent \"%s\" "
				"may write: its runs could put anything there",
				SHOW(path), SHOW(writable->path), writable->agent);
		if (!shared)
			return explain(
				resolver->detail, REASON_MOUNT_INVALID,
				"the mount %s lies inside %s, which every agent "
				"may write by `sandbox.mounts`: their runs could "
				"put anything there",
				SHOW(path), SHOW(writable->path));
	}
	return REASON_OK;
}

/* "~" and an absolute path; NULL and the reason otherwise. */
static const char *expand(struct resolver *resolver, const char *what, const char *path,
			  enum reason *ret_reason)
{
	const char *expanded = places_expand(resolver->arena, resolver->places, path);

	if (expanded && expanded[0] == '/')
		return expanded;
	*ret_reason = explain(
		resolver->detail, REASON_MOUNT_INVALID,
		expanded ? "the %s %s of a mount is no absolute path"
			 : "the %s %s of a mount has no home to begin at: sessions of "
			   "systemd are nobody's, write the whole path",
		what, SHOW(path));
	return NULL;
}

/* In srt a run sees a file only at its own path. */
static enum reason check_target(struct resolver *resolver,
				const struct config_mount *mount, const char *source,
				const char *resolved)
{
	enum reason reason = REASON_OK;
	const char *target;

	if (mount->mode == CONFIG_MOUNT_OVERLAY)
		return explain(
			resolver->detail, REASON_MOUNT_UNSUPPORTED,
			"the mount %s has the mode overlay, which srt cannot make",
			SHOW(source));
	if (!mount->target)
		return REASON_OK;
	target = expand(resolver, "target", mount->target, &reason);
	if (!target || strcmp(target, source) == 0 || strcmp(target, resolved) == 0)
		return reason;
	return explain(
		resolver->detail, REASON_MOUNT_UNSUPPORTED,
		"the mount %s has the target %s, and srt can show it only at its "
		"own path",
		SHOW(source), SHOW(mount->target));
}

/* Why a source cannot be opened or looked at. */
static enum reason refuse_source(struct resolver *resolver, const char *source, int r)
{
	bool barred = r == -EACCES || r == -EPERM;

	return explain(resolver->detail, REASON_MOUNT_INVALID, "the mount %s: %s%s",
		       SHOW(source), strerror(-r),
		       barred && resolver->places->uid == 0
			       ? " (where root may not look, as on FUSE without "
				 "allow_other or NFS with root_squash, run anet as the "
				 "owner)"
			       : "");
}

static bool is_beside_last(const struct resolver *resolver, const char *source,
			   const char **ret_resolved)
{
	const char *last = resolver->last, *name = strrchr(source, '/') + 1;
	size_t length = (size_t)(name - source);
	struct stat status;

	if (!last || !*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
	    strncmp(last, source, length) != 0 || strchr(last + length, '/') ||
	    lstat(source, &status) < 0 || S_ISLNK(status.st_mode) ||
	    status.st_uid != resolver->last_owner)
		return false;
	*ret_resolved = source;
	return true;
}

/* Root gives a run what others may not have led it to. */
static enum reason resolve_source(struct resolver *resolver, const char *source,
				  const char **ret_resolved)
{
	if (resolver->places->uid == 0) {
		struct resolve_words words = {.reason = REASON_MOUNT_INVALID};

		if (is_beside_last(resolver, source, ret_resolved))
			return REASON_OK;
		words.what =
			arena_format(resolver->arena, "the mount %s", SHOW(source));
		return resolve_owned(resolver->arena, source, &words, ret_resolved,
				     resolver->detail);
	}
	*ret_resolved = path_without_links(resolver->arena, source);
	return *ret_resolved ? REASON_OK : refuse_source(resolver, source, -errno);
}

/* The source as it is now, with its links resolved. */
static enum reason open_source(struct resolver *resolver, const char *source,
			       bool writable, const char **ret_resolved)
{
	auto_fd int fd = open(source, O_PATH | O_CLOEXEC);
	char text[LIMIT_DETAIL + 1];
	const char *resolved = NULL;
	enum reason reason;
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0)
		return refuse_source(resolver, source, -errno);
	reason = resolve_source(resolver, source, &resolved);
	if (reason != REASON_OK)
		return reason;
	resolver->last = strcmp(resolved, source) == 0 ? resolved : NULL;
	resolver->last_owner = status.st_uid;
	reason = view_check_source(fd, resolved, writable, text, sizeof(text));
	if (reason != REASON_OK)
		return explain(resolver->detail, reason, "%s", text);
	*ret_resolved = resolved;
	return strcmp(resolved, source) == 0 ? REASON_OK
					     : check_links(resolver, source);
}

static enum reason resolve(struct resolver *resolver, const struct config_mount *mount,
			   bool shared, struct run_mount *ret_mount)
{
	bool writable = mount->mode == CONFIG_MOUNT_WRITABLE;
	const char *source, *resolved = NULL;
	enum reason reason = REASON_OK;

	source = expand(resolver, "source", mount->source, &reason);
	if (!source)
		return reason;
	reason = open_source(resolver, source, writable, &resolved);
	if (reason == REASON_OK)
		reason = check_target(resolver, mount, source, resolved);
	if (reason == REASON_OK)
		reason = check_others(resolver, resolved, shared);
	if (reason != REASON_OK)
		return reason;
	*ret_mount = (struct run_mount){
		.source = arena_copy(resolver->arena, resolved),
		.target = arena_copy(resolver->arena, resolved),
		.flags = RUN_MOUNT_CONFIGURED | (writable ? RUN_MOUNT_WRITABLE : 0),
	};
	return REASON_OK;
}

/* All mounts, in their order, into `ret_mounts`. */
static enum reason resolve_all(struct resolver *resolver, struct run_mount *ret_mounts)
{
	const struct config_mounts *shared = &resolver->config->sandbox.mounts;
	const struct config_mounts none = {0};
	const struct config_mounts *own =
		resolver->agent ? &resolver->agent->mounts : &none;
	enum reason reason = REASON_OK;

	if (shared->n + own->n > LIMIT_MOUNTS)
		return explain(resolver->detail, REASON_TOO_MANY_MOUNTS,
			       "%zu mounts are configured, %d are possible",
			       shared->n + own->n, LIMIT_MOUNTS);
	if (shared->n + own->n > 0)
		writable_find(resolver->arena, resolver->places, resolver->config,
			      resolver->agent, resolver->workspace,
			      &resolver->writable);
	for (size_t i = 0; i < shared->n && reason == REASON_OK; i++)
		reason = resolve(resolver, &shared->list[i], true, ret_mounts++);
	for (size_t i = 0; i < own->n && reason == REASON_OK; i++)
		reason = resolve(resolver, &own->list[i], false, ret_mounts++);
	return reason;
}

enum reason mounts_check(struct arena *arena, const struct places *places,
			 const struct config *config, const struct agent *agent,
			 enum policy_strategy strategy, struct detail *ret_detail)
{
	struct resolver resolver = {
		.arena = arena,
		.places = places,
		.config = config,
		.agent = agent,
		.detail = ret_detail,
	};
	size_t n = config->sandbox.mounts.n + (agent ? agent->mounts.n : 0);

	/* `host` mounts nothing, and the other one's are its own matter. */
	if (strategy != STRATEGY_SRT)
		return REASON_OK;
	return resolve_all(&resolver,
			   arena_get(arena, (n + 1) * sizeof(struct run_mount)));
}

size_t mounts_count(const struct preparation *preparation)
{
	return preparation->config.sandbox.mounts.n + preparation->agent.mounts.n;
}

enum reason mounts_resolve(struct preparation *p)
{
	struct resolver resolver = {
		.arena = &p->arena,
		.places = &p->places,
		.config = &p->config,
		.agent = &p->agent,
		.workspace = p->record.workspace,
		.detail = &p->detail,
	};
	enum reason reason;

	if (p->policy.strategy != STRATEGY_SRT)
		return REASON_OK;
	reason = resolve_all(&resolver, p->record.mounts + p->record.n_mounts);
	if (reason == REASON_OK)
		p->record.n_mounts += mounts_count(p);
	return reason;
}

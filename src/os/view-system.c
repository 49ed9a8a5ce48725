/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What every run sees: SPEC S2.2. */
#include "os/view-internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/run.h"
#include "os/cleanup.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Of /usr and its links only; no set-user-ID program in them is of use under
 * no_new_privs.  Merged and split hosts both work: what is a link on the host
 * is the same link inside. */
static const char *const system_directories[] = {
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
};

/* The short list of /etc: what the C library, TLS clients and the
 * alternatives system read.  No host name, user or resolver of the host. */
static const char *const system_files[] = {
	"/etc/alternatives",  "/etc/crypto-policies", "/etc/ld.so.cache",
	"/etc/localtime",     "/etc/os-release",      "/etc/pki/ca-trust",
	"/etc/pki/tls/certs", "/etc/protocols",	      "/etc/services",
	"/etc/ssl/certs",     "/etc/ssl/openssl.cnf",
};

/* Settings of Java, without which it does no TLS: Fedora has one directory for all
 * its versions, Debian one for each. */
static const char *const java_settings[] = {"java", "java-*-openjdk"};

/* What a run would learn about the host's kernel and other users' keys. */
static const char *const masked_files[] = {
	"/proc/cmdline", "/proc/config.gz", "/proc/kallsyms",	"/proc/kcore",
	"/proc/keys",	 "/proc/key-users", "/proc/timer_list",
};

#define NSSWITCH "/etc/nsswitch.conf"

static const struct {
	const char *path;
	const char *content;
} made_files[] = {
	{"/etc/passwd", "root:x:0:0:root:/root:/usr/sbin/nologin\n" RUN_USER
			":x:1000:1000:" RUN_USER ":" RUN_HOME ":/bin/sh\n"
			"nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"},
	{"/etc/group", "root:x:0:\n" RUN_USER ":x:1000:\nnogroup:x:65534:\n"},
	{"/etc/hosts", "127.0.0.1 localhost " RUN_HOST_NAME "\n::1 localhost\n"},
	{"/etc/hostname", RUN_HOST_NAME "\n"},
	{NSSWITCH, "passwd: files\ngroup: files\nhosts: files\nprotocols: files\n"
		   "services: files\n"},
};

/* With POLICY_REPORT the C library also asks a name server, which is not there, so
 * that anet-watch sees which host; the second `files` has the last word, as without. */
static const char nsswitch_for_report[] =
	"passwd: files\ngroup: files\nhosts: files dns files\nprotocols: files\n"
	"services: files\n";

static const char *content_of(const struct view_builder *builder, size_t i)
{
	return builder->policy->flags & POLICY_REPORT &&
			       strcmp(made_files[i].path, NSSWITCH) == 0
		       ? nsswitch_for_report
		       : made_files[i].content;
}

_Static_assert(COUNT(made_files) == VIEW_MADE_FILES, "os/view.h");
_Static_assert(RUN_UID == 1000, "/etc/passwd of the run");

static enum reason add(struct view_builder *builder, const struct view_entry *entry)
{
	if (view_add(builder->view, entry, NULL))
		return REASON_OK;
	return view_refuse(builder, REASON_SYSTEM, "%s: %s", entry->target,
			   strerror(errno));
}

static enum reason add_made(struct view_builder *builder)
{
	enum reason reason =
		add(builder, &(struct view_entry){
				     .kind = VIEW_MADE,
				     .way = VIEW_DIRECTORY,
				     .target = "/etc",
				     .mode = "0755",
				     .rule = "of /etc only a short list is there",
			     });

	for (size_t i = 0; i < COUNT(made_files) && !reason; i++)
		reason = add(builder,
			     &(struct view_entry){
				     .kind = VIEW_MADE,
				     .way = VIEW_FILE,
				     .target = made_files[i].path,
				     .source = content_of(builder, i),
				     .mode = "0444",
				     .rule = "written by anet, the same in all runs",
			     });
	return reason;
}

static enum reason add_links(struct view_builder *builder)
{
	enum reason reason = REASON_OK;

	for (size_t i = 0; i < COUNT(system_directories) && !reason; i++) {
		const char *path = system_directories[i];
		char target[PATH_MAX];
		ssize_t length = readlink(path, target, sizeof(target) - 1);

		if (length <= 0)
			continue;
		target[length] = 0;
		reason = add(builder,
			     &(struct view_entry){
				     .kind = VIEW_LINK,
				     .way = VIEW_SYMLINK,
				     .target = path,
				     .source = target,
				     .rule = "a link of the system's, as it is outside",
			     });
	}
	return reason;
}

/* What is the run's own; of kind VIEW_PRIVATE where none stands. */
static const struct view_entry private_entries[] = {
	{.way = VIEW_PROC, .target = "/proc", .rule = "the run's own processes only"},
	{.way = VIEW_DEV,
	 .target = "/dev",
	 .rule = "a few devices that open nothing of the machine"},
	{.way = VIEW_TMPFS,
	 .target = "/dev/shm",
	 .writable = true,
	 .bytes = LIMIT_SHM_BYTES,
	 .mode = "1777",
	 .rule = "the run's own, gone at its end"},
	{.way = VIEW_TMPFS,
	 .target = "/run",
	 .writable = true,
	 .bytes = LIMIT_RUN_BYTES,
	 .mode = "0755",
	 .rule = "the run's own: no socket of the machine is in it"},
	{.way = VIEW_TMPFS,
	 .target = "/tmp",
	 .writable = true,
	 .bytes = LIMIT_TMP_BYTES,
	 .mode = "1777",
	 .rule = "the run's own, gone at its end"},
	{.kind = VIEW_HOME,
	 .way = VIEW_TMPFS,
	 .target = RUN_HOME,
	 .writable = true,
	 .bytes = LIMIT_HOME_BYTES,
	 .mode = "0700",
	 .rule = "the run's own home, gone at its end"},
	{.kind = VIEW_MADE,
	 .way = VIEW_DIRECTORY,
	 .target = "/var",
	 .mode = "0755",
	 .rule = "nothing of the machine's /var is there"},
	{.kind = VIEW_LINK,
	 .way = VIEW_SYMLINK,
	 .target = "/var/run",
	 .source = "../run",
	 .rule = "a link, as on all systems"},
	/* No link: a workspace may lie below it, at its own path. */
	{.way = VIEW_TMPFS,
	 .target = "/var/tmp",
	 .writable = true,
	 .bytes = LIMIT_TMP_BYTES,
	 .mode = "1777",
	 .rule = "the run's own, gone at its end"},
};

static enum reason add_private(struct view_builder *builder)
{
	enum reason reason = REASON_OK;

	for (size_t i = 0; i < COUNT(private_entries) && !reason; i++) {
		struct view_entry entry = private_entries[i];

		if (!entry.kind)
			entry.kind = VIEW_PRIVATE;
		reason = add(builder, &entry);
	}
	return reason;
}

static enum reason add_system(struct view_builder *builder, const char *path,
			      const char *rule)
{
	struct view_entry entry = {
		.kind = VIEW_SYSTEM,
		.way = VIEW_BIND,
		.target = path,
		.rule = rule,
	};
	char source[PATH_MAX];
	auto_fd int fd = open(path, O_PATH | O_CLOEXEC);
	int r;

	if (fd < 0)
		return REASON_OK; /* not every system has every one of them */
	r = view_canonical(fd, source, sizeof(source));
	entry.source = source;
	if (r == 0 && !view_add(builder->view, &entry, &fd))
		r = -errno;
	if (r < 0)
		return view_refuse(builder, REASON_SYSTEM, "%s: %s", path,
				   strerror(-r));
	return REASON_OK;
}

static enum reason add_system_file(struct view_builder *builder, const char *path)
{
	return add_system(builder, path, "on the short list of /etc, read-only");
}

static enum reason add_java_settings(struct view_builder *builder)
{
	DIR *entries = opendir("/etc");
	enum reason reason = REASON_OK;
	struct dirent *entry;

	while (entries && !reason && (entry = readdir(entries)))
		for (size_t i = 0; i < COUNT(java_settings) && !reason; i++) {
			char path[sizeof("/etc/") + NAME_MAX];

			snprintf(path, sizeof(path), "/etc/%s", entry->d_name);
			if (fnmatch(java_settings[i], entry->d_name, 0) == 0)
				reason = add_system_file(builder, path);
		}
	if (entries)
		closedir(entries);
	return reason;
}

enum reason view_add_fixed(struct view_builder *builder)
{
	enum reason reason = add_made(builder);

	if (!reason)
		reason = add_links(builder);
	if (!reason)
		reason = add_private(builder);
	for (size_t i = 0; i < COUNT(system_directories) && !reason; i++) {
		const char *path = system_directories[i];
		struct stat status;

		/* A linked directory is a link inside; a linked file (such as
		 * /etc/localtime) is bound by what it leads to. */
		if (lstat(path, &status) == 0 && !S_ISLNK(status.st_mode))
			reason = add_system(builder, path,
					    "the system's programs, read-only");
	}
	for (size_t i = 0; i < COUNT(system_files) && !reason; i++)
		reason = add_system_file(builder, system_files[i]);
	return reason ? reason : add_java_settings(builder);
}

enum reason view_add_masked(struct view_builder *builder)
{
	enum reason reason = REASON_OK;

	for (size_t i = 0; i < COUNT(masked_files) && !reason; i++)
		if (access(masked_files[i], F_OK) == 0)
			reason = add(builder,
				     &(struct view_entry){
					     .kind = VIEW_MASKED,
					     .way = VIEW_BIND,
					     .target = masked_files[i],
					     .source = "/dev/null",
					     .rule = "it tells about the machine's "
						     "kernel: empty for runs",
				     });
	return reason;
}

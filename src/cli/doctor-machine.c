/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The machine: kernel, bubblewrap, AppArmor, cgroups, this account.  Only looks;
 * whether it all works together is what the probe tells (doctor-session.c).
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/capture.h"
#include "cli/doctor.h"
#include "cli/machine.h"
#include "os/cleanup.h"
#include "os/explain.h"
#include "os/uid-range.h"
#include "strategies/session-start.h"

#define BWRAP_PROFILE "anet-bwrap"

/* The start of a small file, without the final newline; false if it cannot be
 * read. */
static bool read_small(const char *path, char *ret_text, size_t size)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	ssize_t length = fd < 0 ? -1 : read(fd, ret_text, size - 1);

	if (length < 0)
		return false;
	while (length > 0 && isspace((unsigned char)ret_text[length - 1]))
		length--;
	ret_text[length] = 0;
	return true;
}

void doctor_check_helpers(struct doctor *doctor)
{
	static const char *const helpers[] = {
		"anet-session",	 "anet-init",  "anet-files",  "anet-gateway",
		"anet-upstream", "anet-probe", "anet-tunnel", NULL};
	struct list missing = {0};

	for (size_t i = 0; helpers[i]; i++) {
		char *path =
			arena_format(&doctor->arena, ANET_HELPER_DIR "/%s", helpers[i]);

		if (access(path, X_OK) < 0)
			list_add(&doctor->arena, &missing,
				 arena_format(&doctor->arena, "%s (%s)", helpers[i],
					      strerror(errno)));
	}
	if (missing.n)
		doctor_add(doctor, "helpers", FINDING_FAIL,
			   reason_remedy(REASON_HELPER_MISSING),
			   "not executable in " ANET_HELPER_DIR ": %s [%s]",
			   list_join(&doctor->arena, missing.items, ", "),
			   reason_code(REASON_HELPER_MISSING));
	else
		doctor_add(doctor, "helpers", FINDING_OK, NULL,
			   "all in " ANET_HELPER_DIR ", version " PACKAGE_VERSION);
}

void doctor_check_bwrap(struct doctor *doctor)
{
	char program[] = ANET_BWRAP, option[] = "--version";
	char *argv[] = {program, option, NULL};
	struct capture said;

	if (access(ANET_BWRAP, X_OK) < 0) {
		doctor_add_reason(doctor, "bwrap", FINDING_FAIL, REASON_NO_BWRAP,
				  arena_format(&doctor->arena, "%s: %s", ANET_BWRAP,
					       strerror(errno)));
		return;
	}
	if (capture(argv, "", 0, &said) != 0) {
		doctor_add_reason(doctor, "bwrap", FINDING_FAIL, REASON_NO_BWRAP,
				  ANET_BWRAP " does not tell its version");
		return;
	}
	said.out[strcspn(said.out, "\n")] = 0;
	doctor_add(doctor, "bwrap", FINDING_OK, NULL, "%s, %s", ANET_BWRAP,
		   SHOW(said.out));
}

void doctor_check_user_namespaces(struct doctor *doctor)
{
	char maximum[32] = "", clone[32] = "";
	bool known = read_small("/proc/sys/user/max_user_namespaces", maximum,
				sizeof(maximum));

	/* Debian's and Ubuntu's own switch; other kernels have none. */
	read_small("/proc/sys/kernel/unprivileged_userns_clone", clone, sizeof(clone));
	if (!known)
		doctor_add(doctor, "userns", FINDING_UNKNOWN, NULL,
			   "/proc/sys/user/max_user_namespaces cannot be read");
	else if (strcmp(maximum, "0") == 0)
		doctor_add(doctor, "userns", FINDING_FAIL,
			   "as root: sysctl -w user.max_user_namespaces=10000, and the "
			   "same "
			   "in /etc/sysctl.d for the next boot",
			   "the sysctl user.max_user_namespaces is 0 [%s]",
			   reason_code(REASON_USERNS_UNAVAILABLE));
	else if (strcmp(clone, "0") == 0 && geteuid() != 0)
		doctor_add(doctor, "userns", FINDING_FAIL,
			   "as root: sysctl -w kernel.unprivileged_userns_clone=1, and "
			   "the "
			   "same in /etc/sysctl.d for the next boot",
			   "the sysctl kernel.unprivileged_userns_clone is 0 [%s]",
			   reason_code(REASON_USERNS_UNAVAILABLE));
	else
		doctor_add(doctor, "userns", FINDING_OK, NULL,
			   "user.max_user_namespaces is %s%s%s", maximum,
			   *clone ? ", kernel.unprivileged_userns_clone is " : "",
			   clone);
}

bool apparmor_line_attaches(const char *line, const char *program)
{
	size_t length = strlen(program);
	const char *at = line;

	at += strspn(at, " \t");
	/* "profile NAME /path flags=(…) {", or without the first two words. */
	if (*at == '#' || !strchr(at, '{'))
		return false;
	if (strncmp(at, "profile ", 8) != 0 && *at != '/' && *at != '"')
		return false;
	for (; (at = strstr(at, program)); at += length)
		if ((at == line || strchr(" \t\"", at[-1])) &&
		    strchr(" \t\"{", at[length]) && at[length])
			return true;
	return false;
}

static bool file_attaches(const char *path, const char *program)
{
	auto_file FILE *file = fopen(path, "re");
	auto_free char *line = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0)
		if (apparmor_line_attaches(line, program))
			return true;
	return false;
}

const char *doctor_other_profile(struct arena *arena, const char *directory)
{
	DIR *entries = opendir(directory);
	const struct dirent *entry;
	const char *found = NULL;

	while (entries && !found && (entry = readdir(entries))) {
		char *path;

		if (entry->d_name[0] == '.' ||
		    strcmp(entry->d_name, BWRAP_PROFILE) == 0)
			continue;
		path = arena_format(arena, "%s/%s", directory, entry->d_name);
		if (file_attaches(path, ANET_BWRAP))
			found = path;
	}
	if (entries)
		closedir(entries);
	return found;
}

void doctor_check_apparmor(struct doctor *doctor)
{
	const char *other = doctor_other_profile(&doctor->arena, "/etc/apparmor.d");
	bool ours = access("/etc/apparmor.d/" BWRAP_PROFILE, F_OK) == 0;
	char restricted[32] = "0";

	if (other && ours)
		doctor_add(
			doctor, "apparmor", FINDING_FAIL,
			"remove one of them with `apparmor_parser -R`, then its file",
			"both %s and /etc/apparmor.d/" BWRAP_PROFILE
			" attach to " ANET_BWRAP ": the kernel applies neither",
			SHOW(other));
	else if (!read_small("/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
			     restricted, sizeof(restricted)) ||
		 strcmp(restricted, "0") == 0)
		doctor_add(doctor, "apparmor", FINDING_OK, NULL,
			   "user namespaces are not restricted");
	else if (ours || other)
		doctor_add(
			doctor, "apparmor", FINDING_INFO, NULL,
			"user namespaces are restricted; %s is there for " ANET_BWRAP,
			other ? SHOW(other) : "/etc/apparmor.d/" BWRAP_PROFILE);
	else
		doctor_add_reason(
			doctor, "apparmor", FINDING_WARN, REASON_USERNS_BLOCKED,
			"kernel.apparmor_restrict_unprivileged_userns is 1, and "
			"no profile is there for " ANET_BWRAP);
}

void doctor_check_kernel(struct doctor *doctor)
{
	uint32_t action = SECCOMP_RET_KILL_PROCESS;
	struct utsname name;
	long abi;

	if (uname(&name) == 0)
		doctor_add(doctor, "kernel", FINDING_INFO, NULL, "%s %s on %s",
			   name.sysname, name.release, name.machine);
	if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0)
		doctor_add(doctor, "seccomp", FINDING_OK, NULL,
			   "filters can be installed, and can end a process");
	else
		doctor_add(doctor, "seccomp", FINDING_FAIL,
			   reason_remedy(REASON_SECCOMP_FAILED), "seccomp(2): %s [%s]",
			   strerror(errno), reason_code(REASON_SECCOMP_FAILED));
	abi = syscall(SYS_landlock_create_ruleset, NULL, 0,
		      LANDLOCK_CREATE_RULESET_VERSION);
	if (abi > 0)
		doctor_add(doctor, "landlock", FINDING_OK, NULL, "ABI %ld", abi);
	else
		doctor_add(
			doctor, "landlock", FINDING_WARN,
			"a kernel with CONFIG_SECURITY_LANDLOCK, and `landlock` in its "
			"`lsm=`",
			"not there (%s): helpers have one layer less", strerror(errno));
}

void doctor_check_cgroup(struct doctor *doctor)
{
	const char *manager = machine_manager(&doctor->arena, &doctor->places);
	const char *missing = machine_limits_missing(&doctor->arena, manager);

	if (missing)
		doctor_add_reason(doctor, "cgroup", FINDING_WARN,
				  REASON_NO_CGROUP_LIMITS, missing);
	else
		doctor_add(doctor, "cgroup", FINDING_OK, NULL,
			   "limits are full: cgroup v2 with memory and pids, manager "
			   "at %s",
			   SHOW(manager));
}

/* Groups that are as good as root, or read what is not for everybody. */
static const char *const dangerous_groups[] = {
	"docker",      "disk", "kvm",	"adm",	  "libvirt", "lxd",
	"incus-admin", "sudo", "wheel", "shadow", NULL};

static void check_groups(struct doctor *doctor)
{
	struct list found = {0};
	gid_t groups[256];
	int n = getgroups((int)(sizeof(groups) / sizeof(groups[0])), groups);

	for (int i = 0; i < n; i++) {
		const struct group *entry = getgrgid(groups[i]);

		for (size_t j = 0; entry && dangerous_groups[j]; j++)
			if (strcmp(entry->gr_name, dangerous_groups[j]) == 0)
				list_add(&doctor->arena, &found,
					 arena_copy(&doctor->arena, entry->gr_name));
	}
	if (n < 0)
		doctor_add(doctor, "groups", FINDING_UNKNOWN, NULL, "getgroups(2): %s",
			   strerror(errno));
	else if (found.n)
		doctor_add(doctor, "groups", FINDING_WARN,
			   "run anet as a user without these groups: what a run could "
			   "reach "
			   "by breaking out, it reaches with them",
			   "this account is in: %s",
			   list_join(&doctor->arena, found.items, ", "));
	else
		doctor_add(doctor, "groups", FINDING_OK, NULL,
			   "no supplementary group that gives more than this account");
}

void doctor_check_account(struct doctor *doctor)
{
	struct uid_range range;
	int r;

	/* Root's run has ids of its own and no supplementary group. */
	if (doctor->places.uid != 0) {
		check_groups(doctor);
		return;
	}
	r = uid_range_read("/etc/subuid", "/etc/subgid", &range);
	if (r < 0)
		doctor_add(doctor, "uids", FINDING_FAIL,
			   "give `anet` the same FIRST:COUNT in /etc/subuid and "
			   "/etc/subgid",
			   "the range of the account `anet` cannot be used: %s",
			   strerror(-r));
	else if (!uid_range_mapped(&range))
		doctor_add(doctor, "uids", FINDING_FAIL,
			   "run anet as an ordinary user of this container",
			   "its user namespace does not map the ids for runs, %u to %u",
			   range.first, range.first + range.count - 1);
	else
		doctor_add(doctor, "uids", FINDING_OK, NULL,
			   "%u ids from %u on, for runs", range.count, range.first);
}

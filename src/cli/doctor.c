/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet doctor: whether sessions can run here, and if not, why.  It changes
 * nothing but the cache of the probe.
 */
#include "cli/doctor.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "cli/command.h"
#include "os/cleanup.h"
#include "os/explain.h"
#include "os/report.h"

#define PROFILE ANET_DATA_DIR "/apparmor/anet-bwrap"
#define PROFILE_DIRECTORY "/etc/apparmor.d"

static const char help[] =
	"Checks whether sessions can run on this machine, and says why not.\n"
	"\n"
	"Usage: anet doctor [--json]\n"
	"       anet doctor --apparmor-profile\n"
	"\n"
	"The sandbox is really started and attacked from inside. Nothing is installed "
	"or\n"
	"changed. The exit status is 0 unless a check says `fail`, then it is 1.\n"
	"\n"
	"Options:\n"
	"  --json              the findings as JSON (schema anet.doctor/1)\n"
	"  --apparmor-profile  print the AppArmor profile that bubblewrap needs where\n"
	"                      kernel.apparmor_restrict_unprivileged_userns is 1\n"
	"  --help              this text\n"
	"\n"
	"To install the profile:\n"
	"  anet doctor --apparmor-profile | sudo tee " PROFILE_DIRECTORY
	"/anet-bwrap >/dev/null &&\n"
	"      sudo apparmor_parser -r " PROFILE_DIRECTORY "/anet-bwrap\n";

void doctor_add(struct doctor *doctor, const char *id, enum finding_status status,
		const char *hint, const char *format, ...)
{
	char text[1500];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (doctor->n == doctor->room) {
		size_t room = doctor->room ? doctor->room * 2 : 32;
		struct finding *findings =
			arena_get(&doctor->arena, room * sizeof(struct finding));

		if (doctor->n)
			memcpy(findings, doctor->findings,
			       doctor->n * sizeof(struct finding));
		doctor->findings = findings;
		doctor->room = room;
	}
	doctor->findings[doctor->n++] = (struct finding){
		.id = id,
		.status = status,
		.detail = arena_copy(&doctor->arena, text),
		.hint = hint && *hint ? hint : NULL,
	};
}

void doctor_add_reason(struct doctor *doctor, const char *id,
		       enum finding_status status, enum reason reason,
		       const char *detail)
{
	doctor_add(doctor, id, status, reason_remedy(reason), "%s [%s]",
		   detail && *detail ? detail : reason_sentence(reason),
		   reason_code(reason));
}

static int print_profile(void)
{
	struct arena arena = {0};
	const char *other = doctor_other_profile(&arena, PROFILE_DIRECTORY);
	auto_file FILE *file = NULL;
	char bytes[4096];
	size_t length;
	int status = EX_OK;

	if (other)
		status = refuse(REASON_APPARMOR_PROFILE_EXISTS,
				"%s attaches a profile to " ANET_BWRAP
				" already; with two the kernel applies neither",
				SHOW(other));
	arena_free(&arena);
	if (status != EX_OK)
		return status;
	file = fopen(PROFILE, "re");
	if (!file)
		return refuse(REASON_HELPER_MISSING, "cannot read " PROFILE ": %s",
			      strerror(errno));
	while ((length = fread(bytes, 1, sizeof(bytes), file)) > 0)
		fwrite(bytes, 1, length, stdout);
	if (ferror(file))
		return refuse(REASON_SYSTEM, "cannot read " PROFILE ": %s",
			      strerror(errno));
	return EX_OK;
}

static bool any_failed(const struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->n; i++)
		if (doctor->findings[i].status == FINDING_FAIL)
			return true;
	return false;
}

static int examine(bool json)
{
	struct doctor doctor = {0};
	int status = EX_OK;

	places_find(&doctor.arena, &doctor.places);
	doctor_check_config(&doctor);
	doctor_check_helpers(&doctor);
	doctor_check_bwrap(&doctor);
	doctor_check_user_namespaces(&doctor);
	doctor_check_apparmor(&doctor);
	doctor_check_kernel(&doctor);
	doctor_check_cgroup(&doctor);
	doctor_check_account(&doctor);
	doctor_check_srt(&doctor);
	doctor_check_runtimes(&doctor);
	if (json)
		doctor_print_json(&doctor);
	else
		doctor_print_table(&doctor);
	if (status == EX_OK && any_failed(&doctor))
		status = 1;
	arena_free(&doctor.arena);
	return status;
}

static int doctor_main(int argc, char **argv)
{
	bool json = false, profile = false;
	const struct command_option options[] = {
		{"json", &json, NULL},
		{"apparmor-profile", &profile, NULL},
		{0},
	};
	int status = read_options(argc, argv, &command_doctor, options, NULL, NULL);

	if (status != GO_ON)
		return status;
	if (json && profile)
		return refuse(REASON_USAGE,
			      "`--json` and `--apparmor-profile` do not go together");
	return profile ? print_profile() : examine(json);
}

const struct command command_doctor = {
	.name = "doctor",
	.summary = "checks whether sessions can run here, and says why not",
	.help = help,
	.main = doctor_main,
};

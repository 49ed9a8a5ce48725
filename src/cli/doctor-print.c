/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>

#include "cli/doctor.h"
#include "cli/output.h"
#include "cli/table.h"

static const struct {
	const char *name;
	enum color color;
} statuses[] = {
	[FINDING_OK] = {"ok", COLOR_GREEN},
	[FINDING_INFO] = {"info", COLOR_CYAN},
	[FINDING_WARN] = {"warn", COLOR_YELLOW},
	[FINDING_FAIL] = {"fail", COLOR_RED},
	[FINDING_UNKNOWN] = {"unknown", COLOR_MAGENTA},
};

const char *finding_status_name(enum finding_status status)
{
	return statuses[status].name;
}

static size_t count(const struct doctor *doctor, enum finding_status status)
{
	size_t n = 0;

	for (size_t i = 0; i < doctor->n; i++)
		n += doctor->findings[i].status == status;
	return n;
}

void doctor_print_table(struct doctor *doctor)
{
	/* Status, id and what is found need no headings. */
	static const char *const headings[] = {"", "", "", NULL};
	struct arena *arena = &doctor->arena;
	struct table table = table_new(arena, headings);

	for (size_t i = 0; i < doctor->n; i++) {
		const struct finding *finding = &doctor->findings[i];

		TABLE_ADD(&table,
			  painted(arena, statuses[finding->status].color,
				  statuses[finding->status].name),
			  finding->id, finding->detail);
		/* Where all is well a hint would only be noise. */
		if (finding->hint && finding->status != FINDING_OK)
			TABLE_ADD(&table, "", "",
				  painted(arena, COLOR_DIM, finding->hint));
	}
	table_print(&table, 0);
	printf("\n%zu ok, %zu info, %zu warn, %zu fail, %zu unknown\n",
	       count(doctor, FINDING_OK), count(doctor, FINDING_INFO),
	       count(doctor, FINDING_WARN), count(doctor, FINDING_FAIL),
	       count(doctor, FINDING_UNKNOWN));
}

void doctor_print_json(const struct doctor *doctor)
{
	struct json_object *root = json_object_new_object();
	struct json_object *checks = json_object_new_array();

	json_object_object_add(root, "schema", json_text("anet.doctor/1"));
	json_object_object_add(root, "version", json_text(PACKAGE_VERSION));
	json_object_object_add(root, "status",
			       json_text(count(doctor, FINDING_FAIL)   ? "fail"
					 : count(doctor, FINDING_WARN) ? "warn"
								       : "ok"));
	for (size_t i = 0; i < doctor->n; i++) {
		const struct finding *finding = &doctor->findings[i];
		struct json_object *check = json_object_new_object();

		json_object_object_add(check, "id", json_text(finding->id));
		json_object_object_add(check, "status",
				       json_text(statuses[finding->status].name));
		json_object_object_add(check, "detail", json_text(finding->detail));
		json_object_object_add(check, "hint", json_text(finding->hint));
		json_object_array_add(checks, check);
	}
	json_object_object_add(root, "checks", checks);
	print_json(root);
}

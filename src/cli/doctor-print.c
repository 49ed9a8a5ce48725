/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sysexits.h>
#include <unistd.h>

#include "cli/doctor.h"
#include "os/report.h"

static const struct {
	const char *name;
	const char *color;
} statuses[] = {
	[FINDING_OK] = {"ok", "\033[32m"},
	[FINDING_INFO] = {"info", "\033[36m"},
	[FINDING_WARN] = {"warn", "\033[33m"},
	[FINDING_FAIL] = {"fail", "\033[31m"},
	[FINDING_UNKNOWN] = {"unknown", "\033[35m"},
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

/* Columns of the terminal; 0 if standard output is none. */
static int terminal_columns(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_col;
}

/* Columns that UTF-8 takes, near enough: one for each character. */
static int columns_of(const char *word, size_t length)
{
	int columns = 0;

	for (size_t i = 0; i < length; i++)
		columns += (word[i] & 0xc0) != 0x80;
	return columns;
}

/* Prints words so that what does not fit into the terminal goes on below, from
 * the column `indent` on, where the first word stands already. */
static void print_words(const char *words, int indent, int columns)
{
	int at = indent;

	while (*words) {
		size_t length = strcspn(words, " ");
		int width = columns_of(words, length);

		if (columns > indent + 20 && at > indent && at + width > columns) {
			printf("\n%*s", indent, "");
			at = indent;
		}
		fwrite(words, 1, length, stdout);
		at += width;
		words += length;
		if (*words) {
			putchar(' ');
			at++;
			words++;
		}
	}
	putchar('\n');
}

void doctor_print_table(const struct doctor *doctor)
{
	const char *no_color = secure_getenv("NO_COLOR");
	int columns = terminal_columns(), width = 0;
	bool color = isatty(STDOUT_FILENO) && !(no_color && *no_color);
	const char *dim = color ? "\033[2m" : "", *plain = color ? "\033[0m" : "";

	for (size_t i = 0; i < doctor->n; i++)
		if ((int)strlen(doctor->findings[i].id) > width)
			width = (int)strlen(doctor->findings[i].id);
	for (size_t i = 0; i < doctor->n; i++) {
		const struct finding *finding = &doctor->findings[i];
		/* Status, id, and two blanks after each. */
		int indent = 7 + 2 + width + 2;

		printf("%s%-7s%s  %-*s  ", color ? statuses[finding->status].color : "",
		       statuses[finding->status].name, plain, width, finding->id);
		print_words(finding->detail, indent, columns);
		/* Where all is well a hint would only be noise. */
		if (!finding->hint || finding->status == FINDING_OK)
			continue;
		printf("%*s%s", indent, "", dim);
		print_words(finding->hint, indent, columns);
		fputs(plain, stdout);
	}
	printf("\n%zu ok, %zu info, %zu warn, %zu fail, %zu unknown\n",
	       count(doctor, FINDING_OK), count(doctor, FINDING_INFO),
	       count(doctor, FINDING_WARN), count(doctor, FINDING_FAIL),
	       count(doctor, FINDING_UNKNOWN));
}

static struct json_object *text(const char *value)
{
	return value ? json_object_new_string(value) : NULL;
}

int doctor_print_json(const struct doctor *doctor)
{
	struct json_object *root = json_object_new_object();
	struct json_object *checks = json_object_new_array();
	int flags = JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
		    JSON_C_TO_STRING_NOSLASHESCAPE;

	json_object_object_add(root, "schema", text("anet.doctor/1"));
	json_object_object_add(root, "version", text(PACKAGE_VERSION));
	json_object_object_add(root, "status",
			       text(count(doctor, FINDING_FAIL)	  ? "fail"
				    : count(doctor, FINDING_WARN) ? "warn"
								  : "ok"));
	for (size_t i = 0; i < doctor->n; i++) {
		const struct finding *finding = &doctor->findings[i];
		struct json_object *check = json_object_new_object();

		json_object_object_add(check, "id", text(finding->id));
		json_object_object_add(check, "status",
				       text(statuses[finding->status].name));
		json_object_object_add(check, "detail", text(finding->detail));
		json_object_object_add(check, "hint", text(finding->hint));
		json_object_array_add(checks, check);
	}
	json_object_object_add(root, "checks", checks);
	puts(json_object_to_json_string_ext(root, flags));
	json_object_put(root);
	return EX_OK;
}

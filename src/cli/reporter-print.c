/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/egress-ask.h"
#include "cli/outside.h"
#include "cli/output.h"
#include "cli/reporter.h"
#include "core/hostname.h"
#include "core/path.h"
#include "core/run.h"
#include "os/cleanup.h"
#include "os/visible.h"

/* A path that is there outside, and was not for the run. */
struct missing {
	const char *path, *canonical;
	const char *never; /* why no mount can show it; NULL: one can */
	bool maybe;	   /* in a directory of the run's own, which may have had one */
};

struct report {
	struct preparation *run;
	const struct view *view;
	const struct seen *seen;
	struct arena *arena;
	FILE *out;
	struct outside outside;
	struct visible_homes homes;
	struct missing *missing;
	size_t n_missing, n_foreign;
};

/* Where something of the machine may be hidden: what no entry of the view covers, and
 * what lies in the run's own directories. */
static bool may_be_missing(const struct view *view, const char *path, bool *ret_maybe)
{
	const struct view_entry *entry = view_find(view, path);

	*ret_maybe = false;
	if (view_find_below(view, path))
		return false;
	if (!entry)
		return true;
	if (strcmp(entry->target, path) == 0)
		return false;
	/* The run's home is another one than the caller's. */
	*ret_maybe = entry->way == VIEW_TMPFS && entry->kind != VIEW_HOME;
	return *ret_maybe || entry->way == VIEW_DIRECTORY;
}

static void add_missing(struct report *report, const char *path)
{
	char canonical[PATH_MAX], detail[LIMIT_DETAIL + 1] = "";
	auto_fd int fd = -1;
	bool maybe;

	if (!may_be_missing(report->view, path, &maybe))
		return;
	fd = outside_open(&report->outside, path, canonical);
	if (fd == -EXDEV)
		report->n_foreign++;
	if (fd < 0)
		return;
	report->missing[report->n_missing++] = (struct missing){
		.path = path,
		.canonical = arena_copy(report->arena, canonical),
		.never = visible_check(fd, canonical, &report->homes, false, detail,
				       sizeof(detail)) == REASON_OK
				 ? NULL
				 : arena_copy(report->arena, detail),
		.maybe = maybe,
	};
}

static int compare(const void *one, const void *other)
{
	const struct missing *a = one, *b = other;

	return strcmp(a->path, b->path);
}

static void print_missing(struct report *report)
{
	if (report->n_missing == 0)
		return;
	fputs("\nOn this machine, and not seen by the run:\n", report->out);
	for (size_t i = 0; i < report->n_missing; i++) {
		const struct missing *missing = &report->missing[i];
		char *path = escaped(report->arena, missing->path);
		char *canonical = escaped(report->arena, missing->canonical);

		fprintf(report->out, "  %s", path);
		if (strcmp(path, canonical) != 0)
			fprintf(report->out, ", which is %s", canonical);
		if (missing->maybe)
			fputs(" (unless the run made one of its own)", report->out);
		if (missing->never)
			fprintf(report->out, "\n      never visible: %s",
				escaped(report->arena, missing->never));
		fputc('\n', report->out);
	}
}

/* Whether a line for it is worth writing: it can be allowed and written, and no line
 * before allows it too. */
static bool needs_line(const struct report *report, size_t which)
{
	const struct missing *missing = &report->missing[which];

	if (missing->never ||
	    strcmp(escaped(report->arena, missing->canonical), missing->canonical) != 0)
		return false;
	for (size_t i = 0; i < report->n_missing; i++) {
		const struct missing *other = &report->missing[i];

		if (i == which || other->never ||
		    !path_is_inside(missing->canonical, other->canonical))
			continue;
		if (strcmp(missing->canonical, other->canonical) != 0 || i < which)
			return false;
	}
	return true;
}

/* Where the agent's file is, or would be. */
static char *agent_file(struct report *report)
{
	const struct preparation *run = report->run;

	if (run->agent.path)
		return escaped(report->arena, run->agent.path);
	return arena_format(report->arena, "%s/agents.d/%s.json",
			    escaped(report->arena, run->places.user
							   ? run->places.user
							   : run->places.system),
			    run->agent.name);
}

static void print_lines(struct report *report)
{
	bool has_file = report->run->agent.path;
	const char *between = "";

	for (size_t i = 0; i < report->n_missing; i++) {
		struct json_object *source;

		if (!needs_line(report, i))
			continue;
		if (!*between)
			fprintf(report->out,
				"\nTo show them to runs of agent \"%s\", read-only, in "
				"%s:\n"
				"%s%s%s"
				"  \"mounts\": [\n",
				report->run->agent.name, agent_file(report),
				/* A file that is not there yet needs it. */
				has_file ? "" : "  \"runtime\": \"",
				has_file ? "" : report->run->agent.runtime,
				has_file ? "" : "\",\n");
		source = json_object_new_string(report->missing[i].canonical);
		fprintf(report->out, "%s    { \"source\": %s }", between,
			json_object_to_json_string_ext(source,
						       JSON_C_TO_STRING_NOSLASHESCAPE));
		json_object_put(source);
		between = ",\n";
	}
	if (*between)
		fputs("\n  ]\n", report->out);
}

static bool is_in(char *const *list, const char *name)
{
	for (; list && *list; list++)
		if (strcmp(*list, name) == 0)
			return true;
	return false;
}

static bool is_public_name(const char *name)
{
	const char *ignored;

	return hostname_check((const uint8_t *)name, strlen(name), &ignored) == REASON_OK;
}

/* For who asks the proxy, which the program did not that was seen to ask for it. */
static bool is_allowed(const struct report *report, const char *name)
{
	enum policy_egress egress = (enum policy_egress)report->run->policy.egress;

	return (egress == EGRESS_PUBLIC && is_public_name(name)) ||
	       (egress == EGRESS_LIST &&
		is_in(report->run->agent.egress.hosts, name));
}

/* The names that the agent's list could have besides. */
static char **allowable(struct report *report)
{
	const struct policy *policy = &report->run->policy;
	size_t room = LIMIT_EGRESS_HOSTS - policy->n_egress_hosts;
	struct list names = {0};

	for (size_t i = 0; i < report->seen->n_hosts && names.n < room; i++) {
		const char *name = report->seen->hosts[i].name;

		if (is_public_name(name) && !is_allowed(report, name) &&
		    !(policy->wire != WIRE_NONE && strcmp(name, policy->host) == 0) &&
		    !is_in(names.items, name))
			list_add(report->arena, &names, arena_copy(report->arena, name));
	}
	return list_items(report->arena, &names);
}

static void print_way(struct report *report)
{
	char **names = allowable(report);
	const char *command =
		*names ? egress_command(report->arena, &report->run->agent,
					list_join(report->arena, names, ","))
		       : NULL;

	if (command)
		fprintf(report->out,
			"To allow the names among them, each a way out for whatever the "
			"run can read, by https only:\n  %s\n",
			command);
	else if (report->run->policy.egress != EGRESS_PUBLIC)
		fputs("No list can allow them: it takes exact names of public hosts, "
		      "see `egress` in anet.conf(5).\n",
		      report->out);
}

static void print_host(struct report *report, const struct seen_host *host)
{
	const char *name = escaped(report->arena, host->name);

	if (host->port)
		fprintf(report->out, strchr(name, ':') ? "  [%s]:%u" : "  %s:%u", name,
			host->port);
	else
		fprintf(report->out, "  %s", name);
	fputs(is_allowed(report, host->name)
		      ? ", allowed to who asks the proxy that HTTPS_PROXY names\n"
		      : "\n",
	      report->out);
}

static void print_hosts(struct report *report)
{
	const struct policy *policy = &report->run->policy;
	const struct seen *seen = report->seen;
	bool service = false;

	if (seen->n_hosts == 0)
		return;
	fputs("\nHosts that the run tried to reach:\n", report->out);
	for (size_t i = 0; i < seen->n_hosts; i++) {
		service |= policy->wire != WIRE_NONE &&
			   strcmp(seen->hosts[i].name, policy->host) == 0;
		print_host(report, &seen->hosts[i]);
	}
	print_way(report);
	if (service)
		fprintf(report->out,
			"%s is served at http://" ENDPOINT_ADDRESS
			":%d, which the run's environment names.\n",
			policy->host, ENDPOINT_MODEL_PORT);
}

static void print_reasons(struct report *report, const char *title,
			  const struct seen_refusal *list, size_t n)
{
	if (n == 0)
		return;
	fputs(title, report->out);
	for (size_t i = 0; i < n; i++) {
		const char *remedy = reason_remedy(list[i].reason);

		fputs("  ", report->out);
		if (list[i].count)
			fprintf(report->out, "%" PRIu64 " × ", list[i].count);
		fprintf(report->out, "%s: %s\n", reason_code(list[i].reason),
			*list[i].detail ? escaped(report->arena, list[i].detail)
					: reason_sentence(list[i].reason));
		if (*remedy)
			fprintf(report->out, "      %s\n", remedy);
	}
}

static void print_end(struct report *report)
{
	const struct seen *seen = report->seen;

	fputc('\n', report->out);
	if (seen->blind)
		fprintf(report->out, "Paths and hosts were not watched: %s.\n",
			escaped(report->arena, seen->blind));
	else if (!seen->watched)
		fputs("anet-watch did not say its last: more may be missing.\n",
		      report->out);
	else
		fprintf(report->out,
			"Watched: %" PRIu64 " calls, %zu different paths.\n",
			seen->calls, seen->paths.n);
	if (seen->lost)
		fprintf(report->out, "%" PRIu64 " could not be read or kept.\n",
			seen->lost);
	if (report->n_foreign)
		fprintf(report->out,
			"%zu lie on filesystems that are not looked at: of the "
			"network, "
			"of programs, or mounted on demand.\n",
			report->n_foreign);
}

void reporter_print(struct preparation *run, const struct view *view,
		    const struct seen *seen, FILE *out)
{
	struct report report = {
		.run = run,
		.view = view,
		.seen = seen,
		.arena = &run->arena,
		.out = out,
		.missing = arena_get(&run->arena,
				     (seen->paths.n + 1) * sizeof(struct missing)),
	};

	visible_homes_find(&report.homes);
	if (outside_read(report.arena, &report.outside) == 0)
		for (size_t i = 0; i < seen->paths.n; i++)
			add_missing(&report, seen->paths.items[i]);
	qsort(report.missing, report.n_missing, sizeof(*report.missing), compare);
	fprintf(out, "anet: what this run asked for and did not get (agent \"%s\")\n",
		run->agent.name);
	print_missing(&report);
	print_lines(&report);
	print_hosts(&report);
	print_reasons(&report, "\nRequests that were refused:\n",
		      seen->refusals, seen->n_refusals);
	print_reasons(&report, "\nLimits:\n", seen->limits, seen->n_limits);
	if (!report.n_missing && !seen->n_hosts && !seen->n_refusals &&
	    !seen->n_limits && seen->watched)
		fputs("\nNothing.\n", out);
	print_end(&report);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints what anet-gateway-rules(7) has of the tables that the gateway and the
 * upstream go by, as mdoc(7): `rules-page apis`, a section per API, and `rules-page
 * headers`; `rules-page count`: how many tables these sections have.  A build tool;
 * not installed.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "core/endpoint.h"
#include "core/policy.h"
#include "core/rules-anthropic.h"
#include "core/rules-headers.h"
#include "core/rules-openai.h"
#include "mdoc.h"
#include "rules-bodies.h"
#include "rules-walk.h"

#define MOST_TABLES 512

/* Of all APIs up to the one that is printed. */
static struct rules_found found[MOST_TABLES];
static size_t n_found;

/* Text in the making. */
struct text {
	char data[1024];
	size_t length;
};

__attribute__((format(printf, 2, 3))) static void say(struct text *text,
						      const char *format, ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(text->data + text->length, sizeof(text->data) - text->length,
			   format, arguments);
	va_end(arguments);
	if (length > 0)
		text->length += (size_t)length;
}

/* Prints what was said and begins anew: mdoc wants each sentence on a line. */
static void flush(struct text *text)
{
	mdoc_text(text->data);
	*text = (struct text){""};
}

/* The tag of an entry, and the word for what happens. */
static void print_entry(const char *tag, const char *action)
{
	printf(".It Sy ");
	mdoc_argument(tag);
	printf("\n.Em %s\n", action);
}

static void say_types(struct text *text, unsigned int types)
{
	static const struct {
		unsigned int type;
		const char *name;
	} names[] = {
		{RULE_STRING, "string"}, {RULE_INTEGER, "integer"},
		{RULE_REAL, "number"},	 {RULE_BOOL, "boolean"},
		{RULE_ARRAY, "array"},	 {RULE_OBJECT, "object"},
		{RULE_NULL, "null"},
	};
	const char *between = "";

	if (types == RULE_ANY) {
		say(text, "anything");
		return;
	}
	/* Every integer is a number. */
	if (types & RULE_REAL)
		types &= ~(unsigned int)RULE_INTEGER;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!(types & names[i].type))
			continue;
		say(text, "%s%s", between, names[i].name);
		between = " or ";
	}
}

static void say_server_tools(struct text *text, uint32_t tools)
{
	/* As in agents' `server_tools`. */
	static const struct {
		uint32_t bit;
		const char *name;
	} names[] = {
		{SERVER_TOOL_WEB_SEARCH, "web_search"},
		{SERVER_TOOL_WEB_FETCH, "web_fetch"},
		{SERVER_TOOL_CODE_EXECUTION, "code_execution"},
	};
	const char *between = " unless the agent may use ";

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!(tools & names[i].bit))
			continue;
		say(text, "%s`%s`", between, names[i].name);
		between = " or ";
	}
}

static void print_flag(const char *what, uint32_t bits)
{
	struct text text = {""};

	for (unsigned int bit = 0; bits >> bit; bit++) {
		if (!(bits >> bit & 1))
			continue;
		say(&text, "%s unless the beta flag `%s` goes out.", what,
		    anthropic_beta_name(bit));
		flush(&text);
	}
}

static void print_word_list(const char *words)
{
	struct text text = {""};

	say(&text, *words ? "One of" : "Nothing but an object");
	while (*words) {
		size_t length = strcspn(words, "|");

		say(&text, " `%.*s`%s", (int)length, words, words[length] ? "," : "");
		words += length + (words[length] != '\0');
	}
	say(&text, ".");
	flush(&text);
}

static void heading(const struct rules_found *one, char *text, size_t size)
{
	if (one->kinds)
		snprintf(text, size, "Kinds of %s", one->kinds->noun);
	else
		snprintf(text, size, "%s", *one->path ? one->path : "Body");
}

static void print_see(const struct rule_table *table, const struct rule_variants *kinds)
{
	char text[RULES_WALK_PATH];

	heading(rules_walk_find(found, n_found, table, kinds), text, sizeof(text));
	printf("See\n.Sx ");
	mdoc_argument(text);
	puts(" .");
}

static void print_field(const struct rule_field *field)
{
	static const char *const actions[] = {
		[RULE_PASS] = "allow", [RULE_CHECK] = "check", [RULE_CLAMP] = "clamp",
		[RULE_SET] = "set",    [RULE_DROP] = "drop",   [RULE_REFUSE] = "refuse",
	};
	struct text text = {""};

	print_entry(field->name, actions[field->action]);
	if (field->action == RULE_REFUSE) {
		say(&text, "with `%s`", reason_code((enum reason)field->reason));
		say_server_tools(&text, field->server_tools);
	} else if (field->set) {
		say(&text, "to `%s`", field->set);
	} else if (field->action != RULE_DROP) {
		say_types(&text, field->types);
	}
	say(&text, text.length ? "." : "always.");
	flush(&text);
	if (field->words)
		print_word_list(field->words);
	if (field->required)
		puts("It may not be missing.");
	print_flag("Dropped", field->beta);
	if (field->why)
		mdoc_sentence(field->why);
	if (field->object)
		print_see(field->object, NULL);
	if (field->kinds)
		print_see(NULL, field->kinds);
}

static void print_table(const struct rule_table *table)
{
	puts(".Bl -tag -width 24n -compact");
	for (size_t i = 0; i < table->n_fields; i++)
		print_field(&table->fields[i]);
	printf(".It any other field\n.Em %s\n",
	       table->unknown == RULE_DROP ? "drop ." : "refuse");
	if (table->unknown != RULE_DROP)
		printf("with\n.Ql %s .\n", reason_code(REASON_RULE_FIELD));
	puts(".El");
}

static void say_places(struct text *text, const struct rules_found *kinds,
		       unsigned int places)
{
	const char *before = "Only in ";

	for (size_t i = 0; i < kinds->n_uses; i++) {
		if (!(kinds->uses[i].places & places))
			continue;
		say(text, "%s`%s`", before, kinds->uses[i].path);
		before = ", ";
	}
	say(text, ".");
}

static bool stands_everywhere(const struct rules_found *kinds, unsigned int places)
{
	for (size_t i = 0; i < kinds->n_uses; i++)
		if (!(kinds->uses[i].places & places))
			return false;
	return true;
}

static void print_kind(const struct rules_found *kinds, const struct rule_variant *kind)
{
	struct text text = {""};

	print_entry(kind->type, kind->reason ? "refuse" : "allow .");
	if (kind->reason) {
		say(&text, "with `%s`", reason_code((enum reason)kind->reason));
		say_server_tools(&text, kind->server_tools);
		say(&text, ".");
		flush(&text);
	}
	if (kind->fields && !stands_everywhere(kinds, kind->places)) {
		say_places(&text, kinds, kind->places);
		flush(&text);
	}
	print_flag("Refused", kind->beta);
	if (kind->why)
		mdoc_sentence(kind->why);
	if (kind->fields)
		print_see(kind->fields, NULL);
}

static void print_kinds(const struct rules_found *one)
{
	const struct rule_variants *kinds = one->kinds;
	struct text text = {""};

	say(&text, "These stand in");
	for (size_t i = 0; i < one->n_uses; i++)
		say(&text, "%s `%s`", i ? "," : "", one->uses[i].path);
	say(&text, ".");
	flush(&text);
	say(&text, "Their type says what becomes of them");
	if (kinds->absent)
		say(&text, "; one without a type is taken for `%s`", kinds->absent);
	say(&text, ".");
	flush(&text);
	puts(".Bl -tag -width 24n -compact");
	for (size_t i = 0; i < kinds->n_rows; i++)
		print_kind(one, &kinds->rows[i]);
	printf(".It any other type\n.Em refuse\nwith\n.Ql %s .\n.El\n",
	       reason_code((enum reason)kinds->unknown));
}

static void print_flags(void)
{
	puts(".Ss Beta flags\nOf the agent's flags these go out:");
	puts(".Bl -tag -width 24n -compact");
	for (size_t i = 0; i < BETA_COUNT; i++)
		print_entry(anthropic_flags[i].name, "allow .");
	puts(".El\n.Pp\nAll others are dropped, among them:");
	puts(".Bl -tag -width 24n -compact");
	for (size_t i = 0; i < anthropic_n_dropped_flags; i++) {
		const struct rule_flag *flag = &anthropic_dropped_flags[i];

		print_entry(flag->name, "drop");
		if (flag->fields)
			printf("with the field\n.Ql %s .\n", flag->fields);
		else
			puts("always.");
		mdoc_sentence(flag->why);
	}
	puts(".El");
}

static void print_includes(void)
{
	puts(".Ss Elements of include");
	puts(".Bl -tag -width 24n -compact");
	for (size_t i = 0; i < openai_n_includes; i++) {
		struct text text = {""};
		uint32_t tools = openai_includes[i].server_tools;

		print_entry(openai_includes[i].name, tools ? "drop" : "allow .");
		if (!tools)
			continue;
		say_server_tools(&text, tools);
		say(&text, ".");
		flush(&text);
	}
	puts(".It any other\n.Em drop .\n.El");
}

/* Tables that an earlier API has are printed there. */
static void print_body(const struct rules_body *body)
{
	size_t begin = n_found;

	n_found = rules_walk(body->table, found, n_found, MOST_TABLES);
	printf(".Sh %s\n", body->title);
	printf("The body of\n.Ql POST %s .\n", endpoint_path(body->endpoint));
	for (size_t i = begin; i < n_found; i++) {
		char text[RULES_WALK_PATH];

		heading(&found[i], text, sizeof(text));
		printf(".Ss ");
		mdoc_argument(text);
		putchar('\n');
		if (found[i].kinds)
			print_kinds(&found[i]);
		else
			print_table(found[i].table);
	}
	if (body->endpoint == ENDPOINT_MESSAGES)
		print_flags();
	if (body->endpoint == ENDPOINT_RESPONSES)
		print_includes();
}

static const char *of_wire(enum wire wire)
{
	return wire == WIRE_NONE     ? ""
	       : wire == WIRE_OPENAI ? " (OpenAI)"
				     : " (Anthropic)";
}

static void print_header(const char *name, bool prefix, enum wire wire,
			 const char *action, const char *why)
{
	char tag[128];

	snprintf(tag, sizeof(tag), "%s%s%s", name, prefix ? "..." : "", of_wire(wire));
	print_entry(tag, action);
	mdoc_sentence(why);
}

static void print_headers(void)
{
	puts(".Ss Of a request");
	puts("A request to the service has these and no other; none has a value of the "
	     "agent's.");
	puts(".Bl -tag -width 24n -compact");
	for (size_t i = 0; i < rule_n_headers_out; i++)
		print_header(rule_headers_out[i].name, false, rule_headers_out[i].wire,
			     "set .", rule_headers_out[i].why);
	puts(".El\n.Pp\nAll others are dropped, among them:");
	puts(".Bl -tag -width 24n -compact");
	for (size_t i = 0; i < rule_n_headers_dropped; i++)
		print_header(rule_headers_dropped[i].name,
			     rule_headers_dropped[i].prefix, WIRE_NONE, "drop .",
			     rule_headers_dropped[i].why);
	puts(".El\n.Ss Of an answer");
	puts("These come back to the agent as the service sent them:");
	puts(".Bl -tag -width 24n -compact");
	for (size_t i = 0; i < rule_n_headers_back; i++)
		print_header(rule_headers_back[i].name, rule_headers_back[i].prefix,
			     rule_headers_back[i].wire, "allow .",
			     rule_headers_back[i].why);
	puts(".It any other\n.Em drop .\n.El");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "headers")) {
		print_headers();
	} else if (!strcmp(what, "apis")) {
		for (size_t i = 0; i < rules_n_bodies; i++)
			print_body(&rules_bodies[i]);
	} else {
		for (size_t i = 0; i < rules_n_bodies; i++)
			n_found = rules_walk(rules_bodies[i].table, found, n_found,
					     MOST_TABLES);
		printf("%zu\n", n_found);
	}
	return ferror(stdout) || fflush(stdout) ? 1 : 0;
}

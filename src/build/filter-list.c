/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "build/filter-list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "build/constants.h"
#include "os/cleanup.h"

/* More words than any sensible rule has, more rules than `not-in` makes of it. */
#define MAX_WORDS 48
#define MAX_RULES 4096
#define MAX_VALUES 256

/* One condition as written: several comparisons of which one must hold. */
struct alternatives {
	struct filter_condition any[MAX_VALUES + 1];
	size_t n;
};

struct parser {
	const char *path;
	unsigned int line;
	struct filter_list list;
	struct alternatives conditions[FILTER_ARGUMENTS];
	size_t n_conditions;
};

static bool complain(const struct parser *parser, const char *what, const char *object)
{
	fprintf(stderr, "%s:%u: %s '%s'\n", parser->path, parser->line, what, object);
	return false;
}

static bool parse_value(const struct parser *parser, char *text, uint64_t *ret_value)
{
	const char *unknown = NULL;

	return constant_expression(text, ret_value, &unknown) ||
	       complain(parser,
			"neither a number nor a constant of constants.c:", unknown);
}

static bool parse_set(const struct parser *parser, char *text, uint64_t *ret_values,
		      size_t *ret_n)
{
	char *rest = text, *part;
	size_t n = 0;

	while ((part = strsep(&rest, ","))) {
		if (n == MAX_VALUES)
			return complain(parser, "too many values", part);
		if (!parse_value(parser, part, &ret_values[n++]))
			return false;
	}
	*ret_n = n;
	return true;
}

static bool contains(const uint64_t *values, size_t n, uint64_t value)
{
	for (size_t i = 0; i < n; i++)
		if (values[i] == value)
			return true;
	return false;
}

/* Writes "in" and "not-in" out, since libseccomp compares an argument once. */
static bool expand_set(const struct parser *parser, bool inside, char *text,
		       struct filter_condition base, struct alternatives *ret)
{
	uint64_t values[MAX_VALUES], top = 0;
	size_t n = 0;

	if (!parse_set(parser, text, values, &n))
		return false;
	ret->n = 0;
	for (size_t i = 0; i < n; i++) {
		if (values[i] & ~base.mask)
			return complain(parser,
					"a value has bits outside of the mask of",
					text);
		top = values[i] > top ? values[i] : top;
		if (!inside)
			continue;
		ret->any[ret->n] = base;
		ret->any[ret->n++].value = values[i];
	}
	if (inside)
		return true;
	if (base.mask != UINT64_MAX)
		top = base.mask;
	if (top >= MAX_VALUES)
		return complain(parser,
				"not-in is for masks and values below 256:", text);
	for (uint64_t value = 0; value <= top; value++) {
		if ((value & ~base.mask) || contains(values, n, value))
			continue;
		ret->any[ret->n] = base;
		ret->any[ret->n++].value = value;
	}
	if (base.mask == UINT64_MAX) {
		ret->any[ret->n] = base;
		ret->any[ret->n].compare = FILTER_GT;
		ret->any[ret->n++].value = top;
	}
	return ret->n > 0 || complain(parser, "always false: not-in", text);
}

static bool parse_compare(const char *text, enum filter_compare *ret_compare)
{
	static const char *const names[] = {
		[FILTER_EQ] = "==", [FILTER_NE] = "!=", [FILTER_LT] = "<",
		[FILTER_LE] = "<=", [FILTER_GT] = ">",	[FILTER_GE] = ">=",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], text) != 0)
			continue;
		*ret_compare = (enum filter_compare)i;
		return true;
	}
	return false;
}

/* "aN", then "& MASK" or not, then OP VALUE.  Moves *words on. */
static bool parse_condition(struct parser *parser, char ***words)
{
	struct filter_condition base = { .compare = FILTER_EQ, .mask = UINT64_MAX };
	char **word = *words;
	struct alternatives *ret;

	if (parser->n_conditions == FILTER_ARGUMENTS)
		return complain(parser, "too many conditions at", word[0]);
	ret = &parser->conditions[parser->n_conditions];
	if (word[0][0] != 'a' || word[0][1] < '0' || word[0][1] > '5' || word[0][2])
		return complain(parser, "not an argument, a0 to a5:", word[0]);
	base.argument = (unsigned int)(word[0][1] - '0');
	for (size_t i = 0; i < parser->n_conditions; i++)
		if (parser->conditions[i].any[0].argument == base.argument)
			return complain(parser, "compared twice in one rule:", word[0]);
	word++;
	if (word[0] && word[1] && strcmp(word[0], "&") == 0) {
		bool complement = word[1][0] == '~';

		if (!parse_value(parser, word[1] + complement, &base.mask))
			return false;
		if (complement)
			base.mask = ~base.mask;
		word += 2;
	}
	if (!word[0] || !word[1])
		return complain(parser, "not a whole condition:", **words);
	if (strcmp(word[0], "in") == 0 || strcmp(word[0], "not-in") == 0) {
		if (!expand_set(parser, word[0][0] == 'i', word[1], base, ret))
			return false;
	} else {
		if (!parse_compare(word[0], &base.compare))
			return complain(parser, "not a comparison:", word[0]);
		if (base.mask != UINT64_MAX && base.compare != FILTER_EQ)
			return complain(parser, "only == goes with a mask, not",
					word[0]);
		if (!parse_value(parser, word[1], &base.value))
			return false;
		if (base.value & ~base.mask)
			return complain(parser, "never true, bits outside of the mask:",
					**words);
		ret->any[0] = base;
		ret->n = 1;
	}
	parser->n_conditions++;
	*words = word + 2;
	return true;
}

static bool append_rule(struct parser *parser, const struct filter_rule *rule)
{
	struct filter_list *list = &parser->list;
	struct filter_rule *rules;

	if (list->n_rules == MAX_RULES)
		return complain(parser, "too many rules at", rule->name);
	rules = realloc(list->rules, (list->n_rules + 1) * sizeof(*rules));
	if (!rules)
		return complain(parser, "out of memory at", rule->name);
	list->rules = rules;
	rules[list->n_rules++] = *rule;
	return true;
}

/* One rule for each way to pick one alternative of each condition. */
static bool append_product(struct parser *parser, struct filter_rule *rule)
{
	size_t pick[FILTER_ARGUMENTS] = { 0 };
	size_t i;

	rule->n_conditions = parser->n_conditions;
	do {
		for (i = 0; i < parser->n_conditions; i++)
			rule->conditions[i] = parser->conditions[i].any[pick[i]];
		if (!append_rule(parser, rule))
			return false;
		for (i = 0; i < parser->n_conditions; i++) {
			if (++pick[i] < parser->conditions[i].n)
				break;
			pick[i] = 0;
		}
	} while (i < parser->n_conditions);
	return true;
}

/* "default kill", "newest NUMBER ERRNO".  Returns 1 if it was one, 0 if not, -1
 * for a wrong one. */
static int parse_setting(struct parser *parser, char **words)
{
	uint64_t value;

	if (strcmp(words[0], "default") == 0 && words[1] && !words[2]) {
		if (strcmp(words[1], "allow") == 0)
			parser->list.default_action = FILTER_ALLOW;
		else if (strcmp(words[1], "kill") != 0)
			return complain(parser, "not a default:", words[1]) - 1;
		return 1;
	}
	if (strcmp(words[0], "newest") == 0 && words[1] && words[2] && !words[3]) {
		if (!parse_value(parser, words[1], &value))
			return -1;
		if (value > 0xffff ||
		    !errno_value(words[2], &parser->list.newest_error))
			return complain(parser,
					"not a call number and errno:", words[1]) -
			       1;
		parser->list.newest = (uint32_t)value;
		return 1;
	}
	return 0;
}

static bool parse_rule(struct parser *parser, char **words, const char *reason)
{
	struct filter_rule rule = { .action = FILTER_KILL };
	bool optional;
	int setting = parse_setting(parser, words);

	if (setting)
		return setting > 0;
	if (strcmp(words[0], "allow") == 0)
		rule.action = FILTER_ALLOW;
	else if (strcmp(words[0], "deny") == 0)
		rule.action = FILTER_DENY;
	else if (strcmp(words[0], "notify") == 0)
		rule.action = FILTER_NOTIFY;
	else if (strcmp(words[0], "kill") != 0)
		return complain(parser, "not a rule:", words[0]);
	words++;
	if (rule.action == FILTER_DENY) {
		if (!words[0] || !errno_value(words[0], &rule.error))
			return complain(parser, "not an errno of constants.c:",
					words[0] ? words[0] : "");
		words++;
	}
	if (!words[0])
		return complain(parser, "a rule without a call", "");
	if (!reason[strspn(reason, " \t#")])
		return complain(parser, "a rule without `# reason`:", words[0]);
	optional = words[0][0] == '?';
	words[0] += optional;
	if (strlen(words[0]) > FILTER_NAME || !syscall_number(words[0], &rule.number) ||
	    (rule.number < 0 && !optional))
		return complain(parser, "not a system call here:", words[0]);
	snprintf(rule.name, sizeof(rule.name), "%s", words[0]);
	words++;
	snprintf(rule.reason, sizeof(rule.reason), "%s",
		 reason + strspn(reason, " \t"));
	parser->n_conditions = 0;
	while (words[0])
		if (!parse_condition(parser, &words))
			return false;
	return append_product(parser, &rule);
}

static bool parse_line(struct parser *parser, char *line)
{
	char *words[MAX_WORDS + 1] = { NULL };
	char *reason = strchr(line, '#');
	char *rest = line, *word;
	size_t n = 0;

	line[strcspn(line, "\n")] = 0;
	if (reason)
		*reason++ = 0;
	while ((word = strsep(&rest, " \t\n"))) {
		if (!*word)
			continue;
		if (n == MAX_WORDS)
			return complain(parser, "too many words at", word);
		words[n++] = word;
	}
	return n == 0 || parse_rule(parser, words, reason ? reason : "");
}

bool filter_list_read(const char *path, struct filter_list *ret_list)
{
	auto_free struct parser *parser = calloc(1, sizeof(*parser));
	auto_file FILE *file = fopen(path, "re");
	auto_free char *line = NULL;
	size_t size = 0;
	bool good = true;

	if (!parser || !file) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return false;
	}
	parser->path = path;
	while (good && getline(&line, &size, file) >= 0) {
		parser->line++;
		good = parse_line(parser, line);
	}
	if (good && ferror(file))
		good = complain(parser, "cannot read", path);
	if (good)
		*ret_list = parser->list;
	else
		filter_list_free(&parser->list);
	return good;
}

void filter_list_free(struct filter_list *list)
{
	free(list->rules);
	*list = (struct filter_list){ 0 };
}

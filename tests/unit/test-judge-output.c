/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The judge: output length, thinking, models, what beta flags bring. */
#include "judge-rows.h"

/* Rows of long texts. */
/* clang-format off */

#define TOKENS(text) "{'model':'claude-opus-5-5','messages':[],'max_tokens':" text "}"

static const struct row length_rows[] = {
	BECOMES("missing", "{'model':'claude-opus-5-5','messages':[]}", TOKENS("8192")),
	SAME("0 fills the cache", TOKENS("0")),
	SAME("1", TOKENS("1")),
	SAME("one less", TOKENS("8191")),
	SAME("as much", TOKENS("8192")),
	BECOMES("one more", TOKENS("8193"), TOKENS("8192")),
	BECOMES("what Claude Code asks for", TOKENS("128000"), TOKENS("8192")),
	BECOMES("int64", TOKENS("9223372036854775807"), TOKENS("8192")),
	BECOMES("uint64", TOKENS("18446744073709551615"), TOKENS("8192")),
	BECOMES("wraps to 100 in 32 bits", TOKENS("4294967396"), TOKENS("8192")),
	REFUSED("negative", TOKENS("-1"), RULE_TYPE, "max_tokens is negative"),
	REFUSED("fraction", TOKENS("1.5"), RULE_TYPE,
		"max_tokens is 1.5, not an integer"),
	REFUSED("integral fraction", TOKENS("100.0"), RULE_TYPE,
		"max_tokens is 100.0, not an integer"),
	REFUSED("exponent", TOKENS("1e9"), RULE_TYPE,
		"max_tokens is 1e9, not an integer"),
	REFUSED("text", TOKENS("'1000'"), RULE_TYPE,
		"max_tokens is '1000', not an integer"),
	REFUSED("null", TOKENS("null"), RULE_TYPE,
		"max_tokens is null, not an integer"),
	REFUSED("true", TOKENS("true"), RULE_TYPE,
		"max_tokens is true, not an integer"),
	REFUSED("array", TOKENS("[1]"), RULE_TYPE,
		"max_tokens is an array, not an integer"),
	REFUSED("too large for JSON", TOKENS("18446744073709551616"), JSON_NUMBER,
		"at byte 54 of the body"),
	REFUSED("minus 0", TOKENS("-0"), JSON_NUMBER, "at byte 54 of the body"),
	REFUSED("OpenAI's name", WITH(",'max_completion_tokens':1"), RULE_FIELD,
		"max_completion_tokens is not a field that anet knows here"),
	REFUSED("OpenAI's newer name", WITH(",'max_output_tokens':1"), RULE_FIELD,
		"max_output_tokens is not a field that anet knows here"),
	REFUSED("older name", WITH(",'max_tokens_to_sample':1"), RULE_FIELD,
		"max_tokens_to_sample is not a field that anet knows here"),
	REFUSED("twice", WITH(",'max_tokens':9"), JSON_DUPLICATE_KEY,
		"at byte 58 of the body"),
	REFUSED("twice, escaped", WITH(",'max_\\u0074okens':9"), JSON_DUPLICATE_KEY,
		"at byte 58 of the body"),
};

static void test_length(void **state)
{
	struct setting setting = PEER;
	const struct row larger =
		BECOMES("a larger limit", TOKENS("128000"), TOKENS("32000"));
	const struct row least = BECOMES("a limit of 1", TOKENS("2"), TOKENS("1"));

	(void)state;
	rows_check_all(&setting, length_rows);
	setting.profile = PROFILE_OWN;
	setting.output_tokens = 32000;
	rows_check(&setting, &larger);
	setting.output_tokens = 1;
	rows_check(&setting, &least);
}

#define THINKING(tokens, thinking)                                                     \
	"{'model':'claude-opus-5-5','messages':[],'max_tokens':" tokens ",'thinking':" \
	"{" thinking "}}"
#define UNTHINKING(tokens)                                                             \
	"{'model':'claude-opus-5-5','messages':[],'max_tokens':" tokens "}"

static const struct row thinking_rows[] = {
	SAME("adaptive", THINKING("100", "'type':'adaptive','display':'omitted'")),
	SAME("disabled", THINKING("100", "'type':'disabled'")),
	SAME("no display", THINKING("100", "'type':'adaptive','display':null")),
	SAME("budget below", THINKING("8192", "'type':'enabled','budget_tokens':8191")),
	SAME("small budget is the service's affair",
	     THINKING("8192", "'type':'enabled','budget_tokens':1")),
	BECOMES("budget as large",
		THINKING("8192", "'type':'enabled','budget_tokens':8192"),
		THINKING("8192", "'type':'enabled','budget_tokens':7168")),
	BECOMES("both clamped",
		THINKING("64000", "'type':'enabled','budget_tokens':32000"),
		THINKING("8192", "'type':'enabled','budget_tokens':7168")),
	BECOMES("only the length clamped",
		THINKING("64000", "'type':'enabled','budget_tokens':2000"),
		THINKING("8192", "'type':'enabled','budget_tokens':2000")),
	BECOMES("budget far too large",
		THINKING("8192",
			 "'type':'enabled','budget_tokens':18446744073709551615"),
		THINKING("8192", "'type':'enabled','budget_tokens':7168")),
	BECOMES("just room for one",
		THINKING("2048", "'type':'enabled','budget_tokens':9999"),
		THINKING("2048", "'type':'enabled','budget_tokens':1024")),
	BECOMES("no room", THINKING("2047", "'type':'enabled','budget_tokens':9999"),
		UNTHINKING("2047")),
	BECOMES("no room at all",
		THINKING("0", "'type':'enabled','budget_tokens':1024"),
		UNTHINKING("0")),
	BECOMES("updates without their flag",
		THINKING("1", "'type':'adaptive','display':'updates'"),
		THINKING("1", "'type':'adaptive'")),
	REFUSED("other type", THINKING("1", "'type':'max'"), RULE_FIELD,
		"thinking.type is 'max'"),
	REFUSED("no type", THINKING("1", ""), RULE_FIELD, "thinking has no type"),
	REFUSED("budget as text",
		THINKING("1", "'type':'enabled','budget_tokens':'2000'"), RULE_TYPE,
		"thinking.budget_tokens is '2000', not an integer"),
	REFUSED("budget as fraction",
		THINKING("1", "'type':'enabled','budget_tokens':2e3"), RULE_TYPE,
		"thinking.budget_tokens is 2e3, not an integer"),
	REFUSED("negative budget", THINKING("1", "'type':'enabled','budget_tokens':-5"),
		RULE_TYPE, "thinking.budget_tokens is negative"),
	REFUSED("unknown field", THINKING("1", "'type':'adaptive','model':'x'"),
		RULE_FIELD, "thinking.model is not a field that anet knows here"),
};

static void test_thinking(void **state)
{
	struct setting setting = PEER;

	(void)state;
	rows_check_all(&setting, thinking_rows);
	/* The flag lifts the API's rule, not ours. */
	setting.beta = "interleaved-thinking-2025-05-14";
	rows_check_all(&setting, thinking_rows);
}

/* Everything that models differ in, asked of a model that is replaced. */
#define DIFFERENT(model, thinking, effort, sampling, edits)                            \
	"{'model':'" model                                                             \
	"','messages':[],'max_tokens':8000" thinking effort sampling edits "}"
#define ADAPTIVE ",'thinking':{'type':'adaptive','display':'omitted'}"
#define ENABLED ",'thinking':{'type':'enabled','budget_tokens':2000}"
#define DISABLED ",'thinking':{'type':'disabled'}"
#define EFFORT ",'output_config':{'effort':'low'}"
#define SAMPLING ",'temperature':0.5,'top_p':1,'top_k':2"
#define EDITS                                                                          \
	",'context_management':{'edits':[{'type':'clear_thinking_20251015','keep':"    \
	"'all'}]}"

#define CLASSIC                                                                        \
	(MODEL_KNOWN | MODEL_THINKING_BUDGET | MODEL_THINKING_OFF | MODEL_SAMPLING)
#define BOTH (CLASSIC | MODEL_THINKING_ADAPTIVE | MODEL_EFFORT)
#define NEWEST (MODEL_KNOWN | MODEL_THINKING_ADAPTIVE | MODEL_EFFORT)

static const struct {
	const char *model;
	uint32_t abilities;
	struct row row;
} model_rows[] = {
	{"claude-haiku-4-5", CLASSIC,
	 BECOMES("classic, adaptive",
		 DIFFERENT("x", ADAPTIVE, EFFORT, SAMPLING, EDITS),
		 DIFFERENT("claude-haiku-4-5", "", "", SAMPLING, ""))},
	{"claude-haiku-4-5", CLASSIC,
	 BECOMES("classic, budget",
		 DIFFERENT("x", ENABLED, EFFORT, SAMPLING, EDITS),
		 DIFFERENT("claude-haiku-4-5", ENABLED, "", SAMPLING, EDITS))},
	{"claude-haiku-4-5-20251001", CLASSIC,
	 BECOMES("with a date", DIFFERENT("x", DISABLED, "", "", ""),
		 DIFFERENT("claude-haiku-4-5-20251001", DISABLED, "", "", ""))},
	{"claude-opus-4-5", CLASSIC | MODEL_EFFORT,
	 BECOMES("classic that knows effort",
		 DIFFERENT("x", ENABLED, EFFORT, "", ""),
		 DIFFERENT("claude-opus-4-5", ENABLED, EFFORT, "", ""))},
	{"claude-opus-4-6", BOTH,
	 BECOMES("knows both, budget",
		 DIFFERENT("x", ENABLED, EFFORT, SAMPLING, EDITS),
		 DIFFERENT("claude-opus-4-6", ENABLED, EFFORT, SAMPLING,
			   EDITS))},
	{"claude-opus-4-6", BOTH,
	 BECOMES("knows both, adaptive",
		 DIFFERENT("x", ADAPTIVE, EFFORT, SAMPLING, EDITS),
		 DIFFERENT("claude-opus-4-6", ADAPTIVE, EFFORT, SAMPLING,
			   EDITS))},
	{"claude-haiku-5-5", NEWEST,
	 BECOMES("new, budget",
		 DIFFERENT("x", ENABLED, EFFORT, SAMPLING, EDITS),
		 DIFFERENT("claude-haiku-5-5",
			   ",'thinking':{'type':'adaptive'}", EFFORT, "",
			   EDITS))},
	{"claude-haiku-5-5", NEWEST,
	 BECOMES("new, adaptive",
		 DIFFERENT("x", ADAPTIVE, EFFORT, SAMPLING, EDITS),
		 DIFFERENT("claude-haiku-5-5", ADAPTIVE, EFFORT, "", EDITS))},
	{"claude-opus-5-5", NEWEST,
	 BECOMES("cannot be turned off",
		 DIFFERENT("x", DISABLED, EFFORT, "", ""),
		 DIFFERENT("claude-opus-5-5", "", EFFORT, "", ""))},
	{"claude-opus-4-8", NEWEST | MODEL_THINKING_OFF,
	 BECOMES("can be turned off", DIFFERENT("x", DISABLED, EFFORT, "", ""),
		 DIFFERENT("claude-opus-4-8", DISABLED, EFFORT, "", ""))},
	{"claude-3-5-haiku-latest", MODEL_KNOWN | MODEL_SAMPLING,
	 BECOMES("no thinking at all",
		 DIFFERENT("x", ENABLED, "", SAMPLING, EDITS),
		 DIFFERENT("claude-3-5-haiku-latest", "", "", SAMPLING, ""))},
	{"claude-haiku-4-5", MODEL_KNOWN,
	 BECOMES("takes nothing",
		 DIFFERENT("x", ADAPTIVE, EFFORT, SAMPLING, EDITS),
		 DIFFERENT("claude-haiku-4-5", "", "", "", ""))},
	{"stub-model", 0,
	 BECOMES("unknown: as it is",
		 DIFFERENT("x", ENABLED, EFFORT, SAMPLING, EDITS),
		 DIFFERENT("stub-model", ENABLED, EFFORT, SAMPLING, EDITS))},
	{"claude-haiku-5-5", NEWEST,
	 SAME("not replaced: as it is",
	      DIFFERENT("claude-haiku-5-5", ENABLED, EFFORT, SAMPLING, EDITS))},
	{"claude-haiku-4-5", CLASSIC,
	 BECOMES("no configuration", DIFFERENT("x", "", ",'output_config':null", "", ""),
		 DIFFERENT("claude-haiku-4-5", "", ",'output_config':null", "", ""))},
	{"claude-haiku-4-5", CLASSIC,
	 BECOMES("no context management",
		 DIFFERENT("x", ADAPTIVE, "", "", ",'context_management':null"),
		 DIFFERENT("claude-haiku-4-5", "", "", "", ",'context_management':null"))},
	{"claude-haiku-4-5", CLASSIC,
	 BECOMES("what else is configured stays",
		 DIFFERENT("x", "",
			   ",'output_config':{'effort':'low',"
	"'format':{'type':'json_schema'}}",
			   "", ""),
		 DIFFERENT("claude-haiku-4-5", "",
			   ",'output_config':{'format':{'type':'json_schema'}}",
			   "", ""))},
	{"claude-haiku-4-5", CLASSIC,
	 BECOMES("only the edits of thinking go",
		 DIFFERENT("x", ADAPTIVE, "", "",
			   ","
	"'context_management':{'edits':[{'type':'clear_thinking_20251015'},"
	"{'type':'clear_tool_uses_20250919','keep':{'type':'tool_uses'}},"
	"{'type':'clear_thinking_20251015'}]}"),
		 DIFFERENT("claude-haiku-4-5", "", "", "",
			   ","
	"'context_management':{'edits':[{'type':'clear_tool_uses_20250919',"
	"'keep':{'type':'tool_uses'}}]}"))},
	{"claude-opus-5-5", NEWEST,
	 BECOMES("model missing", "{'messages':[],'max_tokens':1}",
		 "{'messages':[],'max_tokens':1,'model':'claude-opus-5-5'}")},
};

static void test_models(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(model_rows) / sizeof(*model_rows); i++) {
		struct setting setting = PEER;

		setting.model = model_rows[i].model;
		setting.abilities = model_rows[i].abilities;
		setting.beta = "context-management-2025-06-27";
		rows_check(&setting, &model_rows[i].row);
	}
}

#define NAME_127                                                                       \
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" \
	"aa"                                                                           \
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static const struct row own_model_rows[] = {
	SAME("left to the agent", "{'model':'any-model','max_tokens':1,'messages':[]}"),
	SAME("127 bytes", "{'model':'" NAME_127 "','max_tokens':1}"),
	REFUSED("128 bytes", "{'model':'" NAME_127 "a','max_tokens':1}", RULE_MODEL,
		"model is missing, empty or longer than 127 bytes"),
	REFUSED("missing", "{'max_tokens':1}", RULE_MODEL,
		"model is missing, empty or longer than 127 bytes"),
	REFUSED("empty", "{'model':'','max_tokens':1}", RULE_MODEL,
		"model is missing, empty or longer than 127 bytes"),
	REFUSED("NUL", "{'model':'a\\u0000b','max_tokens':1}", RULE_MODEL,
		"model is missing, empty or longer than 127 bytes"),
	REFUSED("number", "{'model':1,'max_tokens':1}", RULE_TYPE,
		"model is 1, not a string"),
};

static void test_own_model(void **state)
{
	const struct row peer =
		REFUSED("not for a peer", WITH(""), RULE_MODEL,
			"model is not set in the policy, which is for a peer");
	struct setting setting = PEER;

	(void)state;
	setting.model = NULL;
	rows_check(&setting, &peer);
	setting.profile = PROFILE_OWN;
	rows_check_all(&setting, own_model_rows);
}

#define MANAGED(edits) WITH(",'context_management':{" edits "}")

static const struct row context_rows[] = {
	SAME("clear thinking",
	     MANAGED("'edits':[{'type':'clear_thinking_20251015','keep':'all'}]")),
	SAME("clear tool uses",
	     MANAGED("'edits':[{'type':'clear_tool_uses_20250919',"
		"'trigger':{'type':'input_tokens','value':9},'keep':{'type':'tool_uses',"
		"'value':3},'clear_at_least':null,'clear_tool_inputs':true,"
		"'exclude_tools':['a']}]")),
	SAME("null", WITH(",'context_management':null")),
	BECOMES("compaction goes",
		MANAGED("'edits':[{'type':'compact_20260112','x':1}]"), WITH("")),
	BECOMES("compaction goes, others stay",
		MANAGED("'edits':[{'type':'compact_20260112'},"
		"{'type':'clear_thinking_20251015'},{'type':'compact_20260112'},"
		"{'type':'clear_tool_uses_20250919'}]"),
		MANAGED("'edits':[{'type':'clear_thinking_20251015'},"
		"{'type':'clear_tool_uses_20250919'}]")),
	BECOMES("no edits", MANAGED("'edits':[]"), WITH("")),
	BECOMES("empty", MANAGED(""), WITH("")),
	REFUSED("unknown edit", MANAGED("'edits':[{'type':'clear_all_20270101'}]"),
		RULE_FIELD, "context_management.edits[0].type is 'clear_all_20270101'"),
	REFUSED("no type", MANAGED("'edits':[{}]"), RULE_FIELD,
		"context_management.edits[0] has no type"),
	REFUSED("no object", MANAGED("'edits':['x']"), RULE_TYPE,
		"context_management.edits[0] is 'x', not an object"),
	REFUSED("unknown field",
		MANAGED("'edits':[{'type':'clear_thinking_20251015','model':'x'}]"),
		RULE_FIELD,
		"context_management.edits[0].model is not a field that anet knows here"),
	REFUSED("unknown field outside", MANAGED("'x':1"), RULE_FIELD,
		"context_management.x is not a field that anet knows here"),
};

static const struct row scope_rows[] = {
	SAME("scope", WITH(",'cache_control':{'type':'ephemeral','scope':'global'}")),
};

static const struct row display_rows[] = {
	SAME("updates", THINKING("1", "'type':'adaptive','display':'updates'")),
};

static void test_beta_fields(void **state)
{
	struct setting setting = PEER;

	(void)state;
	setting.beta = "context-management-2025-06-27";
	rows_check_all(&setting, context_rows);
	setting.beta = "prompt-caching-scope-2026-01-05";
	rows_check_all(&setting, scope_rows);
	setting.beta = "thinking-display-updates-2026-08-18";
	rows_check_all(&setting, display_rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_length),
		cmocka_unit_test(test_thinking),
		cmocka_unit_test(test_models),
		cmocka_unit_test(test_own_model),
		cmocka_unit_test(test_beta_fields),
	};

	return cmocka_run_group_tests_name("judge-output", tests, NULL, NULL);
}

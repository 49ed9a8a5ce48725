/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_MODEL_ABILITIES_H
#define ANET_CORE_MODEL_ABILITIES_H

/*
 * What a model understands of the fields that models differ in, and answers with 400
 * where it does not.  data/models.json says it of each (its words are in brackets); the
 * policy holds those of the model that is pinned, so that a request follows the model
 * that was put in the place of the agent's.
 */
enum model_abilities {
	MODEL_KNOWN = 1 << 0,		  /* models.json has the model; else nothing follows */
	MODEL_THINKING_BUDGET = 1 << 1,	  /* Anthropic thinking.type enabled [thinking_budget] */
	MODEL_THINKING_ADAPTIVE = 1 << 2, /* thinking.type adaptive [thinking_adaptive] */
	MODEL_THINKING_OFF = 1 << 3,	  /* thinking.type disabled [thinking_off] */
	MODEL_SAMPLING = 1 << 4,	  /* temperature, top_p, top_k [sampling] */
	/* Anthropic output_config.effort; OpenAI reasoning and reasoning_effort, and with
	 * them the reasoning that is sent back encrypted [effort] */
	MODEL_EFFORT = 1 << 5,
	MODEL_VERBOSITY = 1 << 6, /* OpenAI text.verbosity and verbosity [verbosity] */
};

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "build/filter-build.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "os/cleanup.h"

#define CEILING_LENGTH 6

static uint32_t libseccomp_action(const struct filter_rule *rule)
{
	switch (rule->action) {
	case FILTER_ALLOW:
		return SCMP_ACT_ALLOW;
	case FILTER_DENY:
		return SCMP_ACT_ERRNO((uint16_t)rule->error);
	case FILTER_NOTIFY:
		return SCMP_ACT_NOTIFY;
	case FILTER_KILL:
		break;
	}
	return SCMP_ACT_KILL_PROCESS;
}

static enum scmp_compare libseccomp_compare(enum filter_compare compare)
{
	static const enum scmp_compare table[] = {
		[FILTER_EQ] = SCMP_CMP_EQ, [FILTER_NE] = SCMP_CMP_NE,
		[FILTER_LT] = SCMP_CMP_LT, [FILTER_LE] = SCMP_CMP_LE,
		[FILTER_GT] = SCMP_CMP_GT, [FILTER_GE] = SCMP_CMP_GE,
	};

	return table[compare];
}

static int add_rule(scmp_filter_ctx context, const struct filter_rule *rule,
		    enum filter_action unless)
{
	struct scmp_arg_cmp compare[FILTER_ARGUMENTS];

	/* Not on this architecture; or what happens anyway, which libseccomp
	 * does not take as a rule. */
	if (rule->number < 0 || (rule->action == unless && rule->n_conditions == 0))
		return 0;
	for (size_t i = 0; i < rule->n_conditions; i++) {
		const struct filter_condition *condition = &rule->conditions[i];

		compare[i] = (struct scmp_arg_cmp){
			.arg = condition->argument,
			.op = libseccomp_compare(condition->compare),
			.datum_a = condition->value,
		};
		if (condition->mask == UINT64_MAX)
			continue;
		compare[i].op = SCMP_CMP_MASKED_EQ;
		compare[i].datum_a = condition->mask;
		compare[i].datum_b = condition->value;
	}
	return seccomp_rule_add_exact_array(context, libseccomp_action(rule),
					    rule->number,
					    (unsigned int)rule->n_conditions, compare);
}

/* Writes the program that libseccomp makes of the list. */
static int export(const struct filter_list *list, int fd)
{
	scmp_filter_ctx context;
	int r;

	/* Who builds it may be where the kernel has no user notification, which
	 * libseccomp would look for: level 5 has it (seccomp_api_get(3)). */
	(void)seccomp_api_set(5);

	context = seccomp_init(list->default_action == FILTER_ALLOW
				       ? SCMP_ACT_ALLOW
				       : SCMP_ACT_KILL_PROCESS);
	if (!context)
		return -ENOMEM;
	r = seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	for (size_t i = 0; r == 0 && i < list->n_rules; i++) {
		r = add_rule(context, &list->rules[i], list->default_action);
		if (r < 0)
			fprintf(stderr, "mkfilter: libseccomp refuses a rule of %s\n",
				list->rules[i].name);
	}
	if (r == 0)
		r = seccomp_export_bpf(context, fd);
	seccomp_release(context);
	return r;
}

/*
 * What libseccomp cannot say: calls above the newest that was reviewed get an
 * errno.  Stands before the rest, which loads what it needs by itself.
 */
static size_t make_ceiling(const struct filter_list *list, struct sock_filter *ret_code)
{
	const struct sock_filter code[CEILING_LENGTH] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, seccomp_arch_native(), 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		/* x32 starts here: left to the rest, which kills. */
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000u, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, list->newest, 0, 1),
		BPF_STMT(BPF_RET | BPF_K,
			 SECCOMP_RET_ERRNO | (unsigned int)list->newest_error),
	};

	if (!list->newest_error)
		return 0;
	memcpy(ret_code, code, sizeof(code));
	return CEILING_LENGTH;
}

int filter_build(const struct filter_list *list, struct sock_filter **ret_code,
		 size_t *ret_length)
{
	auto_free struct sock_filter *code = NULL;
	auto_fd int fd = memfd_create("bpf", MFD_CLOEXEC);
	size_t ceiling;
	off_t size;
	int r;

	if (fd < 0)
		return -errno;
	r = export(list, fd);
	if (r < 0)
		return r;
	size = lseek(fd, 0, SEEK_END);
	if (size <= 0)
		return -EIO;
	code = malloc((size_t)size + CEILING_LENGTH * sizeof(*code));
	if (!code)
		return -ENOMEM;
	ceiling = make_ceiling(list, code);
	if (pread(fd, code + ceiling, (size_t)size, 0) != size)
		return -EIO;
	*ret_length = ceiling + (size_t)size / sizeof(*code);
	*ret_code = take_ptr(code);
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mkfilter: turns the readable list of a program's system calls into the filter
 * that is compiled into it, for the architecture that it is built on.
 *
 *   mkfilter --header NAME LIST   C: static const struct sock_filter NAME_seccomp[]
 *   mkfilter --dump LIST          what the list means, sorted by name, for review
 *   mkfilter --raw LIST           the classic BPF itself
 *
 * The list has one rule a line; empty lines and lines that begin with # are
 * for people:
 *
 *   default kill | allow
 *   newest NUMBER ERRNO           a call with a higher number answers ERRNO
 *   allow [?]NAME [CONDITION…]    # needed by: function(), …
 *   deny ERRNO [?]NAME [CONDITION…]   # why
 *   kill [?]NAME [CONDITION…]     # why
 *
 * A rule without its reason is an error.  `?` marks a call that this
 * architecture need not have.  All conditions of a rule must hold; several
 * rules of one call are alternatives; unconditional beats conditional.
 *
 *   aN OP VALUE                   OP: == != < <= > >=, all 64 bits of argument N
 *   aN & MASK == VALUE            only these bits
 *   aN in VALUE,VALUE…            any of these
 *   aN not-in VALUE,VALUE…        none of these, which are all below 256
 *   aN & MASK in|not-in VALUE,…   the same for these bits; not-in: MASK at most 255
 *
 * VALUE and MASK are numbers or names of constants.c, joined by `|`; before a
 * MASK `~` takes the complement in 64 bits: `a1 & ~O_CLOEXEC|O_NOFOLLOW == 0`.
 *
 * Calls by any other ABI (i386, x32) kill the process whatever the list says.
 * Argument registers hold 64 bits of which the kernel may use 32: in a list
 * whose default is allow compare with a mask, or an attacker sets the rest.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "build/filter-list.h"
#include "os/cleanup.h"

#define CEILING_LENGTH 6

static uint32_t libseccomp_action(const struct filter_rule *rule)
{
	switch (rule->action) {
	case FILTER_ALLOW:
		return SCMP_ACT_ALLOW;
	case FILTER_DENY:
		return SCMP_ACT_ERRNO((uint16_t)rule->error);
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

/* Ceiling and the list's own program; the caller frees it. */
static int build(const struct filter_list *list, struct sock_filter **ret_code,
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

static void print_header(const char *name, const struct sock_filter *code,
			 size_t length)
{
	printf("/* Made by mkfilter from %s.seccomp. */\n#include <linux/filter.h>\n\n"
	       "static const struct sock_filter %s_seccomp[] = {\n",
	       name, name);
	for (size_t i = 0; i < length; i++)
		printf("\t{ 0x%02x, %u, %u, 0x%08x },\n", code[i].code, code[i].jt,
		       code[i].jf, code[i].k);
	printf("};\n");
}

static int flush(void)
{
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 74;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	const char *path = argv[argc - 1];
	struct filter_list list = { 0 };
	auto_free struct sock_filter *code = NULL;
	size_t length = 0;
	int r;

	if (!(argc == 4 && strcmp(mode, "--header") == 0) &&
	    !(argc == 3 &&
	      (strcmp(mode, "--dump") == 0 || strcmp(mode, "--raw") == 0))) {
		fprintf(stderr, "usage: mkfilter --header NAME LIST | --dump LIST | "
				"--raw LIST\n");
		return 64;
	}
	if (!filter_list_read(path, &list))
		return 65;
	r = build(&list, &code, &length);
	if (r < 0) {
		fprintf(stderr, "mkfilter: %s: cannot build the filter: %s\n", path,
			strerror(-r));
		return 70;
	}
	if (strcmp(mode, "--dump") == 0)
		filter_list_print(&list, stdout);
	else if (strcmp(mode, "--raw") == 0)
		(void)fwrite(code, sizeof(code[0]), length, stdout);
	else
		print_header(argv[2], code, length);
	filter_list_free(&list);
	return flush();
}

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
 *   notify [?]NAME [CONDITION…]   # who is told (seccomp_unotify(2))
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
#include <stdio.h>
#include <string.h>

#include "build/filter-build.h"
#include "os/cleanup.h"

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
	r = filter_build(&list, &code, &length);
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

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * In the place of src/os/sandbox.c in helpers that tests run with ASan and UBSan:
 * the sanitizers need far more calls and memory than a helper may have, so what they
 * check is all of the helper but its own sandbox.
 */
#include "os/sandbox.h"

/* gateway.py and upstream.py look for this exit status. */
#define OPTIONS "exitcode=99:detect_leaks=1"

const char *__asan_default_options(void);
const char *__lsan_default_options(void);
const char *__ubsan_default_options(void);

const char *__asan_default_options(void)
{
	return OPTIONS;
}

const char *__lsan_default_options(void)
{
	return OPTIONS;
}

const char *__ubsan_default_options(void)
{
	return "exitcode=99:print_stacktrace=1";
}

int sandbox_enter(const struct sandbox *sandbox)
{
	(void)sandbox;
	return 0;
}

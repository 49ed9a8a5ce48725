/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ATTACK_H
#define ATTACK_H

/*
 * attack NAME [ARGUMENTS]: tries one thing that a run must not be able to do.
 *
 * Static, so that the same file runs in the sandbox and outside: outside is
 * the control, which shows that the attempt is one that can succeed.  It
 * prints "achieved", "refused: WHAT: ERRNO" or "not here: WHY" and exits with
 * the status below.
 */
enum outcome {
	ACHIEVED = 0,
	REFUSED = 1,
	NOT_HERE = 77, /* this kernel or machine has no such thing */
};

struct attack {
	const char *name;
	enum outcome (*run)(char **arguments);
};

/* Each ends with an entry without a name. */
extern const struct attack namespace_attacks[], mount_attacks[], kernel_attacks[],
	process_attacks[], socket_attacks[], setid_attacks[], terminal_attacks[],
	abi_attacks[];

/* Print, and return the outcome.  refused() tells errno. */
enum outcome achieved(void);
enum outcome refused(const char *what);
enum outcome not_here(const char *why);

/* Achieved unless `result` is -1 and errno says that the call was stopped at
 * the door: for calls that cannot be made for real without harm. */
enum outcome reached(long result, const char *what);

/* The argument as a number (any base); ends the program when it is none. */
unsigned long number(const char *argument);

/* Waits for a child; its exit status, or 128 + its signal. */
int wait_child(int pid);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_TESTS_BPF_SIMULATOR_H
#define ANET_TESTS_BPF_SIMULATOR_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

/* What a classic BPF program, as seccomp(2) takes it, returns for a call: a
 * SECCOMP_RET_ value.  A program that the kernel would not take, or an
 * instruction that no filter of ours has, fails the test. */
uint32_t bpf_simulate(const struct sock_filter *code, size_t length,
		      const struct seccomp_data *call);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bpf-simulator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 16 /* BPF_MEMWORDS of the kernel */

struct machine {
	uint32_t a, x;
	uint32_t memory[SLOTS];
	size_t next; /* instruction */
};

static _Noreturn void fail(size_t at, const char *what)
{
	fprintf(stderr, "instruction %zu: %s\n", at, what);
	abort();
}

static uint32_t load(const struct machine *machine, const struct sock_filter *op,
		     const struct seccomp_data *call)
{
	uint32_t value;

	switch (BPF_MODE(op->code)) {
	case BPF_IMM:
		return op->k;
	case BPF_MEM:
		if (op->k >= SLOTS)
			fail(machine->next, "no such memory");
		return machine->memory[op->k];
	case BPF_ABS:
		/* seccomp(2): whole words of struct seccomp_data only. */
		if (BPF_SIZE(op->code) != BPF_W || op->k % 4 ||
		    op->k > sizeof(*call) - 4)
			fail(machine->next, "load outside of the call");
		memcpy(&value, (const uint8_t *)call + op->k, sizeof(value));
		return value;
	}
	fail(machine->next, "unknown load");
}

static uint32_t calculate(const struct machine *machine, const struct sock_filter *op)
{
	uint32_t operand = BPF_SRC(op->code) == BPF_X ? machine->x : op->k;

	switch (BPF_OP(op->code)) {
	case BPF_AND:
		return machine->a & operand;
	case BPF_OR:
		return machine->a | operand;
	case BPF_ADD:
		return machine->a + operand;
	case BPF_SUB:
		return machine->a - operand;
	case BPF_LSH:
		return operand < 32 ? machine->a << operand : 0;
	case BPF_RSH:
		return operand < 32 ? machine->a >> operand : 0;
	}
	fail(machine->next, "unknown calculation");
}

static size_t distance(const struct machine *machine, const struct sock_filter *op)
{
	uint32_t operand = BPF_SRC(op->code) == BPF_X ? machine->x : op->k;

	switch (BPF_OP(op->code)) {
	case BPF_JA:
		return op->k;
	case BPF_JEQ:
		return machine->a == operand ? op->jt : op->jf;
	case BPF_JGT:
		return machine->a > operand ? op->jt : op->jf;
	case BPF_JGE:
		return machine->a >= operand ? op->jt : op->jf;
	case BPF_JSET:
		return machine->a & operand ? op->jt : op->jf;
	}
	fail(machine->next, "unknown jump");
}

static void store(struct machine *machine, uint32_t slot, uint32_t value)
{
	if (slot >= SLOTS)
		fail(machine->next, "no such memory");
	machine->memory[slot] = value;
}

uint32_t bpf_simulate(const struct sock_filter *code, size_t length,
		      const struct seccomp_data *call)
{
	struct machine machine = { 0 };

	/* Jumps only go forward, so this ends. */
	for (; machine.next < length; machine.next++) {
		const struct sock_filter *op = &code[machine.next];

		switch (BPF_CLASS(op->code)) {
		case BPF_LD:
			machine.a = load(&machine, op, call);
			break;
		case BPF_LDX:
			machine.x = load(&machine, op, call);
			break;
		case BPF_ST:
			store(&machine, op->k, machine.a);
			break;
		case BPF_STX:
			store(&machine, op->k, machine.x);
			break;
		case BPF_ALU:
			machine.a = calculate(&machine, op);
			break;
		case BPF_JMP:
			machine.next += distance(&machine, op);
			break;
		case BPF_MISC:
			if (BPF_MISCOP(op->code) == BPF_TAX)
				machine.x = machine.a;
			else
				machine.a = machine.x;
			break;
		case BPF_RET:
			return BPF_RVAL(op->code) == BPF_A ? machine.a : op->k;
		}
	}
	fail(machine.next, "runs past its end");
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Leaving one stack for another.
 *
 * The switch is inline and is no call: it pushes the address at which this fiber goes on, swaps
 * the stack pointers, pops the address of the other fiber and jumps there. A `ret` in that place
 * would be predicted from the return stack, which still holds the addresses of the fiber being
 * left, and miss. Because nothing is called, calls and returns stay balanced as well: when fibers
 * run the same code, the `ret` out of the function that switched is predicted from the address the
 * other fiber pushed at the same place. All registers are declared clobbered, so the compiler
 * saves those which it needs and no others; the functions that switch are not inlined themselves,
 * so their callers have put away the registers a list here may not know (AVX-512, SVE).
 *
 * mxcsr, the x87 control word and fpcr are not switched: nothing here changes rounding modes.
 * -DEH_FIBER_UCONTEXT picks the portable way, some hundred times slower; it is also the one for a
 * process whose returns are checked by a shadow stack.
 */
#ifndef EH_ENGINE_JUMP_H
#define EH_ENGINE_JUMP_H

#include <ehsim/fiber.h>
#include <glib.h>

#if !defined(EH_FIBER_UCONTEXT) && !defined(__x86_64__) && !defined(__aarch64__)
#define EH_FIBER_UCONTEXT 1
#endif

#ifdef EH_FIBER_UCONTEXT
#include <ucontext.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define EH_FIBER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EH_FIBER_ASAN 1
#endif
#endif

#ifdef EH_FIBER_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

struct eh_fiber {
	void *sp; /* while it does not run */
	bool finished;
	struct eh_fiber_pool *pool;
	eh_fiber_fn fn;
	void *arg;
	char *stack; /* lowest usable byte, above the guard page; NULL once given back */
	struct eh_fiber *next;
#ifdef EH_FIBER_ASAN
	const void *asan_bottom;
	size_t asan_size;
	void *asan_fake;
#endif
#ifdef EH_FIBER_UCONTEXT
	ucontext_t context;
#endif
};

struct eh_mapping {
	void *p;
	size_t size;
};

struct eh_fiber_pool {
	struct eh_fiber *current;
	struct eh_fiber main;
	size_t stack_bytes; /* usable part */
	unsigned colour;    /* of the next new stack */
	struct eh_fiber *all;
	char **spare; /* stacks of finished fibers */
	GArray *mappings; /* struct eh_mapping: all that were made */
	char *block;	  /* stacks without guards that were not used yet */
	size_t left;
	size_t n_spare, max_spare;
};

/* The innermost frames of a fiber that will soon run. */
eh_always_inline void eh_fiber_prefetch(const struct eh_fiber *f)
{
#ifndef EH_FIBER_UCONTEXT
	const char *sp = f->sp;

	__builtin_prefetch(sp, 1);
	__builtin_prefetch(sp + 128, 1); /* between them lies the red zone */
	__builtin_prefetch(sp + 192, 1);
	__builtin_prefetch(sp + 256, 1);
	__builtin_prefetch(sp + 320, 1);
	__builtin_prefetch(sp + 384, 1);
#else
	(void)f;
#endif
}

#if defined(EH_FIBER_UCONTEXT)

static inline void eh_fiber_swap(struct eh_fiber *from, struct eh_fiber *to)
{
	swapcontext(&from->context, &to->context);
}

#elif defined(__x86_64__)

static inline __attribute__((always_inline)) void eh_fiber_swap(struct eh_fiber *from,
								struct eh_fiber *to)
{
	void **save = &from->sp;
	void *load = to->sp;

	/* The 128 bytes step over the red zone. */
	__asm__ volatile("leaq -128(%%rsp), %%rsp\n\t"
			 "pushq %%rbp\n\t"
			 "leaq 1f(%%rip), %%rax\n\t"
			 "pushq %%rax\n\t"
			 "movq %%rsp, (%%rdi)\n\t"
			 "movq %%rsi, %%rsp\n\t"
			 "popq %%rax\n\t"
			 "jmpq *%%rax\n"
			 "1:\n\t"
			 "popq %%rbp\n\t"
			 "leaq 128(%%rsp), %%rsp"
			 : "+D"(save), "+S"(load)
			 :
			 : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13",
			   "r14", "r15", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
			   "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
			   "xmm15", "st", "memory", "cc");
}

#elif defined(__aarch64__)

static inline __attribute__((always_inline)) void eh_fiber_swap(struct eh_fiber *from,
								struct eh_fiber *to)
{
	register void **save __asm__("x0") = &from->sp;
	register void *load __asm__("x1") = to->sp;

	/* hint 36 is `bti j`: a lawful target of `br` where branch targets are checked. */
	__asm__ volatile("adr x9, 1f\n\t"
			 "stp x29, x9, [sp, #-16]!\n\t"
			 "mov x10, sp\n\t"
			 "str x10, [x0]\n\t"
			 "mov sp, x1\n\t"
			 "ldp x29, x9, [sp], #16\n\t"
			 "br x9\n"
			 "1:\n\t"
			 "hint #36"
			 : "+r"(save), "+r"(load)
			 :
			 : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12",
			   "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22",
			   "x23", "x24", "x25", "x26", "x27", "x28", "x30", "v0", "v1", "v2", "v3",
			   "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14",
			   "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24",
			   "v25", "v26", "v27", "v28", "v29", "v30", "v31", "memory", "cc");
}

#endif

/* Give up this stack for that of `to`; comes back when somebody jumps to `from`. */
static inline __attribute__((always_inline)) void
eh_fiber_jump(struct eh_fiber_pool *pool, struct eh_fiber *from, struct eh_fiber *to)
{
	pool->current = to;
#ifdef EH_FIBER_ASAN
	__sanitizer_start_switch_fiber(from->finished ? NULL : &from->asan_fake, to->asan_bottom,
				       to->asan_size);
#endif
	eh_fiber_swap(from, to);
#ifdef EH_FIBER_ASAN
	__sanitizer_finish_switch_fiber(from->asan_fake, NULL, NULL);
#endif
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/fiber.h>

#include <glib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "jump.h"

#define CACHE_LINE 64
#define COLOURS 64	/* starts of stacks are spread over this many lines, one page */
#define COLOUR_STEP 11	/* lines from one stack to the next; odd, so that all are used */
#define MIN_STACK 16384 /* room for the colour and for printf */
#define GUARDED 8192	/* stacks with a guard page */
#define TOGETHER 64	/* stacks of one mapping, behind those */

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static char *map(struct eh_fiber_pool *pool, size_t size)
{
	struct eh_mapping new = {.size = size};

	new.p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (new.p == MAP_FAILED)
		g_error("no memory for the stack of a fiber (%zu bytes)", size);
	g_array_append_val(pool->mappings, new);
	return new.p;
}

/*
 * A guard page below each of the first stacks; each takes two of the mappings that the kernel allows a
 * process (65,530 by default). Further ones come by the dozen, without guards.
 */
static char *new_stack(struct eh_fiber_pool *pool)
{
	char *stack;

	if (pool->mappings->len < GUARDED) {
		stack = map(pool, pool->stack_bytes + page_size());
		(void)mprotect(stack, page_size(), PROT_NONE); /* best effort */
		return stack + page_size();
	}
	if (pool->left == 0) {
		pool->block = map(pool, TOGETHER * pool->stack_bytes);
		pool->left = TOGETHER;
	}
	stack = pool->block;
	pool->block += pool->stack_bytes;
	pool->left--;
	return stack;
}

struct eh_fiber_pool *eh_fiber_pool_new(size_t stack_bytes)
{
	struct eh_fiber_pool *pool = g_new0(struct eh_fiber_pool, 1);
	size_t page = page_size();

	pool->stack_bytes = (MAX(stack_bytes, MIN_STACK) + page - 1) / page * page;
	pool->mappings = g_array_new(FALSE, FALSE, sizeof(struct eh_mapping));
	pool->main.pool = pool;
	pool->current = &pool->main;
	return pool;
}

void eh_fiber_pool_free(struct eh_fiber_pool *pool)
{
	struct eh_fiber *f, *next;

	if (!pool)
		return;
	for (f = pool->all; f; f = next) {
		next = f->next;
		g_aligned_free(f);
	}
	for (guint i = 0; i < pool->mappings->len; i++) {
		const struct eh_mapping *m = &g_array_index(pool->mappings, struct eh_mapping, i);

		munmap(m->p, m->size);
	}
	g_array_unref(pool->mappings);
	g_free(pool->spare);
	g_free(pool);
}

/* A fiber cannot unmap what it stands on, so its stack waits here for the next fiber. */
static void give_back(struct eh_fiber_pool *pool, struct eh_fiber *f)
{
	if (pool->n_spare == pool->max_spare) {
		pool->max_spare = MAX(16, 2 * pool->max_spare);
		pool->spare = g_renew(char *, pool->spare, pool->max_spare);
	}
	pool->spare[pool->n_spare++] = f->stack;
	f->stack = NULL;
}

void eh_fiber_entry(struct eh_fiber *self);

__attribute__((used, noinline, noreturn)) void eh_fiber_entry(struct eh_fiber *self)
{
	struct eh_fiber_pool *pool = self->pool;

#ifdef EH_FIBER_ASAN
	const void *bottom;
	size_t size;

	__sanitizer_finish_switch_fiber(NULL, &bottom, &size);
	if (!pool->main.asan_size) { /* the first switch of all comes from main */
		pool->main.asan_bottom = bottom;
		pool->main.asan_size = size;
	}
#endif
	self->fn(self->arg);
	self->finished = true;
	give_back(pool, self);
	eh_fiber_jump(pool, self, &pool->main);
	g_error("a finished fiber was resumed");
}

#if defined(EH_FIBER_UCONTEXT)

static void entry_from_halves(unsigned int hi, unsigned int lo)
{
	eh_fiber_entry((struct eh_fiber *)(uintptr_t)((uint64_t)hi << 32 | lo));
}

static void prepare(struct eh_fiber *f, char *top)
{
	uint64_t p = (uintptr_t)f;

	getcontext(&f->context);
	f->context.uc_stack.ss_sp = f->stack;
	f->context.uc_stack.ss_size = (size_t)(top - f->stack);
	f->context.uc_link = NULL;
	makecontext(&f->context, (void (*)(void))entry_from_halves, 2, (unsigned int)(p >> 32),
		    (unsigned int)p);
}

#elif defined(__x86_64__)

void eh_fiber_stub(void);
/* The return address of eh_fiber_entry is the 0 that prepare() left: back traces end there. */
__asm__(".text\n"
	".type eh_fiber_stub, @function\n"
	".hidden eh_fiber_stub\n"
	".globl eh_fiber_stub\n"
	"eh_fiber_stub:\n\t"
	"popq %rdi\n\t"
	"xorl %ebp, %ebp\n\t"
	"jmp eh_fiber_entry\n"
	".size eh_fiber_stub, .-eh_fiber_stub\n");

static void prepare(struct eh_fiber *f, char *top)
{
	void **sp = (void **)(void *)top;

	*--sp = NULL;
	*--sp = f;
	*--sp = (void *)eh_fiber_stub;
	f->sp = sp;
}

#elif defined(__aarch64__)

void eh_fiber_stub(void);
__asm__(".text\n"
	".type eh_fiber_stub, %function\n"
	".hidden eh_fiber_stub\n"
	".globl eh_fiber_stub\n"
	"eh_fiber_stub:\n\t"
	"hint #36\n\t"
	"ldp x0, x30, [sp], #16\n\t"
	"b eh_fiber_entry\n"
	".size eh_fiber_stub, .-eh_fiber_stub\n");

static void prepare(struct eh_fiber *f, char *top)
{
	void **sp = (void **)(void *)top;

	*--sp = NULL; /* x30 */
	*--sp = f;
	*--sp = (void *)eh_fiber_stub;
	*--sp = NULL; /* x29 */
	f->sp = sp;
}

#endif

struct eh_fiber *eh_fiber_new(struct eh_fiber_pool *pool, eh_fiber_fn fn, void *arg)
{
	struct eh_fiber *f = g_aligned_alloc0(
		1, (sizeof(*f) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE, CACHE_LINE);
	size_t offset = (pool->colour++ * COLOUR_STEP % COLOURS + 1) * CACHE_LINE;

	f->pool = pool;
	f->fn = fn;
	f->arg = arg;
	if (pool->n_spare > 0)
		f->stack = pool->spare[--pool->n_spare];
	else
		f->stack = new_stack(pool);
#ifdef EH_FIBER_ASAN
	/* Frames that were never left keep their red zones marked. */
	__asan_unpoison_memory_region(f->stack, pool->stack_bytes);
	f->asan_bottom = f->stack;
	f->asan_size = pool->stack_bytes;
#endif
	prepare(f, f->stack + pool->stack_bytes - offset);
	f->next = pool->all;
	pool->all = f;
	return f;
}

struct eh_fiber *eh_fiber_main(struct eh_fiber_pool *pool)
{
	return &pool->main;
}

struct eh_fiber *eh_fiber_current(const struct eh_fiber_pool *pool)
{
	return pool->current;
}

bool eh_fiber_finished(const struct eh_fiber *f)
{
	return f->finished;
}

__attribute__((noinline)) void eh_fiber_switch(struct eh_fiber_pool *pool, struct eh_fiber *to)
{
	struct eh_fiber *from = pool->current;

	if (from == to)
		return;
	g_assert(!to->finished);
	eh_fiber_jump(pool, from, to);
}

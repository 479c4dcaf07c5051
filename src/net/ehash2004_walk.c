/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whoever lists the table of 2004: established_get_first, established_get_next. */
#include <ehsim/ehash2004.h>

#define SYM EH_SYM(established_get_next)

static void walk(struct eh_cpu *c, const struct eh_ehash2004 *t, const struct eh_word *at,
		 int64_t print, void (*saw)(const struct eh_sock2004 *sk, void *arg), void *arg)
{
	const struct eh_sock2004 *sk;

	eh_load(c, SYM, at->line, 0);
	eh_cpu_sync(c, c->retire);
	while ((sk = eh_ehash2004_entry(t, at->value)) != NULL) {
		eh_load(c, SYM, sk->line, c->retire);
		eh_cpu_sync(c, c->retire);
		if (sk->kind != EH_TOMB2004)
			saw(sk, arg);
		eh_path(c, SYM, print);
		eh_cpu_sync(c, c->retire);
		at = &sk->node;
	}
}

void eh_ehash2004_visit(struct eh_cpu *c, struct eh_ehash2004 *t, uint32_t bucket, bool lock,
			int64_t print, void (*saw)(const struct eh_sock2004 *sk, void *arg), void *arg)
{
	eh_time since = 0;

	eh_work(c, SYM, t->cfg->match);
	if (lock)
		since = eh_ehash2004_read_lock(c, t, bucket, SYM);
	for (int half = 0; half < 2; half++)
		walk(c, t, &t->head[half][bucket], print, saw, arg);
	if (lock)
		eh_ehash2004_read_unlock(c, t, bucket, since, SYM);
}

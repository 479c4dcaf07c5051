/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab.h"
#include "transfer.h"

#include <inttypes.h>

#define STRETCH 8192 /* instructions of user code between two looks at interrupts */

struct transfer {
	const struct eh_workload_config *cfg;
	struct eh_lab *lab;
	struct eh_hub *hub;
	struct eh_segment_pool2004 pool;
	struct eh_stack2004 *stack;
	struct eh_transfer_sender sender;
	uint64_t got; /* of the present file */
	eh_time began;
	uint64_t files;
	eh_time file_time;
};

static void *build(struct eh_lab *lab)
{
	struct transfer *s = g_new0(struct transfer, 1);

	s->cfg = lab->cfg;
	s->lab = lab;
	s->pool.blocks = g_ptr_array_new_with_free_func(g_free);
	s->hub = eh_hub_new(lab->sim, &lab->net, s->cfg->transfer.medium != 0);
	s->stack = eh_stack2004_new(lab->m, lab->sched, lab->rcu, lab->kernel,
				    &s->cfg->transfer.stack, &s->hub->port[0], &s->pool);
	eh_transfer_sender_init(&s->sender, lab->sim, s->cfg, &s->hub->port[1], &s->pool);
	return s;
}

static void user_code(struct eh_task *t, int64_t instr)
{
	struct eh_cpu *c = t->cpu;

	eh_cpu_point(c);
	for (; instr > 0; instr -= STRETCH) {
		c->user = true;
		eh_work(c, EH_SYM_USER, MIN(instr, STRETCH));
		eh_cpu_point(c);
		c->user = false;
		if (c->need_resched)
			eh_task_yield(t);
	}
}

static void write_file(struct eh_task *t, int64_t instr)
{
	struct eh_cpu *c = t->cpu;

	for (; instr > 0; instr -= STRETCH) {
		eh_path(c, EH_SYM(generic_file_write), MIN(instr, STRETCH));
		eh_cpu_point(c);
	}
}

static void account(struct transfer *s, uint64_t bytes)
{
	eh_time now = eh_sim_now(s->lab->sim);

	s->got += bytes;
	if (s->got < (uint64_t)s->cfg->transfer.size)
		return;
	s->files += s->got / (uint64_t)s->cfg->transfer.size; /* one read may end several */
	s->got %= (uint64_t)s->cfg->transfer.size;
	s->file_time += now - s->began;
	s->began = now;
}

static uint64_t step(void *state, struct eh_task *t, int thread)
{
	struct transfer *s = state;
	uint64_t segments = 0, got;

	(void)thread;
	eh_stack2004_select(s->stack, t);
	got = eh_stack2004_recv(s->stack, t, (uint64_t)s->cfg->transfer.read, &segments);
	user_code(t, (int64_t)got * s->cfg->transfer.decrypt * s->lab->m->cfg->core.width);
	write_file(t, (int64_t)got * s->cfg->transfer.file);
	account(s, got);
	return segments;
}

static void transfer_free(void *state)
{
	struct transfer *s = state;

	eh_sim_cancel(s->lab->sim, &s->sender.pump);
	eh_hub_free(s->hub);
	eh_stack2004_free(s->stack);
	g_ptr_array_free(s->pool.blocks, TRUE);
	g_free(s);
}

static const struct eh_lock_class *locks(const void *state)
{
	return &((const struct transfer *)state)->stack->table->class;
}

static void stats(const void *state, struct eh_lab_stats *st)
{
	const struct transfer *s = state;
	const struct eh_stack2004_counts *n = &s->stack->count;
	struct eh_transfer_stats *to = &st->transfer;

	to->lookups = s->stack->table->count.lookups;
	to->lookup_time = s->stack->table->count.lookup_time;
	to->lookup_transfers = n->lookup_transfers;
	to->bytes = n->bytes;
	to->segments = n->segments;
	to->frames = n->received + n->sent;
	to->files = s->files;
	to->file_time = s->file_time;
	to->interrupts = n->interrupts;
	for (int i = 0; i < s->lab->m->ncpus; i++)
		to->irqs[i] = n->irqs[i];
	to->collisions = s->hub->collisions;
	to->excessive = s->hub->excessive;
	to->backlogged = n->backlogged;
	to->acks = n->acks;
}

static int threads(const struct eh_workload_config *w)
{
	(void)w;
	return 1;
}

static int cpu(const struct eh_machine *m, const struct eh_workload_config *w, int thread)
{
	(void)m;
	(void)thread;
	return (int)w->transfer.reader_cpu;
}

static char *problem(const struct eh_machine_config *m, const struct eh_workload_config *w,
		     const char **key)
{
	int64_t cpus = m->sockets * m->dies_per_socket * m->cores_per_die * m->threads_per_core;

	*key = "threads";
	if (w->threads > 1)
		return g_strdup("one file is received by one thread; write threads: 1");
	*key = "kind";
	if (cpus > EH_TRANSFER_CPUS)
		return g_strdup_printf("a host of 2004 has at most %d CPUs, not %" PRId64
				       "; for example machine.preset: pentium3-x8",
				       EH_TRANSFER_CPUS, cpus);
	*key = "transfer.irq_cpu";
	if (w->transfer.stack.irq_cpu >= cpus)
		return g_strdup_printf("irq_cpu (%" PRId64 ") must be below the host's %" PRId64 " CPUs",
				       w->transfer.stack.irq_cpu, cpus);
	*key = "transfer.reader_cpu";
	if (w->transfer.reader_cpu >= cpus)
		return g_strdup_printf("reader_cpu (%" PRId64 ") must be below the host's %" PRId64
				       " CPUs",
				       w->transfer.reader_cpu, cpus);
	*key = "transfer.window";
	if (w->transfer.stack.window < 2 * w->transfer.stack.segment)
		return g_strdup("a window must have room for two segments");
	return NULL;
}

const struct eh_lab_ops eh_lab_transfer = {
	.threads = threads,
	.cpu = cpu,
	.build = build,
	.step = step,
	.free = transfer_free,
	.locks = locks,
	.stats = stats,
	.problem = problem,
};

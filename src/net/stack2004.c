/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stack2004.h"

#define BLOCK 256 /* segments the pool grows by */
#define HEAD_BYTES 160
#define DATA_BYTES 2048

void eh_segments2004_init(struct eh_segments2004 *q)
{
	q->first = NULL;
	q->tailp = &q->first;
}

void eh_segments2004_push(struct eh_segments2004 *q, struct eh_segment2004 *s)
{
	s->next = NULL;
	*q->tailp = s;
	q->tailp = &s->next;
}

struct eh_segment2004 *eh_segments2004_pop(struct eh_segments2004 *q)
{
	struct eh_segment2004 *s = q->first;

	if (!s)
		return NULL;
	q->first = s->next;
	if (!q->first)
		q->tailp = &q->first;
	return s;
}

struct eh_segment2004 *eh_segment2004_new(struct eh_segment_pool2004 *pool, uint32_t payload)
{
	struct eh_segment2004 *s;

	if (!pool->spare) {
		struct eh_segment2004 *block = g_new0(struct eh_segment2004, BLOCK);

		g_ptr_array_add(pool->blocks, block);
		for (int i = 0; i < BLOCK; i++)
			eh_segment2004_free(pool, &block[i]);
	}
	s = pool->spare;
	pool->spare = s->next;
	*s = (struct eh_segment2004){.payload = payload};
	return s;
}

void eh_segment2004_free(struct eh_segment_pool2004 *pool, struct eh_segment2004 *s)
{
	s->next = pool->spare;
	pool->spare = s;
}

/* --- the host --- */

static void delack_fires(struct eh_event *ev)
{
	struct eh_stack2004 *s = eh_container_of(ev, struct eh_stack2004, delack);

	s->delack_due = true;
	eh_cpu_raise(&s->m->cpus[s->last_cpu]);
}

static void make_cpus(struct eh_stack2004 *s)
{
	s->cpu = g_new0(struct eh_stack2004_cpu, s->m->ncpus);
	s->count.irqs = g_new0(uint64_t, s->m->ncpus);
	for (int i = 0; i < s->m->ncpus; i++) {
		struct eh_cpu *c = &s->m->cpus[i];

		eh_sched_online(s->sched, i);
		eh_segments2004_init(&s->cpu[i].backlog);
		s->cpu[i].line = eh_lines_named(s->m, 1, c->die, "softnet_data");
		c->irq_arg = s;
		c->irq = eh_stack2004_interrupt;
		c->softirq = eh_stack2004_softirq;
	}
}

static void make_adapter(struct eh_stack2004 *s)
{
	int64_t line = s->kernel->ehash2004.line_size;

	eh_segments2004_init(&s->arrived);
	eh_segments2004_init(&s->done);
	s->head_lines = (int)((HEAD_BYTES + line - 1) / line);
	s->data_lines = (int)(DATA_BYTES / line);
	s->heads = eh_cache2004_new(s->m, s->kernel, "skbuff_head_cache", s->head_lines);
	s->datas = eh_cache2004_new(s->m, s->kernel, "size-2048", s->data_lines);
	s->driver = eh_lines_named(s->m, 1, 0, "netdev_priv");
	s->descriptors = eh_lines_named(s->m, (uint32_t)s->cfg->ring + 1, 0, "descriptors");
	eh_word_init(&s->driver_lock, s->driver, EH_SPIN2004_FREE);
	eh_word_init(&s->queue_lock, eh_lines_named(s->m, 1, 0, "queue_lock"), EH_SPIN2004_FREE);
	eh_lock_class_init(&s->driver_class, s->m, "netdev_priv");
	eh_lock_class_init(&s->queue_class, s->m, "queue_lock");
	eh_lock_class_init(&s->callback_class, s->m, "sk_callback_lock");
	s->ring = g_malloc0_n((gsize)s->cfg->ring, sizeof(*s->ring));
	for (int i = 0; i < s->cfg->ring; i++) {
		s->ring[i].head = eh_cache2004_preset(s->heads, 0);
		s->ring[i].data = eh_cache2004_preset(s->datas, 0);
	}
	s->port->arg = s;
	s->port->receive = eh_stack2004_arrives;
	s->port->sent = eh_stack2004_sent;
}

static void make_socket(struct eh_stack2004 *s)
{
	s->four = (struct eh_four2004){.laddr = 0x0a000103, .raddr = 0x0a000101,
				       .lport = 32768, .rport = 22};
	s->sk = eh_sock2004_preset(s->table, &s->four, 0);
	eh_segments2004_init(&s->queue);
	eh_segments2004_init(&s->backlog);
	eh_word_init(&s->callback_lock, eh_stack2004_sk_line(s, EH_SOCK2004_CALLBACK),
		     EH_RWLOCK2004_FREE);
	s->told = s->cfg->window;
	s->delack.fn = delack_fires;
}

struct eh_stack2004 *eh_stack2004_new(struct eh_machine *m, struct eh_sched *sched,
				      struct eh_rcu *rcu, const struct eh_kernel_config *kernel,
				      const struct eh_stack2004_config *cfg,
				      struct eh_hub_port *port, struct eh_segment_pool2004 *pool)
{
	struct eh_stack2004 *s = g_new0(struct eh_stack2004, 1);

	s->m = m;
	s->sched = sched;
	s->kernel = kernel;
	s->cfg = cfg;
	s->port = port;
	s->pool = pool;
	s->random = eh_stream_new(eh_sim_seed(m->sim), "stack2004.irq");
	s->table = eh_ehash2004_new(m, rcu, kernel);
	make_cpus(s);
	make_adapter(s);
	make_socket(s);
	s->xtime = eh_lines_named(m, 1, 0, "xtime");
	eh_line_shared(m, s->xtime);
	s->route_bucket = eh_lines_named(m, 1, 0, "rt_hash_table");
	eh_line_shared(m, s->route_bucket);
	s->route = eh_lines_named(m, 2, 0, "rtable");
	eh_line_shared(m, s->route + 1);
	return s;
}

void eh_stack2004_free(struct eh_stack2004 *s)
{
	if (!s)
		return;
	eh_sim_cancel(s->m->sim, &s->delack);
	eh_ehash2004_free(s->table);
	eh_cache2004_free(s->heads);
	eh_cache2004_free(s->datas);
	gsl_rng_free(s->random);
	g_free(s->ring);
	g_free(s->cpu);
	g_free(s->count.irqs);
	g_free(s);
}

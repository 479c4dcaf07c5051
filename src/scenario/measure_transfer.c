/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure.h"

/* Kernel time that is neither the network's nor its system calls'. */
static const int not_the_stack[] = {
	EH_SYM_USER,
	EH_SYM(generic_file_write),
	EH_SYM(sched_tick),
	EH_SYM(rcu_core),
	EH_SYM(rcu_check_quiescent_state),
	EH_SYM(intel_idle),
};

eh_time eh_transfer_stack_time(const eh_time charged[EH_SYM_COUNT])
{
	eh_time sum = 0;

	for (int sym = 0; sym < EH_SYM_COUNT; sym++)
		sum += charged[sym];
	for (size_t i = 0; i < G_N_ELEMENTS(not_the_stack); i++)
		sum -= charged[not_the_stack[i]];
	return sum;
}

static void number(struct eh_point *p, const char *name, double x)
{
	eh_point_metric(p, name, x, x, x);
}

/* Interrupts of the CPU that had most of them, and which it is; of the one that had fewest. */
static uint64_t by_cpu(const struct eh_transfer_stats *from, const struct eh_transfer_stats *to,
		       int cpus, uint64_t *fewest, int *cpu)
{
	uint64_t most = 0;

	*fewest = UINT64_MAX;
	*cpu = 0;
	for (int i = 0; i < cpus; i++) {
		uint64_t n = to->irqs[i] - from->irqs[i];

		if (n > most) {
			most = n;
			*cpu = i;
		}
		*fewest = MIN(*fewest, n);
	}
	return most;
}

static int cpus_of(const struct eh_machine_config *m)
{
	return (int)(m->sockets * m->dies_per_socket * m->cores_per_die * m->threads_per_core);
}

static void say_why(struct eh_point *p, const struct eh_values *v, double lines, double most, int cpu)
{
	bool random = v->workload.transfer.stack.irq == EH_STACK2004_RANDOM;
	char *why, *text;

	if (lines < 0.1 && most < 0.5)
		why = g_strdup_printf("an interrupt brings many segments, whose lookups are on one CPU: %.3f "
				      "lines per lookup come from another", lines);
	else if (lines < 0.1)
		why = g_strdup_printf("CPU %d takes %.0f %% of the interrupts, so the lines of lookups stay "
				      "there: %.3f per lookup come from another CPU", cpu, 100 * most, lines);
	else
		why = g_strdup_printf("interrupts go %s, so a lookup fetches %.2f lines from another CPU",
				      random ? "to any CPU at random" : "round", lines);
	text = g_strconcat(p->start_text, "; ", why, NULL);
	g_free(p->start_text);
	g_free(why);
	p->start_text = text;
}

void eh_measure_transfer(struct eh_point *p, const struct eh_values *v, const struct eh_batches *b,
			 const struct eh_reading *from, const struct eh_reading *to)
{
	const struct eh_transfer_stats *f = &from->lab.transfer, *t = &to->lab.transfer;
	double length = (double)(to->at - from->at) / (double)EH_SEC;
	double size = (double)v->workload.transfer.size;
	double lookups = (double)(t->lookups - f->lookups), lines;
	uint64_t most, fewest;
	int cpu;

	if (t->lookups == f->lookups || t->bytes == f->bytes) {
		eh_point_metric_null(p, "lookup_cycles",
				     t->lookups == f->lookups ? "no segment arrived" :
								"no segment was read");
		return;
	}
	eh_measure_ratio(p, "lookup_cycles", b->lookup_ns, b->lookups,
			 (double)v->machine.clock_hz * (double)EH_NS / (double)EH_SEC);
	/* One file's worth, from the window. */
	eh_measure_ratio(p, "lookup_ticks", b->lookup_ns, b->bytes,
			 size * (double)v->kernel.hz * (double)EH_NS / (double)EH_SEC);
	eh_measure_ratio(p, "transfer_s", b->length, b->bytes, size);
	eh_measure_ratio(p, "stack_cpus", b->stack_ns, b->length, (double)EH_NS / (double)EH_SEC);
	eh_measure_ratio(p, "stack_ns_per_segment", b->stack_ns, b->operations, 1);
	if (t->files > f->files)
		number(p, "whole_transfer_s", (double)(t->file_time - f->file_time) / (double)EH_SEC /
						      (double)(t->files - f->files));
	lines = (double)(t->lookup_transfers - f->lookup_transfers) / lookups;
	number(p, "lines_per_lookup", lines);
	number(p, "interrupts_per_s", (double)(t->interrupts - f->interrupts) / length);
	most = by_cpu(f, t, cpus_of(&v->machine), &fewest, &cpu);
	number(p, "interrupts_most_per_s", (double)most / length);
	number(p, "interrupts_least_per_s", (double)fewest / length);
	number(p, "collisions_per_s", (double)(t->collisions - f->collisions) / length);
	number(p, "excessive_collisions", (double)(t->excessive - f->excessive));
	say_why(p, v, lines, (double)most / (double)MAX(t->interrupts - f->interrupts, 1), cpu);
}

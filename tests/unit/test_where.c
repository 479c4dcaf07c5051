/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the time went: is each wait put to its reason, what is hidden beneath other work kept apart? Do
 * the rows of whole runs add up to the busy time, in every state of the kernel; is a row that does not
 * noticed?
 */
#include <ehsim/account.h>
#include <ehsim/qspinlock.h>

#include <string.h>

#include "machine.h"
#include "scratch.h"
#include "suite.h"

/* --- one CPU, to the picosecond --- */

static const struct eh_account *account(const struct eh_cpu *c)
{
	return &c->accounts->doing[EH_DOING_KERNEL];
}

static eh_time why(const struct eh_cpu *c, int reason)
{
	return account(c)->time[reason];
}

/* Two loads that overlap, then a hit, work, a branch found wrong. */
static void check_loads(struct job *j)
{
	struct eh_cpu *c = j->c;
	eh_time t;

	eh_load(c, SYM, j->line, 0);
	eh_load(c, SYM, j->line + 1, 0);
	ck_assert_int_eq(why(c, EH_WHY_READ + EH_FROM_MEMORY), 130 * EH_NS); /* 2 instr each, in order */
	ck_assert_uint_eq(account(c)->lines[0][EH_FROM_MEMORY], 2);
	ck_assert_int_eq(account(c)->took[0][EH_FROM_MEMORY], 260 * EH_NS);
	ck_assert_int_eq(why(c, EH_WHY_INSTR), 2 * INSTR);
	settle(c);
	t = eh_load(c, SYM, j->line, 0);
	ck_assert_int_eq(why(c, EH_WHY_READ + EH_FROM_L1), L1_HIT);
	ck_assert_int_eq(why(c, EH_WHY_INSTR), 3 * INSTR);
	eh_mispredict(c, t);
	eh_work(c, SYM, 1);
	ck_assert_int_eq(why(c, EH_WHY_MISPREDICT), 17 * EH_NS);
	ck_assert_int_eq(why(c, EH_WHY_INSTR), 4 * INSTR);
	settle(c);
	eh_chain(c, SYM, 4, 10, 0);
	ck_assert_int_eq(why(c, EH_WHY_HASH), 10 * EH_NS);
	eh_accounts_check(c->m);
}

static void check_writes(struct job *j)
{
	struct eh_cpu *c = j->c;

	eh_line_written_by(c->m, j->line, 1);
	eh_rmw(c, SYM, j->line);
	ck_assert_int_eq(why(c, EH_WHY_WRITE + EH_FROM_DIRTY_FAR), 270 * EH_NS);
	ck_assert_int_eq(why(c, EH_WHY_LOCKED), LOCKED);
	/* A store whose line is away, beneath work; then a locked operation that waits for the rest. */
	eh_line_written_by(c->m, j->line + 1, 1);
	eh_store(c, SYM, j->line + 1);
	eh_work(c, SYM, 50);
	ck_assert_int_eq(why(c, EH_WHY_DRAIN), 0);
	eh_rmw(c, SYM, j->line);
	ck_assert_int_eq(why(c, EH_WHY_DRAIN), 220 * EH_NS);
	ck_assert_int_eq(account(c)->took[1][EH_FROM_DIRTY_FAR], 540 * EH_NS);
	eh_accounts_check(c->m);
}

static void (*const checks[])(struct job *) = {check_loads, check_writes};

START_TEST(reasons)
{
	struct world w;

	setup(&w, 2, 1, 1, 1);
	eh_accounts_start(w.m);
	run(&w, 0, checks[_i], eh_lines_new(w.m, 64, 0));
	eh_accounts_check(w.m);
	teardown(&w);
}
END_TEST

static void check_fenced(struct job *j)
{
	struct eh_cpu *c = j->c;

	eh_line_written_by(c->m, j->line, 1);
	eh_rmw(c, SYM, j->line);
	ck_assert_int_eq(why(c, EH_WHY_WRITE + EH_FROM_DIRTY_FAR), 270 * EH_NS);
	ck_assert_int_eq(why(c, EH_WHY_LOCKED), LOCKED);
	eh_accounts_check(c->m);
}

/* A locked operation waits for its line, also where nothing younger starts beneath it. */
START_TEST(fenced)
{
	struct world w;

	setup(&w, 2, 1, 1, 1);
	w.m->locked_fence = true;
	eh_accounts_start(w.m);
	run(&w, 0, check_fenced, eh_lines_new(w.m, 64, 0));
	eh_accounts_check(w.m);
	teardown(&w);
}
END_TEST

/* Whoever comes while the lock is held spins; whose line is in use waits for it. */
static void take(struct job *j)
{
	static struct eh_lock_class class;
	struct eh_spinlock *l = (struct eh_spinlock *)(void *)(j->w + 1);

	eh_spin_lock(j->c, l, &class, SYM);
	eh_work(j->c, SYM, 5000);
	eh_spin_unlock(j->c, l, SYM, 1);
}

START_TEST(spinning)
{
	struct {
		struct world w;
		struct eh_spinlock l;
	} x;
	struct job j[3] = {{.at = 0}, {.at = EH_US}, {.at = 2 * EH_US}};

	setup(&x.w, 1, 1, 3, 1);
	eh_accounts_start(x.w.m);
	eh_spin_init(&x.l, eh_lines_new(x.w.m, 1, 0));
	for (int i = 0; i < 3; i++)
		add(&x.w, &j[i], i, take);
	eh_sim_run(x.w.sim, EH_MS);
	eh_accounts_check(x.w.m);
	ck_assert_int_eq(why(j[0].c, EH_WHY_SPIN_PENDING) + why(j[0].c, EH_WHY_SPIN_QUEUE), 0);
	ck_assert_int_gt(why(j[1].c, EH_WHY_SPIN_PENDING), 3500 * EH_NS);
	ck_assert_int_eq(why(j[1].c, EH_WHY_SPIN_QUEUE), 0);
	ck_assert_int_gt(why(j[2].c, EH_WHY_SPIN_QUEUE), 7500 * EH_NS);
	teardown(&x.w);
}
END_TEST

/* Broken on purpose. */
START_TEST(a_picosecond_too_much)
{
	struct world w;

	setup(&w, 1, 1, 1, 1);
	eh_accounts_start(w.m);
	w.m->cpus[0].charged[SYM]++;
	eh_accounts_check(w.m);
	teardown(&w);
}
END_TEST

/* --- whole runs --- */

#define HOST "machine: {sockets: 2, dies_per_socket: 2, cores_per_die: 2, threads_per_core: 1}\n"
#define CRR "workload: {threads: 8, server_threads: 8, flows: 400}\n"
#define STEADY "run: {warmup: 1ms, batch: 1ms, length: 4ms, until: {within: 0%}}\n"
#define SAMPLED "run: {start: cold, length: 20ms, detail: sampled}\n"
#define PORTS "port_low: 40000, port_high: 40999"

static const char *const runs[] = {
	HOST CRR STEADY "kernel: {connect: S0, " PORTS "}\n",
	HOST CRR STEADY "kernel: {connect: S1, " PORTS "}\n",
	HOST CRR STEADY "kernel: {connect: S2, " PORTS "}\n",
	HOST CRR STEADY "kernel: {connect: S3, " PORTS "}\n",
	HOST CRR STEADY "kernel: {connect: S0, rcu_check: on, " PORTS "}\n",
	HOST CRR STEADY "kernel: {connect: S0, rcu_bind_walk: on, " PORTS "}\n",
	HOST CRR STEADY "kernel: {connect: S0, lock: ticket, " PORTS "}\n",
	HOST CRR STEADY "kernel: {connect: S3, " PORTS "}\nnetwork: {family: ipv4}\n",
	HOST CRR "kernel: {connect: S0, " PORTS "}\n" SAMPLED,
	HOST CRR "kernel: {connect: S1, " PORTS "}\n" SAMPLED,
	HOST CRR "kernel: {connect: S1, " PORTS "}\nrun: {start: cold, length: 4ms}\n",
	HOST "workload: {kind: lock, threads: 8, lock: {kind: queued, inside: 200, outside: 300, touch: 1}}\n"
	     "run: {warmup: 20us, batch: 20us, length: 200us, until: {within: 0%}}\n",
};

static struct eh_point *run_point(const char *text, bool where)
{
	struct eh_scenario *s = load(text, NULL);
	struct eh_point *p = eh_point_new(1);
	struct eh_values v;

	p->with_where = where;
	eh_scenario_point(s, 0, &v, NULL);
	eh_run_point(&v, (uint64_t)v.run.seed, NULL, NULL, p);
	eh_values_clear(&v);
	eh_scenario_free(s);
	return p;
}

START_TEST(adds_up)
{
	struct eh_point *with = run_point(runs[_i], true), *without = run_point(runs[_i], false);

	ck_assert_uint_eq(with->fingerprint, without->fingerprint);
	ck_assert_uint_eq(without->where[0]->len, 0);
	ck_assert_double_gt(with->where_operations, 0);
	for (int h = 0; h < (with->one_host ? 1 : 2); h++) {
		eh_time sum = 0;

		ck_assert_int_gt(with->where_busy[h], EH_US);
		for (guint i = 0; i < with->where[h]->len; i++) {
			const struct eh_where_row *row = with->where[h]->pdata[i];

			for (int k = 0; k < EH_WHERE_COLUMNS; k++) {
				ck_assert_msg(row->time[k] >= 0, "%s", row->name);
				ck_assert_msg(row->hidden[k] >= 0, "hidden %s", row->name);
				sum += row->time[k];
			}
		}
		ck_assert_int_eq(sum, with->where_busy[h]);
	}
	eh_point_free(with);
	eh_point_free(without);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("where");
	TCase *cpu = tcase_create("cpu"), *whole = tcase_create("whole runs");

	tcase_add_loop_test(cpu, reasons, 0, G_N_ELEMENTS(checks));
	tcase_add_test(cpu, fenced);
	tcase_add_test(cpu, spinning);
	tcase_add_test_raise_signal(cpu, a_picosecond_too_much, SIGABRT);
	suite_add_tcase(suite, cpu);
	tcase_add_checked_fixture(whole, make_folder, drop_folder);
	tcase_add_loop_test(whole, adds_up, 0, G_N_ELEMENTS(runs));
	suite_add_tcase(suite, whole);
	return run_suite(suite);
}

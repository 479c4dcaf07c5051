/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every lock kind of the table through the same tests: never two owners, everybody gets it, in turn
 * where that is promised; readers share; statistics add up; those that sleep do sleep. Tasks stay
 * on their CPUs.
 */
#include "locks.h"

START_TEST(never_two_owners)
{
	static const int cpus[] = {2, 3, 16, 64}, think[] = {1, 3000}, hold[] = {0, 200};
	const struct eh_lock_kind *kind = eh_lock_kinds[_i];

	for (int n = 0; n < 4 * 2 * 2; n++) {
		struct crowd p = {.tasks = cpus[n / 4], .cpus = cpus[n / 4], .seed = 1};
		struct world w;

		p.rounds = 600 / p.cpus;
		p.writes_of_8 = 8;
		p.think = think[n / 2 % 2];
		p.hold = hold[n % 2];
		run_crowd(&w, kind, &p);
		ck_assert_uint_eq(w.data[0].value, (uint64_t)(p.tasks * p.rounds));
		teardown(&w);
	}
	for (uint64_t seed = 2; seed < 12; seed++) {
		struct crowd p = {.tasks = 2 + (int)seed % 7, .cpus = 2 + (int)seed % 7,
				  .rounds = 100, .writes_of_8 = 8, .think = 400, .hold = 200,
				  .seed = seed};
		struct world w;

		run_crowd(&w, kind, &p);
		teardown(&w);
	}
}
END_TEST

START_TEST(the_same_twice)
{
	const struct crowd p = {.tasks = 20, .cpus = 20, .rounds = 40, .writes_of_8 = 4,
				.think = 500, .hold = 100, .seed = 7};
	uint64_t print[2];

	for (int i = 0; i < 2; i++) {
		struct world w;

		print[i] = run_crowd(&w, eh_lock_kinds[_i], &p);
		teardown(&w);
	}
	ck_assert_uint_eq(print[0], print[1]);
}
END_TEST

START_TEST(writers_and_readers)
{
	static const int cpus[] = {3, 16, 64}, writes[] = {0, 1, 4};

	for (int n = 0; n < 3 * 3; n++) {
		struct crowd p = {.tasks = cpus[n / 3], .cpus = cpus[n / 3],
				  .rounds = 600 / cpus[n / 3], .writes_of_8 = writes[n % 3],
				  .think = 1000, .hold = 300, .seed = 3};
		struct world w;

		run_crowd(&w, eh_lock_kinds[_i], &p);
		if (!p.writes_of_8 && eh_lock_kinds[_i]->read_lock)
			ck_assert_uint_eq(w.class.contentions, 0);
		teardown(&w);
	}
}
END_TEST

/* Far enough apart that the order of arrival is no question; in random order of CPUs. */
START_TEST(in_turn)
{
	gsl_rng *r = eh_stream_new(1, "arrivals");

	for (int round = 0; eh_lock_kinds[_i]->fifo && round < 10; round++) {
		struct job j[32];
		struct world w;
		int used[32];

		setup(&w, eh_lock_kinds[_i], 2, 2, 8);
		for (int i = 0; i < 32; i++)
			used[i] = i;
		for (int i = 0; i < 32; i++) {
			int k = i + (int)eh_stream_below(r, (uint64_t)(32 - i)), cpu = used[k];

			used[k] = used[i];
			used[i] = cpu;
			j[i] = (struct job){.arrives = 20 * EH_US + i * 2 * EH_US};
			j[i].hold = i ? (int)eh_stream_below(r, 300) : 100000;
			start(&w, &j[i], cpu, take_once);
		}
		eh_sim_run(w.sim, EH_SEC);
		for (int i = 1; i < 32; i++)
			ck_assert_int_gt(j[i].got, j[i - 1].released);
		ck_assert_uint_eq(w.class.contentions, 31);
		ck_assert_uint_eq(w.class.bounces, 31);
		teardown(&w);
	}
	gsl_rng_free(r);
}
END_TEST

#define HAMMERS 12

/* When somebody who arrives at 1 ms and wants to write has it, while others keep it busy. */
static eh_time latecomer(const struct eh_lock_kind *kind, bool readers, int think)
{
	struct job j[HAMMERS], late = {.arrives = EH_MS, .hold = 10};
	struct world w;

	setup(&w, kind, 2, 2, 8);
	for (int i = 0; i < HAMMERS; i++) {
		char name[32];

		g_snprintf(name, sizeof(name), "task.%d", i);
		j[i] = (struct job){.rng = eh_stream_new(1, name), .writes_of_8 = readers ? 0 : 8,
				    .think = think, .hold = 200};
		start(&w, &j[i], eh_machine_spread(w.m, i), hammer);
	}
	start(&w, &late, eh_machine_spread(w.m, HAMMERS), take_once);
	while (!late.got && eh_sim_now(w.sim) < 40 * EH_MS)
		eh_sim_run(w.sim, eh_sim_now(w.sim) + EH_MS / 4);
	for (int i = 0; i < HAMMERS; i++)
		gsl_rng_free(j[i].rng);
	teardown(&w);
	return late.got;
}

START_TEST(waits_end)
{
	const struct eh_lock_kind *kind = eh_lock_kinds[_i];

	ck_assert_int_gt(latecomer(kind, false, 3000), 0);
	if (!kind->read_lock)
		return;
	/* Where nobody waits in turn and readers leave no gap, a writer waits for ever. */
	if (g_str_equal(kind->name, "rwlock2004"))
		ck_assert_int_eq(latecomer(kind, true, 300), 0);
	else
		ck_assert_int_gt(latecomer(kind, true, 300), 0);
}
END_TEST

/* --- readers --- */

static void read_long(struct eh_task *t, void *arg)
{
	struct job *j = arg;

	eh_cpu_wait_until(t->cpu, SYM, j->arrives);
	eh_lock_take_read(j->w->lock, t->cpu);
	j->got = t->cpu->retire;
	eh_work(t->cpu, SYM, 100000);
	eh_cpu_sync(t->cpu, t->cpu->retire);
	j->readers = j->w->lock->readers; /* how many of us are inside */
	j->repeats = eh_lock_release_read(j->w->lock, t->cpu);
	j->released = t->cpu->retire;
}

/* Eight read for 100 us, then somebody wants to write. */
START_TEST(readers_share)
{
	const struct eh_lock_kind *kind = eh_lock_kinds[_i];
	struct job j[8], writer = {.arrives = 30 * EH_US, .hold = 10};
	eh_time last = 0;
	struct world w;
	int most = 0;

	if (!kind->read_lock)
		return;
	setup(&w, kind, 2, 2, 8);
	for (int i = 0; i < 8; i++) {
		j[i] = (struct job){.arrives = 20 * EH_US};
		start(&w, &j[i], eh_machine_spread(w.m, i), read_long);
	}
	start(&w, &writer, 20, take_once);
	eh_sim_run(w.sim, EH_MS / 2);
	for (int i = 0; i < 8; i++) {
		ck_assert_int_lt(j[i].got, 25 * EH_US);
		ck_assert_int_eq(j[i].repeats, kind->optimistic);
		most = MAX(most, j[i].readers);
		last = MAX(last, j[i].got + 100000 * INSTR);
	}
	ck_assert_int_eq(most, 8);
	if (kind->optimistic)
		ck_assert_int_lt(writer.got, 32 * EH_US);
	else
		ck_assert_int_gt(writer.got, last);
	ck_assert_uint_eq(w.class.contentions, !kind->optimistic);
	teardown(&w);
}
END_TEST

/* --- sleeping --- */

/* Three tasks to a CPU, and who holds it leaves the CPU: spinning alone would never end. */
START_TEST(sleepers_sleep)
{
	static const int writes[] = {8, 4};

	for (int n = 0; n < 2 && eh_lock_kinds[_i]->sleeps; n++) {
		struct crowd p = {.tasks = 24, .cpus = 8, .rounds = 30, .writes_of_8 = writes[n],
				  .think = 3000, .hold = 500, .yields = true, .seed = 5};
		struct world w;

		run_crowd(&w, eh_lock_kinds[_i], &p);
		ck_assert_uint_gt(w.class.contentions, 100);
		ck_assert_int_gt(w.class.wait_max, 2 * EH_US); /* somebody left idle meanwhile */
		teardown(&w);
	}
}
END_TEST

/* The owner sleeps: who waits sleeps, too, and its CPU is idle until the release. */
static void sleep_inside(struct eh_task *t, void *arg)
{
	struct job *j = arg;

	eh_cpu_wait_until(t->cpu, SYM, j->arrives);
	eh_lock_take(j->w->lock, t->cpu);
	j->got = t->cpu->retire;
	eh_task_block(t);
	eh_lock_release(j->w->lock, t->cpu);
	j->released = t->cpu->retire;
}

START_TEST(owner_asleep)
{
	struct job a = {.arrives = 20 * EH_US}, b = {.arrives = 40 * EH_US, .hold = 10};
	struct world w;

	if (!eh_lock_kinds[_i]->sleeps)
		return;
	setup(&w, eh_lock_kinds[_i], 1, 1, 4);
	start(&w, &a, 0, sleep_inside);
	start(&w, &b, 1, take_once);
	eh_sim_run(w.sim, 300 * EH_US);
	ck_assert(a.got && !b.got && eh_sched_idle(w.s, 0) && eh_sched_idle(w.s, 1));
	eh_task_start(a.t);
	eh_sim_run(w.sim, 600 * EH_US);
	ck_assert_int_gt(b.got, a.released - 1000 * INSTR); /* a was still in the waking */
	ck_assert_int_gt(b.released, b.got);
	ck_assert_uint_eq(w.class.contentions, 1);
	teardown(&w);
}
END_TEST

/* It sleeps, and by the time it is woken others who spin have taken the lock, again and again. */
START_TEST(sleeper_against_spinners)
{
	struct job a = {.arrives = 20 * EH_US}, b = {.arrives = 40 * EH_US, .hold = 10}, j[6];
	struct world w;

	if (!eh_lock_kinds[_i]->sleeps)
		return;
	setup(&w, eh_lock_kinds[_i], 1, 1, 8);
	start(&w, &a, 0, sleep_inside);
	start(&w, &b, 1, take_once);
	for (int i = 0; i < 6; i++) {
		char name[32];

		g_snprintf(name, sizeof(name), "task.%d", i);
		j[i] = (struct job){.arrives = 300 * EH_US, .rng = eh_stream_new(1, name),
				    .writes_of_8 = 8, .think = 10, .hold = 1000};
		start(&w, &j[i], 2 + i, hammer);
	}
	eh_sim_run(w.sim, 290 * EH_US);
	eh_task_start(a.t);
	eh_sim_run(w.sim, 10 * EH_MS);
	ck_assert_int_gt(a.got, 0);
	ck_assert_uint_gt(w.class.acquisitions, 3000);
	ck_assert_int_gt(b.got, 0);
	for (int i = 0; i < 6; i++)
		gsl_rng_free(j[i].rng);
	teardown(&w);
}
END_TEST

START_TEST(table)
{
	for (int i = 0; eh_lock_kinds[i]; i++) {
		ck_assert_ptr_eq(eh_lock_kind_find(eh_lock_kinds[i]->name), eh_lock_kinds[i]);
		ck_assert_int_gt(strlen(eh_lock_kinds[i]->help), 0);
	}
	ck_assert_ptr_null(eh_lock_kind_find("no such kind"));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("locks");
	TCase *t = tcase_create("kinds");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, never_two_owners, 0, lock_kinds());
	tcase_add_loop_test(t, the_same_twice, 0, lock_kinds());
	tcase_add_loop_test(t, writers_and_readers, 0, lock_kinds());
	tcase_add_loop_test(t, in_turn, 0, lock_kinds());
	tcase_add_loop_test(t, waits_end, 0, lock_kinds());
	tcase_add_loop_test(t, readers_share, 0, lock_kinds());
	tcase_add_loop_test(t, sleepers_sleep, 0, lock_kinds());
	tcase_add_loop_test(t, owner_asleep, 0, lock_kinds());
	tcase_add_loop_test(t, sleeper_against_spinners, 0, lock_kinds());
	tcase_add_test(t, table);
	suite_add_tcase(s, t);
	return run_suite(s);
}

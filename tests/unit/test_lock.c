/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * src/lock: never two owners, whoever runs ahead of the clock; first come, first served among those
 * who queue; what each way to the lock costs in transfers of lines.
 */
#include <ehsim/qspinlock.h>
#include <ehsim/stream.h>

#include <glib.h>

#include "bare.h"
#include "host.h"
#include "suite.h"

#define SYM EH_SYM(tcp_ack)
#define LOCK_SYM EH_SYM(_raw_spin_lock)
#define SLOW_SYM EH_SYM(queued_spin_lock_slowpath)
#define TICKET_SYM EH_SYM(ticket_spin_lock)
#define INSTR EH_NS
#define LOCKED (20 * EH_NS)
#define TRANSFER (65 * EH_NS)

struct world {
	struct eh_machine_config mc;
	struct eh_sim *sim;
	struct eh_machine *m;
	struct eh_spinlock lock;
	struct eh_lock_class class;
};

static void setup(struct world *w, int sockets, int dies, int cores, int threads)
{
	*w = (struct world){.mc = host_machine(sockets, dies, cores, threads)};
	w->sim = eh_sim_new(1);
	w->m = eh_machine_new(w->sim, "host", &w->mc);
	eh_spin_init(&w->lock, eh_lines_new(w->m, 1, 0));
}

static void teardown(struct world *w)
{
	eh_machine_free(w->m);
	eh_sim_free(w->sim);
}

struct job {
	struct world *w;
	struct eh_cpu *c;
	eh_time at;   /* arrives */
	int64_t hold; /* instructions */
	struct eh_rmw rmw;
	eh_time got, released;
};

static void take_once(void *arg)
{
	struct job *j = arg;
	struct eh_cpu *c = j->c;

	eh_cpu_wait_until(c, -1, eh_sim_now(c->sim));
	j->rmw = eh_spin_lock(c, &j->w->lock, &j->w->class, LOCK_SYM);
	j->got = c->retire;
	eh_work(c, SYM, j->hold);
	eh_spin_unlock(c, &j->w->lock, SYM, 1);
	j->released = c->retire;
	eh_cpu_sync(c, c->retire);
}

static void add(struct world *w, struct job *j, int cpu, eh_fiber_fn fn)
{
	j->w = w;
	j->c = &w->m->cpus[cpu];
	run_bare(j->c, fn, j, j->at);
}

/* One transfer and one locked operation to take it, one store to give it back. */
START_TEST(alone)
{
	struct world w;
	struct job a = {.at = 0, .hold = 100}, b = {.at = 10 * EH_US, .hold = 100},
		   again = {.at = 20 * EH_US, .hold = 100};

	setup(&w, 1, 1, 2, 1);
	add(&w, &a, 0, take_once);
	add(&w, &b, 1, take_once);
	eh_sim_run(w.sim, 15 * EH_US);
	ck_assert_int_eq(a.got, INSTR + 130 * EH_NS + LOCKED);
	ck_assert_int_eq(a.released, a.got + 101 * INSTR);
	ck_assert_int_eq(b.got, b.at + INSTR + TRANSFER + LOCKED);
	add(&w, &again, 1, take_once);
	eh_sim_run(w.sim, EH_MS);
	ck_assert_int_eq(again.got, again.at + INSTR + LOCKED); /* still held exclusively */
	ck_assert_uint_eq(w.class.acquisitions, 3);
	ck_assert_uint_eq(w.class.contentions, 0);
	ck_assert_uint_eq(w.class.bounces, 2);
	ck_assert_int_eq(w.class.wait_total, 0);
	ck_assert_int_eq(w.class.hold_total, 3 * 101 * INSTR);
	ck_assert_int_eq(w.m->cpus[1].charged[LOCK_SYM], TRANSFER + 2 * (INSTR + LOCKED));
	ck_assert_int_eq(w.m->cpus[1].charged[SLOW_SYM], 0);
	teardown(&w);
}
END_TEST

/*
 * The pending waiter reads the word that the owner then has to take back: two transfers, to the
 * picosecond, although the owner did all of its work in one go, ahead of the clock.
 */
START_TEST(pending)
{
	static const int64_t arrival[] = {0, 1, 500, 1000, 4000};

	for (int i = 0; i < 5; i++) {
		struct world w;
		struct job a = {.at = 0, .hold = 5000},
			   b = {.at = 200 * EH_NS + arrival[i] * EH_NS, .hold = 10};

		setup(&w, 1, 1, 2, 1);
		add(&w, &a, 0, take_once);
		add(&w, &b, 1, take_once);
		eh_sim_run(w.sim, EH_MS);
		ck_assert_int_eq(b.got, a.released + 2 * TRANSFER + INSTR);
		ck_assert_uint_eq(w.class.contentions, 1);
		ck_assert_int_eq(w.class.wait_total, b.got - b.rmw.done);
		ck_assert_int_eq(w.class.wait_max, w.class.wait_total);
		ck_assert_int_eq(w.class.hold_total, a.released - a.got + b.released - b.got);
		/* In the lock symbol: the failed attempt; waiting is the slow path's. */
		ck_assert_int_eq(w.m->cpus[1].charged[LOCK_SYM], INSTR + TRANSFER + LOCKED);
		ck_assert_int_eq(w.m->cpus[1].charged[SLOW_SYM], b.got - b.rmw.done);
		teardown(&w);
	}
}
END_TEST

static void take_in_steps(void *arg)
{
	struct job *j = arg;
	struct eh_cpu *c = j->c;

	eh_cpu_wait_until(c, -1, eh_sim_now(c->sim));
	j->rmw = eh_spin_lock(c, &j->w->lock, &j->w->class, LOCK_SYM);
	j->got = c->retire;
	for (int64_t i = 0; i < j->hold; i += 10) {
		eh_work(c, SYM, 10);
		eh_cpu_sync(c, c->retire);
	}
	eh_spin_unlock(c, &j->w->lock, SYM, 1);
	j->released = c->retire;
	eh_cpu_sync(c, c->retire);
}

/* It makes no difference whether the owner runs ahead or in step with the others. */
START_TEST(ahead_or_in_step)
{
	static const int spacing[] = {30, 47, 90, 250, 400}, hold[] = {20, 200, 3000};

	for (int n = 0; n < 5 * 5 * 3; n++) {
		eh_time got[2][6];
		int waiters = 1 + n % 5;

		for (int steps = 0; steps < 2; steps++) {
			struct world w;
			struct job j[6];

			setup(&w, 1, 1, 6, 1);
			for (int i = 0; i <= waiters; i++) {
				j[i] = (struct job){.at = i * spacing[n / 5 % 5] * EH_NS,
						    .hold = hold[n / 25]};
				add(&w, &j[i], i, steps ? take_in_steps : take_once);
			}
			eh_sim_run(w.sim, EH_MS);
			for (int i = 0; i <= waiters; i++)
				got[steps][i] = j[i].got;
			teardown(&w);
		}
		for (int i = 0; i <= waiters; i++)
			ck_assert_int_eq(got[0][i], got[1][i]);
	}
}
END_TEST

/*
 * The waiter arrives just before or behind the release, in steps of a ns: either its line arrives
 * with the lock free, or it goes all the way; no matter whether the owner runs ahead.
 */
START_TEST(around_the_release)
{
	for (int steps = 0; steps < 2; steps++) {
		for (int64_t at = 1000; at < 1400; at++) {
			struct world w;
			struct job a = {.at = 0, .hold = 1000}, b = {.at = at * EH_NS, .hold = 10};

			setup(&w, 1, 1, 2, 1);
			add(&w, &a, 0, steps ? take_in_steps : take_once);
			add(&w, &b, 1, steps ? take_in_steps : take_once);
			eh_sim_run(w.sim, EH_MS);
			if (b.at + INSTR + TRANSFER + LOCKED >= a.released) {
				ck_assert_uint_eq(w.class.contentions, 0);
				ck_assert_int_eq(b.got, b.rmw.done);
			} else { /* the pending bit goes first, the owner's store after it */
				ck_assert_uint_eq(w.class.contentions, 1);
				ck_assert_int_eq(b.got, MAX(b.rmw.done + LOCKED, a.released) +
								2 * TRANSFER + INSTR);
			}
			teardown(&w);
		}
	}
}
END_TEST

/*
 * A long queue: the word to the head (two transfers); to tell the next one costs two more of that
 * one's node, beneath the owner's work.
 */
START_TEST(queue)
{
	struct job j[8];
	struct world w;

	setup(&w, 1, 1, 8, 1);
	for (int i = 0; i < 8; i++) {
		j[i] = (struct job){.at = i * 500 * EH_NS, .hold = 5000};
		add(&w, &j[i], i, take_once);
	}
	eh_sim_run(w.sim, EH_MS);
	ck_assert_int_eq(j[1].got, j[0].released + 2 * TRANSFER + INSTR);
	for (int i = 2; i < 7; i++) {
		/* one store: locked, tail kept */
		ck_assert_int_eq(j[i].got, j[i - 1].released + 2 * TRANSFER + INSTR);
	}
	/* The last one swaps the tail for "locked", if the word is still there after the wait. */
	ck_assert_int_ge(j[7].got, j[6].released + 2 * TRANSFER + INSTR + LOCKED);
	ck_assert_int_le(j[7].got, j[6].released + 3 * TRANSFER + INSTR + LOCKED);
	ck_assert_uint_eq(w.class.contentions, 7);
	ck_assert_uint_eq(w.class.acquisitions, 8);
	ck_assert(w.lock.owner == EH_NO_CPU && !w.lock.waiters);
	teardown(&w);
}
END_TEST

/* A short hold: the next one has to learn first that it is the head. */
START_TEST(queue_with_short_holds)
{
	struct job j[16];
	struct world w;

	setup(&w, 1, 1, 16, 1);
	for (int i = 0; i < 16; i++) {
		j[i] = (struct job){.at = i * 100 * EH_NS, .hold = i == 0 ? 5000 : 1};
		add(&w, &j[i], i, take_once);
	}
	eh_sim_run(w.sim, EH_MS);
	for (int i = 3; i < 16; i++) {
		eh_time step = j[i].got - j[i - 1].got;

		ck_assert_int_gt(j[i].got, j[i - 1].released);
		/* Node to the next and back, then at least one of the word. */
		ck_assert_int_ge(step, 3 * TRANSFER);
		ck_assert_int_le(step, 5 * TRANSFER + LOCKED + 5 * INSTR);
	}
	teardown(&w);
}
END_TEST

START_TEST(first_come_first_served)
{
	gsl_rng *r = eh_stream_new(1, "arrivals");

	for (int round = 0; round < 50; round++) {
		struct job j[32];
		struct world w;
		eh_time at = 0;
		int used[32];

		setup(&w, 2, 2, 8, 2);
		w.m->ticket_spinlocks = _i;
		for (int i = 0; i < 32; i++)
			used[i] = i;
		for (int i = 0; i < 32; i++) { /* on CPUs in random order */
			int k = i + (int)eh_stream_below(r, (uint64_t)(32 - i)), t = used[k];

			used[k] = used[i];
			used[i] = t;
			at += 700 * EH_NS + (eh_time)eh_stream_below(r, 2000) * EH_NS;
			j[i] = (struct job){.at = at,
					    .hold = i ? (int64_t)eh_stream_below(r, 300) : 100000};
			add(&w, &j[i], used[i] * 2 % w.m->ncpus, take_once);
		}
		eh_sim_run(w.sim, EH_SEC);
		for (int i = 1; i < 32; i++)
			ck_assert_int_gt(j[i].got, j[i - 1].released);
		teardown(&w);
	}
	gsl_rng_free(r);
}
END_TEST

/* --- never two owners --- */

struct stretch {
	eh_time from, to;
};

struct player {
	struct world *w;
	struct eh_cpu *c;
	gsl_rng *rng;
	GArray *stretches;
	int rounds, think, hold;
};

static void play(void *arg)
{
	struct player *p = arg;
	struct eh_cpu *c = p->c;

	for (int i = 0; i < p->rounds; i++) {
		struct stretch s;

		eh_work(c, SYM, 1 + (int64_t)eh_stream_below(p->rng, (uint64_t)p->think));
		if (eh_stream_below(p->rng, 4) == 0)
			eh_cpu_sync(c, c->retire);
		eh_spin_lock(c, &p->w->lock, &p->w->class, LOCK_SYM);
		ck_assert_int_ge(c->retire, eh_sim_now(c->sim));
		s.from = c->retire;
		for (int k = (int)eh_stream_below(p->rng, 3); k-- > 0;) {
			eh_work(c, SYM, 1 + (int64_t)eh_stream_below(p->rng, (uint64_t)p->hold));
			if (eh_stream_below(p->rng, 3) == 0)
				eh_cpu_sync(c, c->retire);
		}
		s.to = c->retire;
		eh_spin_unlock(c, &p->w->lock, SYM, 1);
		if (!p->w->m->ticket_spinlocks) /* a ticket lock's store may stall behind its readers */
			s.to = c->retire;
		g_array_append_val(p->stretches, s);
	}
	eh_cpu_sync(c, c->retire);
}

static gint by_start(gconstpointer a, gconstpointer b)
{
	eh_time x = ((const struct stretch *)a)->from, y = ((const struct stretch *)b)->from;

	return x < y ? -1 : x > y;
}

static uint64_t crowd(int ticket, int cpus, int think, int hold, int rounds, uint64_t seed)
{
	struct player *p = g_new0(struct player, cpus);
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct stretch));
	uint64_t fingerprint;
	eh_time slow = 0;
	struct world w;

	setup(&w, 2, 2, 8, 2);
	w.m->ticket_spinlocks = ticket;
	for (int i = 0; i < cpus; i++) {
		char name[32];

		g_snprintf(name, sizeof(name), "player.%d", i);
		p[i] = (struct player){.w = &w,
				       .c = &w.m->cpus[eh_machine_spread(w.m, i)],
				       .rng = eh_stream_new(seed, name),
				       .stretches = all,
				       .rounds = rounds,
				       .think = think,
				       .hold = hold};
		run_bare(p[i].c, play, &p[i], 0);
	}
	eh_sim_run(w.sim, 100 * EH_SEC);
	ck_assert_int_eq(all->len, cpus * rounds); /* nobody is left waiting */
	ck_assert_uint_eq(w.class.acquisitions, (uint64_t)(cpus * rounds));
	ck_assert_uint_le(w.class.contentions, w.class.acquisitions);
	ck_assert(w.lock.owner == EH_NO_CPU && !w.lock.waiters);
	g_array_sort(all, by_start);
	for (unsigned int i = 1; i < all->len; i++)
		ck_assert_int_ge(g_array_index(all, struct stretch, i).from,
				 g_array_index(all, struct stretch, i - 1).to);
	for (int i = 0; i < cpus; i++) {
		slow += p[i].c->charged[ticket ? TICKET_SYM : SLOW_SYM];
		ck_assert_int_eq(eh_cpu_busy(p[i].c), p[i].c->retire);
		gsl_rng_free(p[i].rng);
	}
	ck_assert_int_eq(w.class.wait_total, slow);
	fingerprint = eh_sim_fingerprint(w.sim);
	g_array_free(all, TRUE);
	g_free(p);
	teardown(&w);
	return fingerprint;
}

START_TEST(never_two_owners)
{
	static const int cpus[] = {2, 3, 4, 7, 16, 33, 64}, think[] = {1, 300, 3000, 100000},
			 hold[] = {1, 60, 400, 5000};

	for (int c = 0; c < 7; c++)
		for (int t = 0; t < 4; t++)
			for (int h = 0; h < 4; h++)
				crowd(_i, cpus[c], think[t], hold[h], 2000 / cpus[c], 1);
	for (uint64_t seed = 2; seed < 60; seed++)
		crowd(_i, 2 + (int)(seed % 9), 400, 200, 300, seed);
	ck_assert_uint_eq(crowd(_i, 20, 500, 100, 200, 7), crowd(_i, 20, 500, 100, 200, 7));
}
END_TEST

static void walk(void *arg)
{
	struct job *j = arg;

	for (int i = 0; i < 100; i++) {
		eh_path(j->c, SYM, 1000);
		eh_cpu_sync(j->c, j->c->retire);
	}
	j->released = j->c->retire;
}

/* What a thread does not use while it waits, the core's other one does: a path alone takes 5 / 8 of its time. */
START_TEST(pause_leaves_the_width)
{
	struct world w = {.mc = host_machine(1, 1, 2, 2)};
	struct job owner = {.hold = 10000}, waiter = {.at = 100 * EH_NS}, walker = {.at = 0};
	eh_time waited;

	w.mc.core.pause = _i;
	w.sim = eh_sim_new(1);
	w.m = eh_machine_new(w.sim, "host", &w.mc);
	eh_spin_init(&w.lock, eh_lines_new(w.m, 1, 0));
	add(&w, &owner, 1, take_once);
	add(&w, &waiter, 2, take_once);
	add(&w, &walker, 0, walk);
	eh_cpu_set_idle(&w.m->cpus[0], false);
	eh_sim_run(w.sim, EH_MS);
	waited = w.m->cpus[2].charged[SLOW_SYM];
	ck_assert_int_ge(waited, 9 * EH_US);
	ck_assert_int_le(llabs(160 * EH_US - walker.released - (_i ? waited * 6 / 10 : 0)), EH_US / 2);
	teardown(&w);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("lock");
	TCase *t = tcase_create("qspinlock");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, alone);
	tcase_add_test(t, pending);
	tcase_add_test(t, ahead_or_in_step);
	tcase_add_test(t, around_the_release);
	tcase_add_test(t, queue);
	tcase_add_test(t, queue_with_short_holds);
	/* the kernel's spinlocks as queued, and as ticket locks */
	tcase_add_loop_test(t, pause_leaves_the_width, 0, 2);
	tcase_add_loop_test(t, first_come_first_served, 0, 2);
	tcase_add_loop_test(t, never_two_owners, 0, 2);
	suite_add_tcase(s, t);
	return run_suite(s);
}

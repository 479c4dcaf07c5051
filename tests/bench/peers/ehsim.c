/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ours: events that call a function, and with a second argument fibers that wait. */
#include "hold.h"
#include <ehsim/fiber.h>
#include <ehsim/sim.h>

struct holder {
	struct eh_event ev;
	struct eh_sim *sim;
};

static void again(struct eh_event *ev)
{
	struct holder *h = eh_container_of(ev, struct holder, ev);

	hold_count();
	eh_sim_at(h->sim, ev, eh_sim_now(h->sim) + next_delay());
}

static void wait_again(void *arg)
{
	struct holder *h = arg;

	for (;;) {
		hold_count();
		eh_sim_wait(h->sim, &h->ev, eh_sim_now(h->sim) + next_delay());
	}
}

int main(int argc, char **argv)
{
	struct eh_sim *sim = eh_sim_new(1);
	struct holder *h;

	hold_init(argc, argv, 2000000);
	h = calloc((size_t)pending, sizeof(*h));
	for (long i = 0; i < pending; i++) {
		h[i].sim = sim;
		if (argc > 2)
			h[i].ev.fiber = eh_sim_fiber(sim, wait_again, &h[i]);
		else
			h[i].ev.fn = again;
		eh_sim_at(sim, &h[i].ev, next_delay());
	}
	eh_sim_run(sim, EH_TIME_NEVER / 2);
	return 1;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SimGrid: its timers, and with a second argument actors that sleep. */
#include "hold.h"
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>

/* An event per second: its clock does not tell nanoseconds apart. */
static double next_gap()
{
	return 1e-3 * (double)next_delay();
}

static void again()
{
	hold_count();
	simgrid::kernel::timer::Timer::set(simgrid::s4u::Engine::get_clock() + next_gap(), again);
}

static void sleeper()
{
	for (;;) {
		hold_count();
		simgrid::s4u::this_actor::sleep_for(next_gap());
	}
}

int main(int argc, char **argv)
{
	simgrid::s4u::Engine e(&argc, argv);

	hold_init(argc, argv, 200000);
	auto *host = simgrid::s4u::create_full_zone("zone")->create_host("host", 1e9)->seal();
	if (argc > 2) {
		for (long i = 0; i < pending; i++)
			simgrid::s4u::Actor::create("a", host, sleeper);
	} else {
		simgrid::s4u::Actor::create("a", host, [] { simgrid::s4u::this_actor::sleep_for(1e15); });
		for (long i = 0; i < pending; i++)
			simgrid::kernel::timer::Timer::set(next_gap(), again);
	}
	e.run();
	return 1;
}

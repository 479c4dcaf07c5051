/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ns-3: events that call a function; the second argument names the scheduler, such as ns3::HeapScheduler. */
#include "hold.h"
#include <ns3/core-module.h>

static void again()
{
	hold_count();
	ns3::Simulator::Schedule(ns3::PicoSeconds(next_delay()), &again);
}

int main(int argc, char **argv)
{
	hold_init(argc, argv, 500000);
	ns3::Time::SetResolution(ns3::Time::PS);
	if (argc > 2) {
		ns3::ObjectFactory factory;

		factory.SetTypeId(argv[2]);
		ns3::Simulator::SetScheduler(factory);
	}
	for (long i = 0; i < pending; i++)
		ns3::Simulator::Schedule(ns3::PicoSeconds(next_delay()), &again);
	ns3::Simulator::Run();
	return 1;
}

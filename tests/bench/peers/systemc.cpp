/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SystemC: methods that trigger themselves, and with a second argument threads that wait. */
#include "hold.h"
#include <systemc>

struct holder : sc_core::sc_module {
	SC_HAS_PROCESS(holder);

	holder(sc_core::sc_module_name name, bool threads) : sc_core::sc_module(name)
	{
		if (threads) {
			SC_THREAD(wait_again);
		} else {
			SC_METHOD(again);
		}
	}

	static sc_core::sc_time delay()
	{
		return sc_core::sc_time((double)next_delay(), sc_core::SC_PS);
	}

	void again()
	{
		hold_count();
		next_trigger(delay());
	}

	void wait_again()
	{
		for (;;) {
			hold_count();
			wait(delay());
		}
	}
};

int sc_main(int argc, char **argv)
{
	hold_init(argc, argv, 500000);
	for (long i = 0; i < pending; i++)
		new holder(sc_core::sc_gen_unique_name("h"), argc > 2);
	sc_core::sc_start();
	return 1;
}

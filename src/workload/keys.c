/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/config.h>

#define AT(field) offsetof(struct eh_workload_config, field)

static const char *const kind_words[] = {"tcp_crr", NULL};
static const char *const setup_words[] = {"home", "spread", NULL};

const struct eh_key eh_workload_keys[] = {
	{"kind", EH_KEY_ENUM, AT(kind), "tcp_crr", .words = kind_words, .origin = EH_CHOSEN,
	 .source = "", .help = "What the two hosts run: neper's tcp_crr."},
	{"threads", EH_KEY_INT, AT(threads), "1", "1", "65534", .origin = EH_CHOSEN, .source = "",
	 .help = "Client threads (neper -T)."},
	{"server_threads", EH_KEY_INT, AT(server_threads), "1", "1", "65534", .origin = EH_CHOSEN,
	 .source = "",
	 .help = "Server threads, each with its own SO_REUSEPORT listener (neper -T)."},
	{"flows", EH_KEY_INT, AT(flows), "1", "1", "10000000", .origin = EH_CHOSEN, .source = "",
	 .help = "Connections kept busy, dealt evenly to the threads (neper -F)."},
	{"request", EH_KEY_SIZE, AT(request), "1B", "1B", "1460B", .origin = EH_CHOSEN,
	 .source = "neper -Q", .help = "Bytes per request; one segment."},
	{"response", EH_KEY_SIZE, AT(response), "1B", "1B", "1460B", .origin = EH_CHOSEN,
	 .source = "neper -R", .help = "Bytes per response; one segment."},
	{"server_ports", EH_KEY_INT, AT(server_ports), "1", "1", "1", .origin = EH_CHOSEN,
	 .source = "neper --num-ports", .help = "Server ports; one for now."},
	{"setup_placement", EH_KEY_ENUM, AT(setup_placement), "home", .words = setup_words,
	 .origin = EH_ASSUMED,
	 .source = "sleeping threads do not load a node, so fork balancing keeps them beside main",
	 .help = "Where client threads are while they connect one after another before the "
		 "barrier: on the main thread's node, or already spread over the host."},
	{"user_work", EH_KEY_INT, AT(user_work), "300", "0", "100000000", .origin = EH_ASSUMED,
	 .source = "neper's event handler; its printed utime is 2.6 us per transaction",
	 .help = "Instructions of user code per event."},
	{"stagger", EH_KEY_TIME, AT(stagger), "5ms", "0ns", "10s", .origin = EH_ASSUMED,
	 .source = "of the order of one port search, so that threads are anywhere in theirs",
	 .help = "Steady start: the threads begin at random instants within this time."},
	{.name = NULL},
};

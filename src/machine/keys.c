/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/config.h>

#define AT(field) offsetof(struct eh_machine_config, field)
#define CC "Chips and Cheese, Xeon 6985P-C (AWS 96-core bin)"

static const char *const copies_words[] = {"home", "reader", NULL};
static const char *const coherence_words[] = {"socket_agent", "home_agent", "bus", NULL};

const struct eh_key eh_machine_keys[] = {
	{"file", EH_KEY_STRING, AT(file), "", .origin = EH_CHOSEN, .source = "",
	 .help = "A machine file whose keys stand in for the defaults; keys given beside it win."},
	{"preset", EH_KEY_STRING, AT(preset), "", .origin = EH_CHOSEN, .source = "",
	 .help = "A shipped machine by its name, such as epyc-milan-x2, in place of a file of your own; "
		 "keys given beside it win."},
	{"name", EH_KEY_STRING, AT(name), "generic", .origin = EH_CHOSEN, .source = "",
	 .help = "What reports call the machine."},
	{"sockets", EH_KEY_INT, AT(sockets), "2", "1", "8", .origin = EH_CHOSEN, .source = "",
	 .help = "Processor packages."},
	{"sockets_per_group", EH_KEY_INT, AT(sockets_per_group), "8", "1", "8", .origin = EH_CHOSEN,
	 .source = "", .help = "Sockets that are directly linked, counted in order; those of another "
	 "group are reached in more hops (latency.*.far_socket)."},
	{"dies_per_socket", EH_KEY_INT, AT(dies_per_socket), "1", "1", "16", .origin = EH_CHOSEN,
	 .source = "", .help = "NUMA nodes (sub-NUMA clusters) of one package, in a row."},
	{"cores_per_die", EH_KEY_INT, AT(cores_per_die), "16", "1", "256", .origin = EH_CHOSEN,
	 .source = "", .help = "Cores of one die."},
	{"threads_per_core", EH_KEY_INT, AT(threads_per_core), "2", "1", "8", .origin = EH_CHOSEN,
	 .source = "", .help = "Hardware threads of one core."},
	{"clock", EH_KEY_FREQ, AT(clock_hz), "3GHz", "10MHz", "10GHz", .origin = EH_ASSUMED,
	 .source = "a common server clock", .help = "Clock of all cores; it does not change."},
	{"coherence", EH_KEY_ENUM, AT(coherence), "socket_agent", .words = coherence_words,
	 .origin = EH_PUBLISHED,
	 .source = "core-to-core-latency tables: on dual Xeons a pair in one socket costs the same "
		   "whichever socket is the line's home, on dual EPYCs twice as much",
	 .help = "Who answers for a modified line whose home is in the other socket: an agent of the "
		 "requester's own socket, or only the home. bus: nobody, the sockets of a group snoop each "
		 "other's requests."},
	{"home_blocks", EH_KEY_BOOL, AT(home_blocks), "no", .origin = EH_ASSUMED,
	 .source = "no Xeon does: 22-36 ns per contended fetch-add on the 8176 are less than a transfer",
	 .help = "A line that goes to a writer is busy at its home until the writer's report that it has "
		 "arrived is back, which takes as long as the request did."},
	{"core.width", EH_KEY_INT, AT(core.width), "6", "1", "16", .origin = EH_ASSUMED,
	 .source = "recalled, not read again: "
		   "Intel optimization manual: Golden Cove renames 6 micro-ops per cycle",
	 .help = "Instructions per cycle that dispatch and retire in tight loops that hit the L1."},
	{"core.window", EH_KEY_INT, AT(core.window), "512", "1", "4096", .origin = EH_PUBLISHED,
	 .source = "Intel optimization manual: reorder buffer of Golden Cove and Redwood Cove",
	 .help = "Instructions between the oldest not retired and the youngest dispatched."},
	{"core.line_buffers", EH_KEY_INT, AT(core.line_buffers), "16", "1", "64",
	 .origin = EH_ASSUMED, .source = "recalled, not read again: "
		   "Intel optimization manual: L1D fill buffers, Golden Cove",
	 .help = "Misses one core can have outstanding."},
	{"core.prefetch", EH_KEY_INT, AT(core.prefetch), "0", "0", "32", .origin = EH_ASSUMED,
	 .source = "no published figure asks for one; where 200 threads miss at once, document 001 "
		   "speaks against it",
	 .help = "Lines that the L2's prefetcher fetches ahead once two neighbours have been read, up to "
		 "the end of the page; 0: none. The port search's loop reads without it."},
	{"core.mispredict", EH_KEY_INT, AT(core.mispredict), "17", "0", "200",
	 .origin = EH_ASSUMED, .source = "recalled, not read again: "
		   "Chips and Cheese, Golden Cove: about 17 cycles",
	 .help = "Cycles from the moment a wrong branch is known to the next dispatch."},
	{"core.locked_op", EH_KEY_INT, AT(core.locked_op), "20", "0", "1000",
	 .origin = EH_ASSUMED,
	 .source = "recalled, not read again: "
		   "instruction tables for Intel cores: LOCK CMPXCHG latency 18-20 cycles",
	 .help = "Cycles of a locked operation on a line the core already owns."},
	{"core.locked_fence", EH_KEY_BOOL, AT(core.locked_fence), "no", .origin = EH_ASSUMED,
	 .source = "recalled: loads are executed beneath a locked operation and checked when it retires",
	 .help = "Nothing younger starts before a locked operation has ended, as on P6."},
	{"core.call", EH_KEY_INT, AT(core.call), "5", "0", "100", .origin = EH_PUBLISHED,
	 .source = "prototype-kernel time_bench: function call and return, 5 cycles",
	 .help = "Cycles of front end and retirement that one call and return take."},
	{"core.path_ipc", EH_KEY_REAL, AT(core.path_ipc), "1.0", "0.05", "8", .origin = EH_ASSUMED,
	 .source = "network stacks run near one instruction per cycle on servers",
	 .help = "Instructions per cycle of long branchy kernel paths; covers instruction misses."},
	{"core.smt_gain", EH_KEY_REAL, AT(core.smt_gain), "1.25", "1", "2", .origin = EH_ASSUMED,
	 .source = "Intel and others speak of 20-30 % more with two threads per core",
	 .help = "What two threads of a core get done together on long branchy paths, measured by what "
		 "one does alone; tight loops share the width."},
	{"core.pause", EH_KEY_BOOL, AT(core.pause), "no", .origin = EH_PUBLISHED,
	 .source = "Intel optimization manual: PAUSE in spin-wait loops leaves shared resources to the core's "
		   "other thread, 140 cycles each since Skylake",
	 .help = "A thread that waits for a spinlock of the kernel leaves its core's width to the other."},
	{"cache.l1_lines", EH_KEY_INT, AT(cache.l1_lines), "512", "8", "65536",
	 .origin = EH_PUBLISHED, .source = "48 KiB L1D, rounded down to a power of two lines",
	 .help = "Lines of the L1 data cache (a power of two; modelled direct-mapped)."},
	{"cache.l2_lines", EH_KEY_INT, AT(cache.l2_lines), "32768", "64", "262144",
	 .origin = EH_PUBLISHED, .source = "2 MiB L2 (" CC ")",
	 .help = "Lines of the private L2 (a power of two; modelled with four ways, least recently used)."},
	{"cache.l1_hit", EH_KEY_INT, AT(cache.l1_cycles), "5", "1", "1000", .origin = EH_PUBLISHED,
	 .source = CC, .help = "Cycles of a load that hits the L1."},
	{"cache.l2_hit", EH_KEY_INT, AT(cache.l2_cycles), "16", "1", "1000", .origin = EH_PUBLISHED,
	 .source = CC, .help = "Cycles of a load that hits the L2."},
	{"cache.remote_copies", EH_KEY_ENUM, AT(cache.remote_copies), "reader",
	 .words = copies_words, .origin = EH_ASSUMED,
	 .source = "most parts keep what a core has read in the L3 beside that core",
	 .help = "Where a clean line of another socket's memory is found that this socket has read "
		 "before: in the L3 of its home, or in the reader's own."},
#define LAT(name, field, def, org, src, text)                                                      \
	{"latency." name, EH_KEY_TIME, AT(latency.field), def, "0ns", "100us", .origin = org,      \
	 .source = src, .help = text}
	LAT("clean.same_die", clean_same_die, "33ns", EH_PUBLISHED, CC,
	    "Load of a clean line from the L3 of its home, the reader's own die."),
	LAT("clean.adjacent_die", clean_adjacent_die, "57.6ns", EH_PUBLISHED, CC,
	    "The same, home one die away in the socket."),
	LAT("clean.far_die", clean_far_die, "80ns", EH_PUBLISHED, CC,
	    "The same, home two dies away in the socket."),
	LAT("clean.other_socket", clean_other_socket, "180ns", EH_ASSUMED,
	    "between the 146-220 ns of remote memory on dual sockets; no figure for this part",
	    "The same, home in another socket of the group."),
	LAT("clean.far_socket", clean_far_socket, "300ns", EH_ASSUMED,
	    "two links instead of one; only hosts of more than one group of sockets use it",
	    "The same, home in a socket of another group."),
	LAT("dirty.smt", dirty_smt, "8ns", EH_PUBLISHED,
	    "core-to-core-latency tables: 7-10 ns on all Xeons",
	    "Line modified by the sibling thread."),
	LAT("dirty.same_die", dirty_same_die, "65ns", EH_PUBLISHED, CC ": 50-80 ns inside a die",
	    "Line modified by a core of the own die."),
	LAT("dirty.adjacent_die", dirty_adjacent_die, "95ns", EH_ASSUMED,
	    "between 50-80 ns inside a die and 100-120 ns at worst inside the socket (" CC ")",
	    "Line modified by a core one die away."),
	LAT("dirty.far_die", dirty_far_die, "110ns", EH_PUBLISHED, CC ": 100-120 ns at worst",
	    "Line modified by a core two dies away."),
	LAT("dirty.other_socket", dirty_other_socket, "270ns", EH_ASSUMED,
	    "250-300 ns for three hops across sockets; not published for this part",
	    "Line modified by a core of another socket of the group."),
	LAT("dirty.far_socket", dirty_far_socket, "400ns", EH_ASSUMED,
	    "two links instead of one; only hosts of more than one group of sockets use it",
	    "Line modified by a core in a socket of another group."),
	LAT("invalidate.other_socket", invalidate_other_socket, "0ns", EH_ASSUMED,
	    "as long as a transfer: the answers have the same way",
	    "Writing a clean line of which another socket of the group has a copy; 0: as "
	    "latency.dirty.other_socket, or far_socket if there are several groups."),
	LAT("invalidate.far_socket", invalidate_far_socket, "0ns", EH_ASSUMED,
	    "as long as a transfer: the answers have the same way",
	    "The same of a socket of another group; 0: as latency.dirty.far_socket."),
	LAT("bus_lock", bus_lock, "0ns", EH_ASSUMED, "later processors lock in their caches always",
	    "Where sockets form several groups, each a bus: a locked operation on a line the CPU does not "
	    "hold takes so much longer."),
	LAT("dram.same_die", dram_same_die, "131ns", EH_PUBLISHED, CC, "Memory of the own die."),
	LAT("dram.adjacent_die", dram_adjacent_die, "157ns", EH_PUBLISHED, CC,
	    "Memory one die away."),
	LAT("dram.far_die", dram_far_die, "181.5ns", EH_PUBLISHED, CC, "Memory two dies away."),
	LAT("dram.other_socket", dram_other_socket, "250ns", EH_ASSUMED,
	    "remote memory of current dual-socket hosts, 220-280 ns",
	    "Memory of another socket of the group."),
	LAT("dram.far_socket", dram_far_socket, "350ns", EH_ASSUMED,
	    "two links instead of one; only hosts of more than one group of sockets use it",
	    "Memory of a socket of another group."),
	{"latency.request_percent", EH_KEY_INT, AT(latency.request_percent), "50", "0", "100",
	 .origin = EH_ASSUMED,
	 .source = "there and back take equally long; gives 28.5 ns per contended fetch-add on the 8176, "
		   "published 22-36",
	 .help = "Percent of a transfer that are the way of the request. A request that waits for its turn "
		 "has it behind it and pays the rest only."},
	LAT("residency", residency, "0ns", EH_ASSUMED,
	    "no time beyond the operation that asked for the line",
	    "A core keeps a line it has just got at least this long, whoever waits for it."),
	LAT("reread", reread, "20ns", EH_ASSUMED,
	    "a core that hands out one line answers faster than one transfer takes; not published",
	    "Spinners that lost their copies of one line are served this far apart; one for all threads "
	    "of a core."),
	LAT("home_service", home_service, "0ns", EH_ASSUMED, "no queueing at the home",
	    "Transfers of modified lines with the same home die queue there; each takes this long."),
	LAT("link_service", link_service, "0ns", EH_ASSUMED, "no queueing at the links",
	    "Transfers between sockets of modified lines with the same home die queue there, too; "
	    "each takes this long."),
#undef LAT
	{"idle_exit", EH_KEY_TIME, AT(idle_exit), "1us", "0ns", "10ms", .origin = EH_ASSUMED,
	 .source = "exit latency of C1 as the intel_idle tables state it (1-2 us)",
	 .help = "From an interrupt on an idle CPU to its first instruction."},
	{"ipi", EH_KEY_TIME, AT(ipi), "500ns", "0ns", "1ms", .origin = EH_ASSUMED,
	 .source = "round trips of about 1 us are common on dual sockets",
	 .help = "From sending a reschedule interrupt to its arrival."},
	{.name = NULL},
};

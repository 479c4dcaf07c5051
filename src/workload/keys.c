/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/lock.h>
#include <ehsim/workload.h>

#define AT(field) offsetof(struct eh_workload_config, field)

static const char *kind_word(int i)
{
	return eh_workload_kinds[i].name;
}

static const char *lock_word(int i)
{
	return eh_lock_kinds[i] ? eh_lock_kinds[i]->name : NULL;
}

static const char *const setup_words[] = {"home", "spread", NULL};
static const char *const bind_words[] = {"none", "no_port", "port", NULL};
static const char *const placement_words[] = {"cores", "spread", "siblings", NULL};
static const char *const op_words[] = {"fetch_add",	"ping_pong", "one_writer",
				       "false_sharing", "padded",    "sequential", NULL};
static const char *const pair_words[] = {"smt",	    "same_die",	    "adjacent_die", "far_die",
					 "other_socket", "far_socket", NULL};
static const char *const access_words[] = {"add", "store", NULL};
static const char *const order_words[] = {"parallel", "chained", NULL};
static const char *const distribution_words[] = {"fixed", "exponential", NULL};
static const char *const read_words[] = {"rcu",	    "srcu",  "refcount", "rwlock2004",
					 "qrwlock", "rwsem", "seqlock",	 NULL};
static const char *const protection_words[] = {"none", "global", "bucket", "rcu", NULL};
static const char *const rcu_words[] = {"call_rcu", "kfree_rcu", "synchronize", "expedited", NULL};
static const char *const family_words[] = {"ipv4", "ipv6", NULL};
static const char *const given_words[] = {"given", "chosen", NULL};
static const char *const caches_words[] = {"cold", "warm", NULL};
static const char *const slab_words[] = {"concurrent", "remote", "bulk", "pair", NULL};
static const char *const irq2004_words[] = {"rotating", "flow", "one", NULL};
static const char *const end2004_words[] = {"time_wait", "reset", NULL};
static const char *const medium_words[] = {"hub", "switch", NULL};
static const char *const irq_stack2004_words[] = {"rotating", "random", "fixed", NULL};
static const char *const target_words[] = {"spread", "one", NULL};

/* Sizes of an experiment have no origin but the user's choice. */
#define CHOICE(name, field, kinds, def, low, high, text)                                           \
	{name, kinds, AT(field), def, low, high, .origin = EH_CHOSEN, .source = "", .help = text}
#define WORD(name, field, def, list, text)                                                         \
	{name, EH_KEY_ENUM, AT(field), def, .words = list, .origin = EH_CHOSEN, .source = "",      \
	 .help = text}

#define TRANSFER(name, field, kinds, def, low, high, from, text)                                   \
	{"transfer." name, kinds, AT(transfer.field), def, low, high, .origin = EH_ASSUMED,        \
	 .source = from, .help = text}

const struct eh_key eh_workload_keys[] = {
	{"kind", EH_KEY_ENUM, AT(kind), "tcp_crr", .word = kind_word, .origin = EH_CHOSEN,
	 .source = "",
	 .help = "What the hosts run: neper's tcp_crr or tcp_stream between two, or on one host a loop of the "
		 "laboratory, whose keys stand below its name."},
	{"threads", EH_KEY_INT, AT(threads), "1", "1", "65534", .origin = EH_CHOSEN, .source = "",
	 .help = "Client threads (neper -T); of a laboratory kind, those in its loop."},
	{"server_threads", EH_KEY_INT, AT(server_threads), "1", "1", "65534", .origin = EH_CHOSEN,
	 .source = "",
	 .help = "Server threads, each with its own SO_REUSEPORT listener (neper -T)."},
	{"flows", EH_KEY_INT, AT(flows), "1", "1", "10000000", .origin = EH_CHOSEN, .source = "",
	 .help = "Connections kept busy, dealt evenly to the threads (neper -F)."},
	{"request", EH_KEY_SIZE, AT(request), "1B", "1B", "1460B", .origin = EH_CHOSEN,
	 .source = "neper -Q", .help = "Bytes per request; one segment."},
	{"response", EH_KEY_SIZE, AT(response), "1B", "1B", "1460B", .origin = EH_CHOSEN,
	 .source = "neper -R", .help = "Bytes per response; one segment."},
	{"server_ports", EH_KEY_INT, AT(server_ports), "1", "1", "64", .origin = EH_CHOSEN,
	 .source = "",
	 .help = "Server ports, from 12867 on (neper --num-ports). Each server thread listens on all; the "
		 "flows go to them in turn, and the client's port search has a cursor for each."},
	{"server_addresses", EH_KEY_INT, AT(server_addresses), "1", "1", "64",
	 .origin = EH_CHOSEN, .source = "",
	 .help = "Addresses of the server; the flows go to them in turn, for each of the ports."},
	{"local_bind", EH_KEY_ENUM, AT(local_bind), "none", .words = bind_words,
	 .origin = EH_CHOSEN, .source = "",
	 .help = "Does the client bind() its address before it connects? no_port: yes, with "
		 "IP_BIND_ADDRESS_NO_PORT, so that connect() chooses the port (neper -L). port: "
		 "without that option, so that bind() chooses it."},
	{"source_port", EH_KEY_INT, AT(source_port), "0", "0", "65535", .origin = EH_CHOSEN,
	 .source = "",
	 .help = "Local port of the first flow, which the client binds; each further flow's is one larger "
		 "(neper --source-port). 0: none."},
	{"port_low", EH_KEY_INT, AT(port_low), "0", "0", "65535", .origin = EH_CHOSEN,
	 .source = "",
	 .help = "IP_LOCAL_PORT_RANGE of the client's sockets, first port; within kernel.port_low and "
		 "port_high. The search then looks at every port in one pass. 0: not set."},
	{"port_high", EH_KEY_INT, AT(port_high), "0", "0", "65535", .origin = EH_CHOSEN,
	 .source = "", .help = "IP_LOCAL_PORT_RANGE, last port. 0: not set."},
	{"reconnect", EH_KEY_BOOL, AT(reconnect), "yes", .origin = EH_CHOSEN, .source = "neper tcp_rr",
	 .help = "A connection for each transaction, as neper's tcp_crr does; no: each flow keeps its "
		 "connection and sends the next request on it, as neper's tcp_rr does."},
	{"time_wait", EH_KEY_BOOL, AT(time_wait), "no", .origin = EH_CHOSEN,
	 .source = "neper --time-wait",
	 .help = "The client closes with a FIN and keeps each port in TIME_WAIT; else with a reset "
		 "(SO_LINGER{1,0})."},
	{"listen_backlog", EH_KEY_INT, AT(listen_backlog), "128", "0", "65535", .origin = EH_PUBLISHED,
	 .source = "default of neper --listen-backlog",
	 .help = "Connections that wait in a listener's accept queue; one more is let in."},
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

	{"start_within", EH_KEY_TIME, AT(start_within), "10us", "0ns", "10s", .origin = EH_ASSUMED,
	 .source = "threads of a benchmark are made or woken one after another, microseconds apart",
	 .help = "The threads of a laboratory kind begin at random instants within this time."},
	WORD("placement", placement, "cores", placement_words,
	     "Laboratory: which CPUs the threads are pinned to. cores: as Linux counts CPUs, the "
	     "first threads of all cores, then the second ones. spread: die by die in turn. "
	     "siblings: both threads of a core, then of the next."),
	WORD("line.op", line.op, "fetch_add", op_words,
	     "What threads do with the line. fetch_add: all add to one word. ping_pong: two CPUs "
	     "hand a word to and fro. one_writer: one stores, the others load. false_sharing: each "
	     "has a word of its own in one line. padded: the same, a line each. sequential: each "
	     "reads twice what its L2 holds, line after line."),
	WORD("line.pair", line.pair, "same_die", pair_words,
	     "Partner of CPU 0 in a ping_pong: the first CPU of that class."),
	CHOICE("line.home", line.home, EH_KEY_INT, "0", "0", "254",
	       "Die whose memory the line lies in; padded lines lie with their threads."),
	CHOICE("line.writes", line.writes, EH_KEY_INT, "0", "0", "100000000",
	       "one_writer: instructions between two stores, at core.width."),
	WORD("line.access", line.access, "add", access_words,
	     "How a word is counted up in false_sharing and padded: by a locked add or by a plain "
	     "store."),
	{"lock.kind", EH_KEY_ENUM, AT(lock.kind), "queued", .word = lock_word, .origin = EH_CHOSEN,
	 .source = "", .help = "The lock under test."},
	CHOICE("lock.locks", lock.locks, EH_KEY_INT, "1", "1", "1000000",
	       "How many there are; a thread takes a random one each time."),
	CHOICE("lock.inside", lock.inside, EH_KEY_INT, "0", "0", "100000000",
	       "Instructions while the lock is held, at core.path_ipc."),
	CHOICE("lock.outside", lock.outside, EH_KEY_INT, "0", "0", "100000000",
	       "Instructions between release and the next attempt, at core.path_ipc."),
	CHOICE("lock.touch", lock.touch, EH_KEY_INT, "0", "0", "1000",
	       "Lines that belong to the lock and are read and written while it is held."),
	WORD("lock.touch_order", lock.touch_order, "parallel", order_words,
	     "Whether their addresses are known from the start, or each is found through the one "
	     "before, as in a list."),
	WORD("lock.distribution", lock.distribution, "exponential", distribution_words,
	     "Whether inside and outside are always as long, or exponential with that mean. Threads "
	     "with fixed lengths fall into step: what comes out then depends on how they began."),
	CHOICE("lock.shared", lock.shared, EH_KEY_INT, "0", "0", "1000",
	       "Locked operations on one line that all threads share, outside the lock, per "
	       "acquisition: a reference count that everybody takes and drops."),
	CHOICE("lock.per_op", lock.per_op, EH_KEY_INT, "1", "1", "1000",
	       "Acquisitions (each with its inside and outside) that make one operation."),
	WORD("read_side.kind", read_side.kind, "rcu", read_words, "What protects the read section."),
	CHOICE("read_side.body", read_side.body, EH_KEY_INT, "3", "1", "100000000",
	       "Instructions of a section, the loop's own included, at core.width."),
	CHOICE("read_side.writers", read_side.writers, EH_KEY_INT, "0", "0", "65534",
	       "So many of the threads update instead; readers then load what they write."),
	WORD("hash.protection", hash.protection, "none", protection_words,
	     "none: lookups without any. global: one lock. bucket: a lock in the line of each bucket. "
	     "rcu: lookups without lock, updates under the bucket's."),
	{"hash.lock", EH_KEY_ENUM, AT(hash.lock), "queued", .word = lock_word, .origin = EH_CHOSEN,
	 .source = "", .help = "Kind of the lock or locks."},
	CHOICE("hash.buckets", hash.buckets, EH_KEY_INT, "1024", "1", "4194304",
	       "Buckets; the head of each has a line of its own."),
	CHOICE("hash.elements", hash.elements, EH_KEY_INT, "1024", "1", "4194304",
	       "Elements in the table, a line each, in chains of equal length."),
	CHOICE("hash.home", hash.home, EH_KEY_INT, "0", "-1", "254",
	       "Die that table and elements lie in: that of the thread which filled it. -1: page by "
	       "page in turn over all dies."),
	CHOICE("hash.updates", hash.updates, EH_KEY_SHARE, "0%", "0%", "100%",
	       "Share of the operations that take an element out and put it in again."),
	WORD("hash.target", hash.target, "spread", target_words,
	     "spread: a random element each time. one: all threads look for the same one."),
	CHOICE("hash.instr", hash.instr, EH_KEY_INT, "30", "0", "100000000",
	       "Instructions of an operation beside its loads, at core.path_ipc."),
	CHOICE("ehash2004.connections", ehash2004.connections, EH_KEY_INT, "1", "1", "1000000",
	       "Connections at a time."),
	CHOICE("ehash2004.rate", ehash2004.rate, EH_KEY_INT, "0", "0", "100000000",
	       "Packets per second, of all connections; each comes with an interrupt. 0: each thread takes them as "
	       "fast as it can."),
	WORD("ehash2004.irq", ehash2004.irq, "rotating", irq2004_words,
	     "Which CPU a packet comes to. rotating: any, whosever it is. flow: each connection's to one of "
	     "its own. one: all to the first."),
	CHOICE("ehash2004.lifetime", ehash2004.lifetime, EH_KEY_INT, "0", "0", "1000000000",
	       "Packets of a connection until it closes. 0: it never does."),
	WORD("ehash2004.end", ehash2004.end, "time_wait", end2004_words,
	     "How a connection ends: by way of TIME_WAIT, or at once (reset)."),
	CHOICE("ehash2004.tw_packets", ehash2004.tw_packets, EH_KEY_INT, "1", "0", "1000000",
	       "Packets that come to a connection in TIME_WAIT; the last one ends that, as the timer would."),
	CHOICE("ehash2004.walkers", ehash2004.walkers, EH_KEY_INT, "0", "0", "64",
	       "Threads, of workload.threads, that list the table all the time, as /proc/net/tcp does."),
	{"ehash2004.walk_lock", EH_KEY_BOOL, AT(ehash2004.walk_lock), "yes", .origin = EH_CHOSEN,
	 .source = "", .help = "Do these take the lock of each bucket?"},
	{"ehash2004.print", EH_KEY_INT, AT(ehash2004.print), "1500", "0", "1000000",
	 .origin = EH_ASSUMED, .source = "a line of 150 characters by sprintf; an estimate",
	 .help = "Instructions for an entry that is listed."},
	{"ehash2004.work", EH_KEY_INT, AT(ehash2004.work), "1000", "0", "100000000",
	 .origin = EH_ASSUMED, .source = "tcp_rcv_established and the queueing of a segment; an estimate",
	 .help = "Instructions for a packet under its socket's lock."},
	{"ehash2004.tw_work", EH_KEY_INT, AT(ehash2004.tw_work), "200", "0", "100000000",
	 .origin = EH_ASSUMED, .source = "tcp_timewait_state_process; an estimate",
	 .help = "Instructions for a packet to a connection in TIME_WAIT."},
	{"ehash2004.touch", EH_KEY_INT, AT(ehash2004.touch), "6", "0", "8", .origin = EH_ASSUMED,
	 .source = "sequence numbers, windows, queue and timers of a socket; an estimate",
	 .help = "Lines of the socket that a packet reads and writes."},
	{"ehash2004.interrupt", EH_KEY_INT, AT(ehash2004.interrupt), "1500", "0", "1000000",
	 .origin = EH_ASSUMED, .source = "handler of a 100 Mbit/s card, alloc_skb, netif_rx; an estimate",
	 .help = "Instructions of an interrupt, which brings a packet."},
	WORD("rcu.op", rcu.op, "call_rcu", rcu_words,
	     "What updaters do with the object they have replaced. call_rcu, kfree_rcu: hand it over. "
	     "synchronize: wait for a grace period, then free it. expedited: the same in a hurry."),
	CHOICE("rcu.updaters", rcu.updaters, EH_KEY_INT, "1", "0", "65534",
	       "The first so many threads update, the others read."),
	CHOICE("rcu.burst", rcu.burst, EH_KEY_INT, "1", "1", "10000000",
	       "Objects that an updater replaces in one operation."),
	CHOICE("rcu.pause", rcu.pause, EH_KEY_TIME, "0ns", "0ns", "1000s",
	       "Time that an updater sleeps after each operation."),
	CHOICE("rcu.section", rcu.section, EH_KEY_INT, "1000", "1", "1000000000",
	       "Instructions of a read section, in the kernel, at core.width."),
	CHOICE("rcu.sections", rcu.sections, EH_KEY_INT, "1", "1", "1000000000",
	       "Read sections of one operation, with cond_resched behind each."),
	WORD("rcu.distribution", rcu.distribution, "exponential", distribution_words,
	     "Whether read sections and stretches in user mode are always as long, or exponential with "
	     "that mean. Fixed lengths fall into step with the ticks."),
	CHOICE("rcu.calls", rcu.calls, EH_KEY_INT, "0", "0", "10000000",
	       "Objects that a reader replaces and hands to call_rcu in each operation."),
	CHOICE("rcu.user", rcu.user, EH_KEY_INT, "0", "0", "1000000000",
	       "Instructions in user mode that end an operation, of any thread."),
	CHOICE("rcu.sleep", rcu.sleep, EH_KEY_TIME, "0ns", "0ns", "1000s",
	       "Time that a reader sleeps after each operation."),
	WORD("bind.port", bind.port, "given", given_words,
	     "Which port bind() asks for. given: all the same one, each thread for an address of its "
	     "own. chosen: any, all for the same address, so that the kernel searches."),
	CHOICE("bind.bound", bind.bound, EH_KEY_INT, "0", "0", "1000000",
	       "Sockets that are bound already. given: to that port, each at another address. chosen: "
	       "to so many ports of the range, at the threads' address."),
	WORD("bind.family", bind.family, "ipv6", family_words,
	     "Address family: the addresses of IPv6 lie in a socket's second line."),
	WORD("bind.caches", bind.caches, "cold", caches_words,
	     "Where those sockets and their buckets are when bind() comes to them. cold: in memory, "
	     "other work has displaced them. warm: where the call before has left them."),
	WORD("slab.op", slab.op, "pair", slab_words,
	     "concurrent: all threads allocate slab.count objects each, then all free them. remote: the "
	     "first of two threads allocates, the second frees. bulk: slab.bulk by one call, and freed by "
	     "one. pair: one object, freed at once."),
	CHOICE("slab.size", slab.size, EH_KEY_SIZE, "256B", "8B", "128KiB", "Of an object."),
	CHOICE("slab.count", slab.count, EH_KEY_INT, "1000", "1", "10000000",
	       "concurrent: objects of one thread. remote: at most so many of a pair are on their way."),
	CHOICE("slab.bulk", slab.bulk, EH_KEY_INT, "16", "1", "100000",
	       "bulk: objects of one call. remote: so many are handed over at a time."),
	CHOICE("slab.rounds", slab.rounds, EH_KEY_INT, "0", "0", "1000000",
	       "concurrent: so often, then the threads sleep; 0: without end."),
	CHOICE("syn_flood.backlog", syn_flood.backlog, EH_KEY_INT, "128", "0", "65535",
	       "Open requests of the listener; all further SYNs are answered with cookies."),
	CHOICE("tcp_stream.write", tcp_stream.write, EH_KEY_SIZE, "16KiB", "1B", "16MiB",
	       "Bytes of the client's system calls (neper --buffer-size)."),
	CHOICE("tcp_stream.read", tcp_stream.read, EH_KEY_SIZE, "16KiB", "1B", "16MiB",
	       "Bytes of the server's, at most (neper --buffer-size; netperf's TCP_STREAM: 128 KiB)."),
	CHOICE("tcp_stream.chain", tcp_stream.chain, EH_KEY_INT, "0", "0", "4096",
	       "Idle sockets in front of the stream's in its chain of the server's established table."),
	CHOICE("chain.length", chain.length, EH_KEY_INT, "1", "0", "4096",
	       "Idle sockets in front of the stream's in its chain of the established table."),
	CHOICE("chain.payload", chain.payload, EH_KEY_INT, "0", "0", "1000000",
	       "Lines of payload that the CPU reads per packet, one after the other."),
	CHOICE("chain.instr", chain.instr, EH_KEY_INT, "30000", "0", "100000000",
	       "Instructions of a packet beside lookup and payload, at core.path_ipc."),
	WORD("transfer.medium", transfer.medium, "hub", medium_words,
	     "hub: one half-duplex medium with collisions. switch: full duplex, none."),
	WORD("transfer.irq", transfer.stack.irq, "rotating", irq_stack2004_words,
	     "Which CPU takes the adapter's next interrupt. rotating: the next in turn that is in no "
	     "handler, as the APIC bus arbitrates among equals when nobody balances interrupts. random: "
	     "any. fixed: transfer.irq_cpu."),
	CHOICE("transfer.irq_cpu", transfer.stack.irq_cpu, EH_KEY_INT, "0", "0", "65534",
	       "irq: fixed: this CPU takes all of them."),
	CHOICE("transfer.reader_cpu", transfer.reader_cpu, EH_KEY_INT, "1", "0", "65534",
	       "Where the receiving program runs; it does not move."),
	{"transfer.size", EH_KEY_SIZE, AT(transfer.size), "526MB", "1B", "1000GB",
	 .origin = EH_PUBLISHED, .source = "the measurement of 2004: a file of 526 MB",
	 .help = "Bytes of a file."},
	TRANSFER("segment", stack.segment, EH_KEY_SIZE, "1448B", "1B", "1448B",
		 "1500 bytes less IP, TCP and timestamps", "Bytes of a full segment."),
	TRANSFER("window", stack.window, EH_KEY_SIZE, "64KiB", "2KiB", "16MiB",
		 "recalled: net.ipv4.tcp_rmem of 2.6.8 is 87380, a quarter of it for overhead",
		 "Receive buffer, as far as it is window."),
	TRANSFER("ack_every", stack.ack_every, EH_KEY_INT, "2", "1", "64",
		 "every second full segment, as TCP has to", "Segments per ACK."),
	TRANSFER("delack", stack.delack, EH_KEY_TIME, "40ms", "1us", "10s",
		 "recalled: TCP_DELACK_MIN", "An ACK for less waits at most this long."),
	TRANSFER("ring", stack.ring, EH_KEY_INT, "64", "2", "4096",
		 "recalled: receive rings of 10/100 adapters had 16 to 256", "Receive buffers."),
	TRANSFER("mmio", stack.mmio, EH_KEY_TIME, "1us", "0ns", "100us",
		 "recalled: a read across a 33 MHz PCI bus took 0.5 to 1 us",
		 "Reading a register of the adapter."),
	{"transfer.checksum", EH_KEY_BOOL, AT(transfer.stack.checksum), "no", .origin = EH_ASSUMED,
	 .source = "recalled: 10/100 adapters left it to the CPU",
	 .help = "The adapter checks TCP's checksum."},
	TRANSFER("csum", stack.csum, EH_KEY_INT, "12", "0", "10000",
		 "an add with carry and a load per four bytes, and the loop", "csum_partial: instructions per line."),
	TRANSFER("copy", stack.copy, EH_KEY_INT, "16", "0", "10000",
		 "load and store per four bytes", "Copying to user space: instructions per line."),
	TRANSFER("netif_rx", stack.netif_rx, EH_KEY_INT, "150", "1", "100000",
		 "size of the path, an estimate", "Handing a frame to a CPU's backlog, with its time stamp: instructions."),
	TRANSFER("read", read, EH_KEY_SIZE, "8KiB", "1B", "16MiB", "recalled: OpenSSH of the time read 8 KiB",
		 "Bytes that the program asks for at once."),
	TRANSFER("decrypt", decrypt, EH_KEY_INT, "40", "0", "10000",
		 "AES-128-CBC at 25 to 30 and HMAC-MD5 at 8 to 10 cycles per byte, typical of the time",
		 "Cycles per byte of user code: decryption, checking, copies."),
	TRANSFER("file", file, EH_KEY_INT, "3", "0", "10000",
		 "three copies, through the pipe to scp and into the page cache, an instruction a byte",
		 "Instructions per byte, in the kernel, until the file has it."),
	TRANSFER("encrypt", encrypt, EH_KEY_TIME, "30us", "0ns", "1s",
		 "35 cycles per byte at 1.2 GHz, the sender's clock", "The sender's time per KiB."),
	TRANSFER("reply", reply, EH_KEY_TIME, "50us", "0ns", "1s", "interrupt, softirq and transmission of a host of the time",
		 "From the arrival of an ACK at the sender to what it lets go."),
	{.name = NULL},
};

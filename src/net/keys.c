/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/config.h>
#include <ehsim/slab.h>

#define AT(field) offsetof(struct eh_kernel_config, field)

static const char *const connect_words[] = {"S0", "S1", "S2", "S3", NULL};
static const char *const lock_words[] = {"queued", "ticket", NULL};
static const char *const refill_words[] = {"lockless", "locked", NULL};
static const char *const skb_caches_words[] = {"two", "one", NULL};
static const char *const bulk_words[] = {"detached", "each", NULL};
static const char *const switch_words[] = {"by_state", "off", "on", NULL};
static const char *const rcu_kind_words[] = {"tree", "classic", NULL};
static const char *const lookup2004_words[] = {"rwlock", "spin", "rcu", "nulls", NULL};
static const char *const dance2004_words[] = {"remove_add", "add_remove", "tombstone", NULL};
static const char *const put2004_words[] = {"by_lookup", "direct", "jump", "loop", NULL};
static const char *const steering_words[] = {"off", "rps", "rfs", NULL};
static const char *const irqs_words[] = {"spread", "local", NULL};
static const char *const place_words[] = {"hash", "cpu", "node", "other_node", NULL};
static const char *const family_words[] = {"ipv4", "ipv6", NULL};

#define COUNTED "counted from the algorithm as v6.12 compiles it; an estimate"
#define TRACED                                                                                      \
	"callgrind over a loop of the same steps, gcc 12 -O2 with endbr64 and room for ftrace; "   \
	"a compare and its branch are one micro-op"
#define SIZED "size of the path in instructions, from typical traces; an estimate"

#define SCAN(name, field, def, text)                                                               \
	{"cost." name, EH_KEY_INT, AT(cost.field), def, "1", "100000", .origin = EH_ASSUMED,       \
	 .source = COUNTED, .help = text}
#define LOOP(name, field, def, text)                                                               \
	{"cost." name, EH_KEY_INT, AT(cost.field), def, "0", "100000", .origin = EH_MEASURED,      \
	 .source = TRACED, .help = text}
#define PATH(name, def, text)                                                                      \
	{"cost." #name, EH_KEY_INT, AT(cost.name), def, "1", "10000000", .origin = EH_ASSUMED,     \
	 .source = SIZED, .help = text}

#define RCU(name, field, kinds, def, low, high, from, text)                                        \
	{"rcu." name, kinds, AT(rcu.field), def, low, high, .origin = EH_PUBLISHED,                \
	 .source = "v6.12: " from, .help = text}

#define EHASH2004(name, def, text)                                                                 \
	{"ehash2004." #name, EH_KEY_INT, AT(ehash2004.name), def, "1", "1000000",                  \
	 .origin = EH_ASSUMED, .source = "counted from the description of 2.6.11; an estimate",    \
	 .help = text}
#define RECALLED2004 "recalled of 2.6.8 on i386"

const struct eh_key eh_kernel_keys[] = {
	{"connect", EH_KEY_ENUM, AT(connect), "S0", .words = connect_words, .origin = EH_CHOSEN,
	 .source = "",
	 .help = "State of the port search. S0: v6.12, bind and ehash lock per candidate. S1: lockless "
		 "RCU walk first (series 'tcp: scale connect() under pressure', March 2025). S2: and the "
		 "hash linear in the local port. S3: and computed once per connect (v6.15)."},
	{"rcu_check", EH_KEY_ENUM, AT(rcu_check), "by_state", .words = switch_words,
	 .origin = EH_CHOSEN, .source = "",
	 .help = "The port search looks a candidate up in its established chain under RCU and takes the "
		 "ehash lock only when nothing is there, or a TIME_WAIT socket; by_state: from S1 on. With S0 it is the first patch "
		 "of S1's series alone: the bhash lock is still taken per candidate."},
	{"rcu_bind_walk", EH_KEY_ENUM, AT(rcu_bind_walk), "by_state", .words = switch_words,
	 .origin = EH_CHOSEN, .source = "",
	 .help = "The port search walks the bind buckets of a candidate under RCU and takes the bhash lock "
		 "only of one that may be free; bind buckets are freed after a grace period; by_state: from "
		 "S1 on (the series' last two patches). Without rcu_check this look takes the ehash lock."},
	{"linear_port_hash", EH_KEY_ENUM, AT(linear_port_hash), "by_state", .words = switch_words,
	 .origin = EH_CHOSEN, .source = "",
	 .help = "The established hash adds the local port instead of mixing it in ('inet: change lport "
		 "contribution to inet_ehashfn() and inet6_ehashfn()'): neighbours share a line."},
	{"hash_once", EH_KEY_ENUM, AT(hash_once), "by_state", .words = switch_words,
	 .origin = EH_CHOSEN, .source = "",
	 .help = "The port search computes the hash for port 0 once and adds each port ('inet: call "
		 "inet6_ehashfn() once from inet6_hash_connect()'); needs linear_port_hash."},
	{"spread_ehash_locks", EH_KEY_ENUM, AT(spread_ehash_locks), "by_state",
	 .words = switch_words, .origin = EH_CHOSEN, .source = "",
	 .help = "The lock array of the established table has at least one page per die, and its pages lie "
		 "on all dies in turn (v6.15). off: one block, on kernel.ehash_locks_die. by_state: off in "
		 "all four."},
	{"bhash2", EH_KEY_ENUM, AT(bhash2), "by_state", .words = switch_words,
	 .origin = EH_CHOSEN, .source = "",
	 .help = "The second bind table, by port and local address, with a lock nested in that of the first "
		 "(v6.1). off: as before, sockets hang on the bucket of their port, and bind() walks over "
		 "all of them. by_state: on in all four."},
	{"lock", EH_KEY_ENUM, AT(lock), "queued", .words = lock_words, .origin = EH_CHOSEN,
	 .source = "",
	 .help = "Spinlocks: queued or ticket, all of both hosts. queued: as since Linux 4.2. ticket: as in "
		 "2.6.25 to 4.1, in turn, with all who wait reading the lock's own line."},
	{"port_low", EH_KEY_INT, AT(port_low), "32768", "1", "65535", .origin = EH_PUBLISHED,
	 .source = "default of net.ipv4.ip_local_port_range",
	 .help = "First local port that connect() may choose."},
	{"port_high", EH_KEY_INT, AT(port_high), "60999", "1", "65535", .origin = EH_PUBLISHED,
	 .source = "default of net.ipv4.ip_local_port_range",
	 .help = "Last local port that connect() may choose."},
	{"reserved_ports", EH_KEY_STRING, AT(reserved_ports), "", .origin = EH_CHOSEN, .source = "",
	 .help = "net.ipv4.ip_local_reserved_ports: ports and ranges, \"8080,9000-9010\"."},
	{"timewait", EH_KEY_TIME, AT(timewait), "60s", "1ms", "1000s", .origin = EH_PUBLISHED,
	 .source = "v6.12: TCP_TIMEWAIT_LEN",
	 .help = "How long a connection that was closed by FIN from this side keeps its ports (TIME_WAIT)."},
	{"tcp_max_tw_buckets", EH_KEY_INT, AT(tcp_max_tw_buckets), "262144", "0", "100000000",
	 .origin = EH_PUBLISHED, .source = "v6.12: half of the established table's buckets",
	 .help = "TIME_WAIT sockets of a host; above, a connection ends without one."},
	{"tcp_tw_reuse", EH_KEY_INT, AT(tcp_tw_reuse), "2", "0", "2", .origin = EH_PUBLISHED,
	 .source = "default of net.ipv4.tcp_tw_reuse",
	 .help = "May connect() take the port of a TIME_WAIT socket with the same addresses and ports? 0: "
		 "never. 1: when both have timestamps and the clock has gone on to another second since its "
		 "last one. 2: the same, on the loopback interface only (which no host here has)."},
	{"tx_skb_cache", EH_KEY_BOOL, AT(tx_skb_cache), "off", .origin = EH_CHOSEN,
	 .source = "",
	 .help = "An ACK leaves one acknowledged socket buffer with the socket, and the next send() takes "
		 "it ('tcp: add one skb cache for tx', v5.2; a sysctl, off, until v5.15)."},
	{"rx_skb_cache", EH_KEY_BOOL, AT(rx_skb_cache), "off", .origin = EH_CHOSEN,
	 .source = "",
	 .help = "recv() leaves one read socket buffer with the socket, and the softirq that feeds the "
		 "socket frees it on its own CPU, where it was allocated ('tcp: add one skb cache for rx', "
		 "v5.2; a sysctl, off, until v5.15). Not with steering."},
	{"skb_cache_flush", EH_KEY_BOOL, AT(skb_cache_flush), "off", .origin = EH_CHOSEN, .source = "",
	 .help = "Memory pressure frees the buffers that sockets keep (tx_skb_cache, rx_skb_cache), as the "
		 "answer to the series asked for, and they keep none while it lasts. off: as in v5.2."},
	{"skb_flush_batch", EH_KEY_INT, AT(skb_flush_batch), "1024", "1", "1000000", .origin = EH_ASSUMED,
	 .source = "no such code exists; some 100 us of a softirq",
	 .help = "skb_cache_flush: sockets looked at in a jiffy."},
	{"tcp_pressure_at", EH_KEY_TIME, AT(tcp_pressure_at), "0ns", "0ns", "1000s", .origin = EH_CHOSEN,
	 .source = "", .help = "TCP comes under memory pressure at this time, on both hosts; 0: never."},
	{"tcp_pressure_for", EH_KEY_TIME, AT(tcp_pressure_for), "20ms", "1ms", "1000s", .origin = EH_CHOSEN,
	 .source = "", .help = "... and is so long."},
	{"skb_caches", EH_KEY_ENUM, AT(skb_caches), "two", .words = skb_caches_words,
	 .origin = EH_CHOSEN, .source = "",
	 .help = "two: skbuff_head_cache for received buffers and ACKs, skbuff_fclone_cache for what waits "
		 "for its ACK. one: all from the latter, as in the experiment that the series of 2019 tells of."},
	{"steering", EH_KEY_ENUM, AT(steering), "off", .words = steering_words, .origin = EH_CHOSEN,
	 .source = "",
	 .help = "Which CPU goes on with a received packet behind GRO. off: that of its receive queue. rps: "
		 "one that the flow's hash picks of all. rfs: the one on which the flow's socket was last "
		 "read or written. Over backlogs with locks, and interprocessor interrupts."},
	{"skb_defer", EH_KEY_BOOL, AT(skb_defer), "off", .origin = EH_CHOSEN, .source = "",
	 .help = "Buffers that have been read go to a list of the CPU that has allocated them, which frees "
		 "them ('net: generalize skb freeing deferral to per-cpu lists', v5.19). off: who has read "
		 "them frees them."},
	{"skb_defer_max", EH_KEY_INT, AT(skb_defer_max), "128", "1", "1000000", .origin = EH_PUBLISHED,
	 .source = "v5.19: skb_attempt_defer_free; 64, and half of it, since v6.x",
	 .help = "The buffer that makes the list so long sends an interrupt to have it freed."},
	{"tso", EH_KEY_BOOL, AT(tso), "on", .origin = EH_PUBLISHED, .source = "on in all drivers that have it",
	 .help = "Bulk data leave in socket buffers of up to 64 KiB, which the interface cuts. off: one "
		 "segment each."},
	{"gro", EH_KEY_BOOL, AT(gro), "on", .origin = EH_PUBLISHED, .source = "on by default",
	 .help = "Bulk segments of one flow that a poll finds in a row are merged, up to 64 KiB."},
	{"tcp_rmem", EH_KEY_SIZE, AT(tcp_rmem), "6MiB", "64KiB", "1GiB", .origin = EH_PUBLISHED,
	 .source = "v5.18: third value of net.ipv4.tcp_rmem",
	 .help = "Receive memory of a bulk socket, whole from the start; its window is half of what is left "
		 "of it."},
	{"tcp_wmem", EH_KEY_SIZE, AT(tcp_wmem), "4MiB", "64KiB", "1GiB", .origin = EH_PUBLISHED,
	 .source = "v5.18: third value of net.ipv4.tcp_wmem",
	 .help = "Send memory of a bulk socket, whole from the start: what has not been acknowledged, "
		 "sent or not."},
	{"tcp_timestamps", EH_KEY_BOOL, AT(tcp_timestamps), "yes", .origin = EH_PUBLISHED,
	 .source = "default of net.ipv4.tcp_timestamps",
	 .help = "Segments carry timestamps: 12 bytes each, and TIME_WAIT sockets can be told from what "
		 "follows them."},
	{"tcp_syn_timeout", EH_KEY_TIME, AT(tcp_syn_timeout), "1s", "1ms", "120s",
	 .origin = EH_PUBLISHED, .source = "RFC 6298; v6.12: TCP_TIMEOUT_INIT",
	 .help = "A SYN or SYN-ACK without an answer is sent again after this time, doubled each time."},
	{"tcp_syn_retries", EH_KEY_INT, AT(tcp_syn_retries), "6", "1", "127", .origin = EH_PUBLISHED,
	 .source = "default of net.ipv4.tcp_syn_retries",
	 .help = "So often; then connect() fails with ETIMEDOUT, and neper ends."},
	{"tcp_synack_retries", EH_KEY_INT, AT(tcp_synack_retries), "5", "0", "255",
	 .origin = EH_PUBLISHED, .source = "default of net.ipv4.tcp_synack_retries",
	 .help = "The same for a SYN-ACK; then its request is dropped."},
	{"tcp_retries2", EH_KEY_INT, AT(tcp_retries2), "15", "0", "255", .origin = EH_PUBLISHED,
	 .source = "default of net.ipv4.tcp_retries2",
	 .help = "The same for data and FIN; then the connection ends with ETIMEDOUT."},
	{"tcp_rto_min", EH_KEY_TIME, AT(tcp_rto_min), "200ms", "1ms", "120s", .origin = EH_PUBLISHED,
	 .source = "v6.12: TCP_RTO_MIN",
	 .help = "Data without an ACK is sent again after this time and the handshake's round trip, doubled "
		 "each time."},
	{"tcp_rto_max", EH_KEY_TIME, AT(tcp_rto_max), "120s", "1ms", "120s", .origin = EH_PUBLISHED,
	 .source = "v6.12: TCP_RTO_MAX", .help = "No retransmission waits longer."},
	{"tcp_delack_min", EH_KEY_TIME, AT(tcp_delack_min), "40ms", "1ms", "1s", .origin = EH_PUBLISHED,
	 .source = "v6.12: TCP_DELACK_MIN",
	 .help = "The ACK of a FIN waits so long for the own FIN to carry it."},
	{"tcp_abort_on_overflow", EH_KEY_BOOL, AT(tcp_abort_on_overflow), "no", .origin = EH_PUBLISHED,
	 .source = "default of net.ipv4.tcp_abort_on_overflow",
	 .help = "A handshake whose ACK finds the accept queue full is reset; else the ACK is dropped, and "
		 "the request waits for the next segment."},
	{"tcp_syncookies", EH_KEY_INT, AT(tcp_syncookies), "1", "0", "2", .origin = EH_PUBLISHED,
	 .source = "default of net.ipv4.tcp_syncookies",
	 .help = "SYNs that find more open requests than the accept queue holds. 0: are dropped. 1: are "
		 "answered with a cookie, and nothing is kept. 2: all SYNs are."},
	{"listener_refcount", EH_KEY_BOOL, AT(listener_refcount), "no", .origin = EH_PUBLISHED,
	 .source = "off since v4.7: 'tcp/dccp: do not touch listener sk_refcnt under synflood'",
	 .help = "A lookup that ends at a listener takes a reference, and gives it back behind the packet: "
		 "a cmpxchg (again when another came between) and a decrement of one line per SYN."},
	{"synack_owner", EH_KEY_BOOL, AT(synack_owner), "no", .origin = EH_PUBLISHED,
	 .source = "off since v4.7: 'tcp: do not mess with listener sk_wmem_alloc'",
	 .help = "A SYN-ACK with a cookie counts against the listener's write memory until it has been sent: "
		 "two locked operations on another line per SYN."},
	{"hz", EH_KEY_INT, AT(hz), "1000", "100", "1000", .origin = EH_ASSUMED,
	 .source = "common server configuration", .help = "Timer interrupts per second, CONFIG_HZ."},
	{"softirq_restart", EH_KEY_INT, AT(softirq_restart), "10", "1", "1000", .origin = EH_PUBLISHED,
	 .source = "MAX_SOFTIRQ_RESTART", .help = "Rounds of softirqs in a row before ksoftirqd takes over."},
	{"softirq_time", EH_KEY_TIME, AT(softirq_time), "2ms", "0ns", "1s", .origin = EH_PUBLISHED,
	 .source = "MAX_SOFTIRQ_TIME", .help = "... and no new round after this time."},
	{"allocator", EH_KEY_ENUM, AT(allocator), "slub", .word = eh_kmem_kind_name,
	 .origin = EH_CHOSEN, .source = "",
	 .help = "Where kernel objects come from. slub: a CPU's slab, partial lists, remote frees into the "
		 "slab itself. slab: arrays per CPU and node, alien arrays (up to v6.4)."},
	{"alien", EH_KEY_BOOL, AT(alien), "on", .origin = EH_PUBLISHED,
	 .source = "on unless the kernel is booted with noaliencache",
	 .help = "SLAB: objects of other nodes are gathered in alien arrays. off: each goes home by itself, "
		 "under the owner node's list_lock."},
	{"alien_limit", EH_KEY_INT, AT(alien_limit), "12", "1", "1024", .origin = EH_PUBLISHED,
	 .source = "mm/slab.c, v5.0: 12 for every cache",
	 .help = "SLAB: objects of an alien array; a full one is drained."},
	{"slab_refill", EH_KEY_ENUM, AT(slab_refill), "lockless", .words = refill_words,
	 .origin = EH_CHOSEN, .source = "",
	 .help = "SLAB, when the node has no free object: lockless (v4.7) makes a new slab after a look without "
		 "lock and fills the CPU's array from it. locked: list_lock for the look, the colour, the "
		 "list of free slabs, and to take from it."},
	{"slub_bulk", EH_KEY_ENUM, AT(slub_bulk), "detached", .words = bulk_words, .origin = EH_CHOSEN,
	 .source = "",
	 .help = "SLUB, bulk free: detached gives back the objects of one slab by one operation (v4.5). "
		 "each: one by one."},
	{"pcp_batch", EH_KEY_INT, AT(pcp_batch), "63", "1", "8192", .origin = EH_PUBLISHED,
	 .source = "mm/page_alloc.c, v6.1: a zone of 256 MiB or more",
	 .help = "Pages that move between a CPU's list and the zone at a time."},
	{"pcp_high", EH_KEY_INT, AT(pcp_high), "378", "1", "1048576", .origin = EH_PUBLISHED,
	 .source = "v5.0: 6 batches; since v5.14 it grows with the zone's size per CPU",
	 .help = "Pages on a CPU's list of one zone from which on a batch goes back."},
	{"pcp_order", EH_KEY_INT, AT(pcp_order), "3", "0", "10", .origin = EH_PUBLISHED,
	 .source = "since v5.14 blocks up to PAGE_ALLOC_COSTLY_ORDER, before that single pages only",
	 .help = "Largest order of the blocks on a CPU's list; larger ones take the zone's lock each time."},
	{"ehash_buckets", EH_KEY_INT, AT(ehash_buckets), "524288", "16", "16777216",
	 .origin = EH_PUBLISHED, .source = "v6.12: one per 128 KiB of memory, at most 524288",
	 .help = "Buckets of the established table (a power of two)."},
	{"ehash_locks_die", EH_KEY_INT, AT(ehash_locks_die), "0", "0", "63",
	 .origin = EH_PUBLISHED,
	 .source = "up to v6.14 the lock array is one block, on one node",
	 .help = "Die that holds the lock array of the established table, unless spread_ehash_locks."},
	{"rcu.kind", EH_KEY_ENUM, AT(rcu.kind), "tree", .words = rcu_kind_words, .origin = EH_CHOSEN,
	 .source = "",
	 .help = "tree: as since Linux 2.6.29. classic: as in 2.6.8, one mask of all CPUs under one lock, "
		 "driven by ticks, which idle CPUs have too; no scans, flags, batches of kfree_rcu or "
		 "expedited grace periods; of the keys below it takes blimit (maxbatch then)."},
	RCU("leaf_fanout", leaf_fanout, EH_KEY_INT, "16", "2", "64", "CONFIG_RCU_FANOUT_LEAF",
	    "CPUs per leaf of the tree of rcu_nodes."),
	RCU("fanout", fanout, EH_KEY_INT, "64", "2", "64", "CONFIG_RCU_FANOUT, 64 bit",
	    "Nodes per inner node."),
	RCU("first_fqs", first_fqs, EH_KEY_INT, "-1", "-1", "1000", "rcutree.jiffies_till_first_fqs",
	    "Jiffies from the start of a grace period to its first scan; -1: 1, and 1 more each above HZ "
	    "250 and 500, and per 256 CPUs."),
	RCU("next_fqs", next_fqs, EH_KEY_INT, "-1", "-1", "1000", "rcutree.jiffies_till_next_fqs",
	    "Jiffies between later scans; -1: as first_fqs."),
	RCU("sched_qs", sched_qs, EH_KEY_INT, "-1", "-1", "100000",
	    "rcutree.jiffies_till_sched_qs",
	    "Age in jiffies behind which scans set the urgent flag, and at twice that the heavy one; -1: "
	    "first_fqs + 2 next_fqs, at least HZ / 10 + cpus / 256."),
	RCU("blimit", blimit, EH_KEY_INT, "10", "1", "1000000", "rcutree.blimit",
	    "Callbacks invoked per round while the CPU has other work."),
	RCU("divisor", divisor, EH_KEY_INT, "7", "0", "62", "rcutree.rcu_divisor",
	    "... or, if that is more, those that are ready over 2 to this power."),
	RCU("qhimark", qhimark, EH_KEY_INT, "10000", "1", "1000000000", "rcutree.qhimark",
	    "So many callbacks on a CPU are invoked without limit, and hurry the grace period."),
	RCU("qlowmark", qlowmark, EH_KEY_INT, "100", "0", "1000000000", "rcutree.qlowmark",
	    "With so few the limit is blimit again."),
	RCU("qovld", qovld, EH_KEY_INT, "20000", "1", "1000000000", "rcutree.qovld, twice qhimark",
	    "So many callbacks are an overload: scans come three times as often and set both flags."),
	RCU("resched", resched, EH_KEY_TIME, "3ms", "100us", "1s", "rcutree.rcu_resched_ns",
	    "A batch of more than 100 callbacks ends after this time."),
	RCU("drain", drain, EH_KEY_TIME, "5s", "1ms", "1000s", "KFREE_DRAIN_JIFFIES",
	    "kfree_rcu: objects that do not fill a page wait at most this long for their grace period "
	    "to be asked for."),
	{"rcu.user_eqs", EH_KEY_BOOL, AT(rcu.user_eqs), "no", .origin = EH_PUBLISHED,
	 .source = "CONFIG_NO_HZ_FULL is off in common configurations",
	 .help = "User mode is an extended quiescent state, as on nohz_full CPUs: scans find it like idle. "
		 "What switching costs then is not modelled, and CPUs still tick."},
	{"ehash2004.lookup", EH_KEY_ENUM, AT(ehash2004.lookup), "rwlock", .words = lookup2004_words,
	 .origin = EH_CHOSEN, .source = "",
	 .help = "The established table of 2004: what a lookup takes. rwlock: the bucket's read lock, as 2.6.8. "
		 "spin: a spinlock. rcu: none, objects are freed behind a grace period, as the patch "
		 "of August 2004. nulls: none, memory is reused at once, as 2.6.29."},
	{"ehash2004.dance", EH_KEY_ENUM, AT(ehash2004.dance), "add_remove", .words = dance2004_words,
	 .origin = EH_CHOSEN, .source = "",
	 .help = "How a socket gets to TIME_WAIT's half, under its bucket's lock. remove_add: out of one "
		 "chain, then into the other, as 2.6.8. add_remove: the other way round with a barrier, as the "
		 "patch. tombstone: an entry in its place at which lookups wait, as a reply proposes."},
	{"ehash2004.put", EH_KEY_ENUM, AT(ehash2004.put), "by_lookup", .words = put2004_words,
	 .origin = EH_CHOSEN, .source = "",
	 .help = "Who gives the last reference back: direct: frees at once. jump, loop: raises it again and "
		 "calls call_rcu, as the patch's first and second mail write it. by_lookup: loop with "
		 "lookup: rcu, else direct."},
	{"ehash2004.line_size", EH_KEY_SIZE, AT(ehash2004.line_size), "32B", "32B", "128B",
	 .origin = EH_ASSUMED, .source = "recalled: Pentium III",
	 .help = "Bytes of this host's cache lines: how many buckets of eight bytes share one, and which "
		 "lines of a socket hold what. 64 on hosts of today."},
	{"ehash2004.sock_size", EH_KEY_SIZE, AT(ehash2004.sock_size), "1024B", "352B", "4096B",
	 .origin = EH_ASSUMED, .source = RECALLED2004, .help = "A TCP socket."},
	{"ehash2004.tw_size", EH_KEY_SIZE, AT(ehash2004.tw_size), "128B", "128B", "4096B",
	 .origin = EH_ASSUMED, .source = RECALLED2004, .help = "A TIME_WAIT bucket."},
	EHASH2004(find, "24", "A lookup beside its accesses, matches and locks: call, hash, return."),
	EHASH2004(match, "8", "Comparing one entry."),
	EHASH2004(insert, "30", "__tcp_v4_hash beside its accesses."),
	EHASH2004(unhash, "40", "tcp_unhash or tcp_timewait_kill beside its accesses."),
	EHASH2004(hashdance, "60", "__tcp_tw_hashdance beside its accesses."),
	EHASH2004(sk_free, "200", "Freeing a socket beside its memory."),
	LOOP("scan_loop", scan_loop, "35",
	     "Port search, one candidate, micro-ops: next port, reserved test, bucket address, tests of "
	     "the bind bucket."),
	SCAN("rcu_read", rcu_read, "1", "Entering and leaving the read section (compiler barriers)."),
	SCAN("spin_lock", spin_lock, "8", "Call of a spinlock's fast path, without its cmpxchg."),
	SCAN("spin_unlock", spin_unlock, "2", "Inlined unlock."),
	SCAN("bh_enable", bh_enable, "15", "__local_bh_enable_ip with nothing pending."),
	LOOP("check", check, "20",
	     "Begin and end of __inet{,6}_check_established, micro-ops, when it calls nothing."),
	LOOP("hash_call", hash_call, "23",
	     "What computing the hash adds to it: arguments, registers saved and restored around a call."),
	LOOP("match", match, "19", "Bucket address, and comparing one chain entry, micro-ops."),
	{"cost.hash6", EH_KEY_INT, AT(cost.hash6), "150", "0", "100000", .origin = EH_FITTED,
	 .source = "D1, throughput of S3 over S2; 130 are counted in a disassembled v6.1, 135 in a loop of "
		   "ours. From some 145 on less than two candidates of S1 and S2 fit into the reorder "
		   "window, and up to 165 results hardly move",
	 .help = "inet6_ehashfn, micro-ops: one mix and two finals with their moves, loads, constants."},
	SCAN("hash6_cycles", hash6_cycles, "50",
	     "Cycles until the IPv6 hash is known (one mix and two finals in a row: 40-60)."),
	LOOP("hash4", hash4, "46", "inet_ehashfn, micro-ops: one final and its call."),
	SCAN("hash4_cycles", hash4_cycles, "18", "Cycles until the IPv4 hash is known (14-21)."),
	LOOP("cond_resched", cond_resched, "9", "__cond_resched with nothing to do, micro-ops."),
	LOOP("rcu_all_qs", rcu_all_qs, "5", "rcu_all_qs with the urgent flag clear, micro-ops."),
	SCAN("conflict", conflict, "20",
	     "Comparing one socket of a port in bind(): device, reuse, address, next."),
	PATH(syscall, "180", "Entry and exit of one system call."),
	PATH(connect, "2600", "tcp_v{4,6}_connect and inet_stream_connect beside the port search."),
	PATH(bind, "900", "bind() beside the port: address checks, socket fields."),
	PATH(get_port, "150", "inet_csk_get_port beside its walks, once per call."),
	PATH(bind_bucket, "150", "Creating a bind bucket beside its allocation."),
	PATH(bind_hash, "160", "Linking a socket to its bind buckets."),
	PATH(ehash_insert, "180", "Inserting into the established table."),
	PATH(unhash, "120", "Taking a socket out of the established table."),
	PATH(put_port, "180", "Giving the port back."),
	PATH(disconnect, "700", "tcp_disconnect beside what is named above."),
	PATH(destroy, "900", "Purging queues, last references."),
	PATH(sk_alloc, "1500", "Socket, inode and sock set-up."),
	PATH(sk_free, "700", "Freeing them."),
	PATH(fd_alloc, "700", "File and descriptor."),
	PATH(fd_free, "800", "Last fput."),
	PATH(setsockopt, "220", "setsockopt(SO_LINGER)."),
	PATH(fcntl, "120", "fcntl."),
	PATH(epoll_ctl, "650", "epoll_ctl."),
	PATH(epoll_wait, "350", "epoll_wait beside its events."),
	PATH(epoll_event, "220", "One event handed to user space."),
	PATH(epoll_callback, "280", "ep_poll_callback."),
	PATH(sendmsg, "1300", "sendto and tcp_sendmsg_locked beside transmission."),
	PATH(recvmsg, "900", "recvfrom and tcp_recvmsg_locked."),
	PATH(accept, "900", "inet_csk_accept and the descriptor's socket."),
	PATH(lock_sock, "60", "lock_sock."),
	PATH(release_sock, "80", "release_sock with an empty backlog."),
	PATH(transmit, "900", "__tcp_transmit_skb."),
	PATH(ip_xmit, "900", "IP output and neighbour."),
	PATH(dev_xmit, "900", "Queue discipline and driver."),
	PATH(xmit_done, "350", "Transmit completion of one packet."),
	PATH(hardirq, "700", "Interrupt entry, handler, exit."),
	PATH(rx_action, "500", "One NAPI poll beside its packets."),
	PATH(gro, "700", "Driver receive and GRO of one packet."),
	PATH(netif_receive, "350", "Protocol dispatch of one packet."),
	PATH(ip_rcv, "700", "IP input of one packet."),
	PATH(tcp_rcv, "500", "tcp_v{4,6}_rcv beside lookup and state machine."),
	PATH(lookup, "160", "Established lookup."),
	PATH(lookup_listener, "260", "Listener lookup with reuseport selection."),
	PATH(conn_request, "2200", "SYN: request socket, route, SYN-ACK."),
	PATH(check_req, "700", "Third ACK: matching the request."),
	PATH(child, "4200", "Child socket: clone and set-up."),
	PATH(hashdance, "300", "Request out, child in."),
	PATH(rcv_state, "900", "tcp_rcv_state_process."),
	PATH(rcv_established, "700", "tcp_rcv_established."),
	PATH(ack, "500", "tcp_ack."),
	PATH(reset, "900", "tcp_reset and tcp_done."),
	PATH(send_reset, "400", "tcp_send_active_reset beside transmission."),
	PATH(readable, "150", "sock_def_readable."),
	PATH(timer, "80", "A timer's handler, beside what it does."),
	PATH(send_fin, "500", "tcp_close and tcp_send_fin beside transmission."),
	PATH(fin, "200", "tcp_fin."),
	PATH(time_wait, "500", "tcp_time_wait: the socket's fields, beside allocation and tables."),
	PATH(tw_kill, "150", "inet_twsk_kill beside tables and locks."),
	PATH(tw_rcv, "250", "tcp_timewait_state_process."),
	PATH(twsk_unique, "60", "tcp_twsk_unique."),
	PATH(challenge_ack, "150", "tcp_send_challenge_ack beside transmission."),
	PATH(cookie, "600", "Making or checking a SYN cookie: two rounds of siphash, options."),
	{"cost.slab", EH_KEY_INT, AT(cost.slab), "30", "1", "100000", .origin = EH_FITTED,
	 .source = "M4: 60 cycles for alloc and free on one CPU",
	 .help = "SLUB's fast path: one allocation or free that finds its CPU's list ready."},
	PATH(slab_array, "60",
	     "SLAB's fast path, between saving and restoring the interrupt flag: an array that is ready."),
	{"cost.slab_bulk", EH_KEY_INT, AT(cost.slab_bulk), "8", "1", "100000", .origin = EH_FITTED,
	 .source = "M3, bulks up to 32: 17-20 cycles for alloc and free of one object",
	 .help = "One object of a bulk allocation or free."},
	{"cost.slab_slow", EH_KEY_INT, AT(cost.slab_slow), "43", "1", "100000", .origin = EH_FITTED,
	 .source = "M3, bulks of 64 freed one by one, half of them outside the CPU's slab: 49 cycles",
	 .help = "The slow path of an allocation or free, beside locks, lines and objects."},
	SCAN("slab_take", slab_take, "15", "SLAB: one object from its slab into an array."),
	SCAN("slab_put", slab_put, "45",
	     "SLAB: one object from an array into its slab: page of the address, index, both lists."),
	SCAN("slab_init", slab_init, "8", "One object's place in the freelist of a new slab."),
	PATH(slab_alien, "25", "SLAB: one free of another node's object, beside its lock."),
	PATH(slab_new, "200", "Setting up a new slab, beside its page and lines."),
	{"cost.page", EH_KEY_INT, AT(cost.page), "200", "1", "100000", .origin = EH_PUBLISHED,
	 .source = "prototype-kernel page_bench: 425 cycles for alloc and put of a page, call and lines included",
	 .help = "One block of pages through the CPU's list, alloc or free."},
	PATH(page_zone, "60", "One block of pages between the CPU's list and the zone, under its lock."),
	PATH(wakeup, "700", "try_to_wake_up."),
	PATH(schedule, "1200", "__schedule with a switch."),
	PATH(tick, "2500", "The timer tick with scheduler and RCU work."),
	PATH(gp_report, "150", "Reporting a quiescent state, beside its lock."),
	PATH(gp_node, "60", "A grace period's begin or end at one rcu_node; a CPU's looking after it."),
	PATH(fqs_cpu, "40", "A scan's look at one CPU that has not reported."),
	PATH(rcu_core, "200", "RCU's softirq beside what it finds to do; a call of synchronize_rcu."),
	PATH(call_rcu, "90", "call_rcu."),
	PATH(rcu_invoke, "25", "Invoking one callback, beside what it does."),
	PATH(ipi_send, "300", "Sending one interprocessor interrupt to call a function."),
	PATH(ipi, "600", "Taking it."),
	PATH(kfree_rcu, "60", "kvfree_call_rcu."),
	PATH(kfree_rcu_work, "60", "Bulk free after the grace period, per object."),
	PATH(futex, "180", "futex: key and bucket of the address, either call."),
	PATH(futex_wait, "80", "FUTEX_WAIT under its bucket's lock: word, list, own state."),
	PATH(rps, "60", "get_rps_cpu of one packet, beside its tables."),
	PATH(backlog, "60", "A packet into a CPU's backlog, or out of it, beside its lock."),
	PATH(defer, "40", "skb_attempt_defer_free, beside its lock."),
	PATH(rx_frame, "150", "Bulk: the driver's work with a frame's descriptor and its new buffer, GRO's look at it."),
	PATH(gro_merge, "150", "Bulk: merging one frame."),
	{"cost.copy", EH_KEY_INT, AT(cost.copy), "35", "1", "100000", .origin = EH_ASSUMED,
	 .source = "recalled, not read again: Intel optimization manual, start of an enhanced REP MOVSB, about 35 cycles",
	 .help = "Start of the string copy of one part of a page, at one instruction a cycle."},
	SCAN("copy_frag", copy_frag, "70",
	     "Bulk: __skb_datagram_iter and _copy_to_iter for one part of a page, micro-ops; copying from the user."),
	SCAN("release_frag", release_frag, "25", "Bulk: skb_release_data for one part of a page, micro-ops."),
	PATH(clean_skb, "250", "Bulk: tcp_clean_rtx_queue for one socket buffer, before it is freed."),
	PATH(futex_wake, "90", "FUTEX_WAKE under its bucket's lock: match, list, note to wake it."),
	{.name = NULL},
};

#undef AT
#define AT(field) offsetof(struct eh_network_config, field)

const struct eh_key eh_network_keys[] = {
	{"family", EH_KEY_ENUM, AT(family), "ipv6", .words = family_words, .origin = EH_CHOSEN,
	 .source = "", .help = "Address family of the connections (neper -6)."},
	{"rate", EH_KEY_RATE, AT(rate), "100Gbit/s", "1kbit/s", "10Tbit/s", .origin = EH_ASSUMED,
	 .source = "hosts of this class have 100-200 Gbit/s", .help = "Rate of the link, each way."},
	{"delay", EH_KEY_TIME, AT(delay), "10us", "0ns", "10s", .origin = EH_ASSUMED,
	 .source = "two hosts behind one switch", .help = "Propagation and switching, one way."},
	{"queues", EH_KEY_INT, AT(queues), "64", "1", "4096", .origin = EH_ASSUMED,
	 .source = "a common number of combined channels",
	 .help = "Receive queues; each interrupts one CPU."},
	{"irqs", EH_KEY_ENUM, AT(irqs), "spread", .words = irqs_words, .origin = EH_ASSUMED,
	 .source = "irqbalance and most set-up scripts use all nodes",
	 .help = "CPUs that receive queues interrupt. spread: those of all dies in turn. local: those of the "
		 "interface's die, the first, its cores before their second threads."},
	{"place", EH_KEY_ENUM, AT(place), "hash", .words = place_words, .origin = EH_CHOSEN, .source = "",
	 .help = "Where the interface receives the packets of a flow, and reports as sent those of a CPU. hash: "
		 "the flow's hash picks one of all queues; a queue of the sender's die reports. As a table of "
		 "flows in the device, filled by what is sent, has it: cpu: the queue of the CPU that last sent "
		 "the flow's data; node: one of that CPU's die, by hash, but not its own; other_node: one of the next die."},
	{"moderation", EH_KEY_TIME, AT(moderation), "8us", "0ns", "10ms", .origin = EH_ASSUMED,
	 .source = "adaptive moderation of common NICs at low packet rates per queue",
	 .help = "An interrupt waits this long for further packets."},
	{"mtu", EH_KEY_INT, AT(mtu), "1500", "576", "4168", .origin = EH_PUBLISHED, .source = "Ethernet",
	 .help = "Largest packet of bulk data, with its IP header; a segment's data fill a page at most."},
	{"ring", EH_KEY_INT, AT(ring), "1024", "64", "65536", .origin = EH_ASSUMED,
	 .source = "a common default of drivers for 100 Gbit/s",
	 .help = "Bulk: receive buffers of a queue."},
	{"ddio", EH_KEY_SIZE, AT(ddio), "8MiB", "0B", "1GiB", .origin = EH_ASSUMED,
	 .source = "recalled: devices allocate into two ways of the L3; two of twelve of 48 MB are 8 MB",
	 .help = "Bulk: frames stay in the L3 of the node they were written to until so many more bytes have "
		 "come there; then they are in memory."},
	{.name = NULL},
};

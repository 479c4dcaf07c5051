/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One host's hardware: topology, cache lines, cores.
 *
 * Topology: sockets > dies (NUMA nodes) > cores > SMT threads, numbered as Linux does on Xeon:
 * CPU = thread * cores + core, cores counted die by die, socket by socket.
 *
 * A cache line has a home die, a version that every write raises, a last writer, and a state:
 * modified in the writer's cache (dirty), or clean and present in the L3 of its home die, or in
 * memory only. A CPU remembers what it holds: in the L2 as tags of (line, version), four ways, least
 * recently used goes (tags.h), in the L1 as line numbers, direct-mapped. "Do I still hold it?" is one
 * look at a set, an old version is an invalidated copy, a displaced tag is a capacity miss. No sharer
 * sets.
 *
 * A modified line travels requester - home - owner: it costs what the farthest pair of the three
 * costs. With a caching agent per socket (Intel) a transfer inside a socket does not leave it even
 * when the home is in the other one; its agents are then spread over the socket's dies. On
 * snooped buses (a group of sockets is a bus) there is no home to ask: only requester and owner count.
 *
 * Several buses behind a switch (latency.bus_lock): a locked operation on a line the CPU does not hold
 * in any state asserts LOCK#, and the switch stops the other bus before it goes on. On a line that it
 * holds, be it a copy, the lock stays in the cache. One bus: the same as any transfer. Such operations
 * do not hold each other up here.
 *
 * Latency is not occupancy. Half of a transfer's latency is the way of the request, half the way of
 * the data. A request that finds the line in use waits until its owner has done what it got
 * the line for; its own way lies behind it by then, so a contended line is handed on at half the
 * latency plus one operation. Of several that wait, the line first goes round those of the socket it
 * has come to (who was there when it came, the nearest first: siblings, then the die), then to the
 * nearest other socket (line.c). Spinners that lose their copies read again, one after the other,
 * latency.reread apart; the threads of a core fetch one copy for all of them.
 * Homes let the transfers of a line overlap, but for home_blocks: there a writer reports that it has
 * the line, and until the report has made its way back nobody else is served. The next hand-over then
 * begins a whole latency after the last one. Copies are handed out without reports.
 * The home agents of a die, too, take one modified line after the other, home_service apart: a hot
 * array on one die makes its users queue. So do, link_service apart, transfers between sockets: the
 * home's directory and links have part in each.
 *
 * A prefetcher (core.prefetch) fetches ahead of ascending reads, within a page, clean lines only, and
 * always in time.
 *
 * Not modelled here: L3 capacity (what was touched once stays in its home's L3), TLBs, the bandwidth of meshes, of
 * buses, and of links beyond link_service.
 *
 * Sources: distances and latencies of the shipped machine file are named there, value by value.
 */
#ifndef EHSIM_MACHINE_H
#define EHSIM_MACHINE_H

#include <ehsim/config.h>
#include <ehsim/sim.h>
#include <ehsim/symbol.h>
#include <glib.h>

#define EH_NO_CPU 0xffff
#define EH_LINES_PER_PAGE 64

typedef uint32_t eh_line_id; /* index into eh_machine.lines; 0 is never a valid line */

enum {
	EH_LINE_DIRTY = 1,
	EH_LINE_CACHED = 2,
	EH_LINE_DEMAND = 4, /* waited for or spun on */
	EH_LINE_SOLE = 8,   /* clean, and `owner` alone has read it: a write need not ask (MESI's E) */
};

/*
 * Eight bytes, since millions of them are walked at random. `tag` is what a CPU remembers of the
 * line: the upper bits of its number (never 0), then the low bits of its version.
 */
struct eh_line {
	uint16_t tag;
	uint16_t owner;	 /* last writer or sole reader, EH_NO_CPU: nobody yet */
	uint8_t state;	 /* EH_LINE_* */
	uint8_t readers; /* bit per socket that has read it since the last write */
	uint8_t home;	 /* die */
};

/* The last hand-over of a modified line: when it begins, and when the next may begin. */
struct eh_transfer {
	eh_time from, until;
};

struct eh_cpu;
struct eh_demand; /* who waits for a line: line.c */
struct eh_c2c;	  /* counts by line: c2c.h */
struct eh_spin_waiters;
struct eh_osq_node;
struct eh_mm;

struct eh_machine {
	struct eh_sim *sim;
	const struct eh_machine_config *cfg;
	char *name; /* "client", "server" */
	int ncpus, ncores, ndies, dies_per_socket;
	int *die_of, *core_of; /* by CPU */
	uint8_t *socket_bit; /* by die */
	uint8_t *group_bits; /* by die: all sockets of its group */
	struct eh_cpu *cpus;	/* ncpus */
	struct eh_line *lines;
	struct eh_transfer *transfer; /* by line */
	struct eh_demand **demand;    /* by hash of the line */
	struct eh_demand *spare_demand;
	GArray *names;	    /* of lines: c2c.c */
	struct eh_c2c *c2c; /* NULL: nobody counts */
	bool c2c_rests;	    /* not now */
	uint32_t nlines, cap_lines;
	char *tags; /* of all CPUs */
	struct eh_lock_log *lock_log; /* NULL: nobody wants to know: trace.h */
	GPtrArray *kept; /* memory that goes with the machine, whoever still uses it */
	struct eh_spin_waiters *spare_waiters; /* qspinlock.c */
	bool ticket_spinlocks;		       /* the kernel's spinlocks are ticket locks */
	struct eh_osq_node *osq_nodes;	       /* osq.c */
	struct eh_mm *mm;		       /* kernel memory: slab.h */
	/* what a stalled instruction sees, by [die of the CPU][die of the other end] */
	eh_time *clean, *dram;
	eh_time *copy; /* of a clean line that the CPU's socket has read before */
	eh_time *dirty; /* [die of the CPU][die of the owner][home] */
	eh_time dirty_smt, residency, reread, home_service, link_service, bus_lock;
	eh_time *home_busy; /* by die: its home agents take the next modified line from here on */
	eh_time instr;	     /* ps per instruction in a tight loop: 1 / (clock * width) */
	eh_time path_instr;  /* ps per instruction of a branchy path: 1 / (clock * path_ipc) */
	eh_time path_instr_shared; /* the same while the core's other thread runs, too */
	eh_time cycle;
	bool prefetch; /* core.prefetch > 0 */
	bool locked_fence, pause, home_blocks;
	eh_time l1_hit, l2_hit, locked_op, mispredict, call;
	uint32_t l1_mask, l2_mask, l2_shift, version_bits;
	uint16_t version_mask;
	eh_time invalidate_far; /* to the copies of another socket, or of another group */
	eh_time invalidate_other; /* to those of another socket of the own group */
	eh_time invalidate_near; /* to the copies of the own socket */
};

struct eh_machine *eh_machine_new(struct eh_sim *sim, const char *name,
				  const struct eh_machine_config *cfg);
void eh_machine_free(struct eh_machine *m);

/* NULL-safe text: why the configuration cannot be built, or NULL when it can. */
const char *eh_machine_config_problem(const struct eh_machine_config *cfg);
/* i-th CPU when CPUs are handed out die by die in turn (spread), first threads of cores first. */
int eh_machine_spread(const struct eh_machine *m, int i);
/* i-th CPU of one die, first threads of cores first; wraps. */
int eh_machine_on_die(const struct eh_machine *m, int die, int i);

/* A write: every copy but the writer's is stale from now on. */
static inline void eh_line_new_version(const struct eh_machine *m, struct eh_line *l)
{
	l->tag = (uint16_t)((l->tag & ~m->version_mask) | ((l->tag + 1) & m->version_mask));
}

/* n consecutive lines homed on `die`, or page by page (64 lines) in turn over all dies (-1). */
eh_line_id eh_lines_new(struct eh_machine *m, uint32_t n, int die);
bool eh_lines_scarce(const struct eh_machine *m); /* half of the numbers there are, are given away */
/* n, a power of two, on `die`: the first number is a multiple of n. */
eh_line_id eh_lines_aligned(struct eh_machine *m, uint32_t n, int die);
/* Set up as if CPU `cpu` had written them / as if many had read them. */
void eh_line_written_by(struct eh_machine *m, eh_line_id id, int cpu);
void eh_line_shared(struct eh_machine *m, eh_line_id id);
/* Other work has displaced it from every cache: it is in memory only. */
void eh_line_displaced(struct eh_machine *m, eh_line_id id);
/* A device has written it: into the L3 of its home, every copy is stale. */
void eh_line_from_device(struct eh_machine *m, eh_line_id id);

#endif

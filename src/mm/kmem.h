/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the allocators share: a host's memory, a cache, its slabs. */
#ifndef EHSIM_MM_KMEM_H
#define EHSIM_MM_KMEM_H

#include <ehsim/c2c.h>
#include <ehsim/slab.h>
#include <glib.h>

#define LINE_BYTES 64

struct slab_list {
	struct slab *head, *tail;
	int n;
};

struct object {
	struct eh_object o;
	struct slab *slab;
};

struct slab {
	struct slab *next, *prev; /* of whatever list it is on */
	struct slab_list *on;	  /* that one; NULL: none */
	struct eh_object *free;	  /* SLUB: what is not on a CPU's own freelist */
	int inuse;   /* SLUB: allocated, or on a CPU's own freelist; SLAB: allocated, or in an array
		      */
	bool frozen; /* SLUB: some CPU's current slab, or on its partial list */
	uint16_t home;
	guint index;	       /* in the cache's slabs */
	eh_line_id page_line;  /* struct page: freelist and counters */
	eh_line_id last_line;  /* of its pages */
	eh_line_id index_line; /* SLAB: which of its objects are free */
	struct eh_page *page;
	struct object object[];
};

struct eh_kmem_kind;

struct eh_kmem_cache {
	struct eh_mm *mm;
	struct eh_machine *m;
	const struct eh_kmem_kind *kind;
	char *name;
	int size, lines, line_bytes;
	int objects, order; /* of a slab */
	int64_t instr;	    /* the fast path */
	uint64_t active;
	uint64_t *allocs, *frees; /* by die */
	struct eh_kmem_counts counts;
	struct eh_lock_class list_lock, alien_lock;
	GPtrArray *slabs; /* all there are */
	void *state;	  /* the kind's */
};

struct eh_kmem_kind {
	const char *name;
	void (*build)(struct eh_kmem_cache *k,
		      const struct eh_kmem_spec *spec); /* objects, order, state */
	void (*destroy)(struct eh_kmem_cache *k);
	struct eh_object *(*alloc)(struct eh_cpu *c, struct eh_kmem_cache *k);
	void (*free)(struct eh_cpu *c, struct eh_kmem_cache *k, struct eh_object *o);
	void (*alloc_bulk)(struct eh_cpu *c, struct eh_kmem_cache *k, int n, struct eh_object **o);
	void (*free_bulk)(struct eh_cpu *c, struct eh_kmem_cache *k, int n, struct eh_object **o);
	struct eh_object *(*preset)(struct eh_kmem_cache *k, int cpu);
	/* Objects that no slab's own list holds: in arrays, on CPUs' freelists; by die. */
	void (*cached)(const struct eh_kmem_cache *k, uint64_t *by_die);
	void (*info)(const struct eh_kmem_cache *k, struct eh_kmem_info *info);
	void (*reap)(struct eh_cpu *c, struct eh_kmem_cache *k, int turn,
		     eh_time now); /* or NULL */
};

extern const struct eh_kmem_kind eh_kmem_slub, eh_kmem_slab;

struct zone;
struct pcp;

struct eh_mm {
	struct eh_machine *m;
	const struct eh_kernel_config *kernel;
	const struct eh_kmem_kind *kind;
	GPtrArray *caches;
	struct zone *zones; /* by die */
	struct pcp *pcp;    /* by CPU, die */
	struct eh_lock_class zone_lock;
	struct {
		eh_time due;
		int turn;
	} * reaper; /* by CPU; NULL: none */
};

/*
 * By the kind, at the instant at which the object leaves the last list, or comes onto the first: so
 * that what is alive and what the lists hold agree at any time.
 */
void eh_kmem_allocated(struct eh_kmem_cache *k, int die, const struct eh_object *o);
void eh_kmem_freed(struct eh_kmem_cache *k, int die, const struct eh_object *o);

void eh_pages_init(struct eh_mm *mm);
void eh_pages_fini(struct eh_mm *mm);

/* A slab with all objects on s->free, the first one first, `offset` bytes into its pages; page NULL:
   preset from the die's. */
struct slab *eh_slab_new(struct eh_kmem_cache *k, struct eh_page *page, int die, int offset);
int eh_slab_spare(const struct eh_kmem_cache *k); /* bytes of a slab that hold no object */
/* Its page is to be freed by the caller, once locks are dropped. */
struct eh_page *eh_slab_end(struct eh_kmem_cache *k, struct slab *s);

/*
 * What a lock protects was written by its last owner: loads of it begin when the lock has been got,
 * at the time returned, and each at the address that the one before it has found.
 */
static inline eh_time eh_mm_lock(struct eh_cpu *c, struct eh_spinlock *l,
				 struct eh_lock_class *class)
{
	eh_spin_lock(c, l, class, EH_SYM(_raw_spin_lock));
	return c->retire;
}

/* Stores leave in order: the one that releases the lock comes behind those that went before. */
static inline void eh_mm_unlock(struct eh_cpu *c, struct eh_spinlock *l, int sym)
{
	if (l->waiters) {
		if (c->drain > c->retire)
			eh_cpu_wait_until(c, sym, c->drain);
		eh_spin_unlock(c, l, sym, 1);
		return;
	}
	eh_work(c, sym, 1);
	if (eh_unlikely(l->owner != c->id))
		eh_spin_broken(c, l);
	eh_spin_released(l, c, eh_later(c->retire, c->drain));
}

static inline struct slab *eh_slab_of(struct eh_object *o)
{
	return eh_container_of(o, struct object, o)->slab;
}

static inline void slab_list_add(struct slab_list *l, struct slab *s)
{
	s->prev = NULL;
	s->next = l->head;
	*(l->head ? &l->head->prev : &l->tail) = s;
	l->head = s;
	l->n++;
	s->on = l;
}

static inline void slab_list_add_tail(struct slab_list *l, struct slab *s)
{
	s->next = NULL;
	s->prev = l->tail;
	*(l->tail ? &l->tail->next : &l->head) = s;
	l->tail = s;
	l->n++;
	s->on = l;
}

static inline void slab_list_del(struct slab *s)
{
	struct slab_list *l = s->on;

	*(s->prev ? &s->prev->next : &l->head) = s->next;
	*(s->next ? &s->next->prev : &l->tail) = s->prev;
	l->n--;
	s->on = NULL;
	s->next = s->prev = NULL;
}

static inline struct slab *slab_list_pop(struct slab_list *l)
{
	struct slab *s = l->head;

	if (s)
		slab_list_del(s);
	return s;
}

#endif

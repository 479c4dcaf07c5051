/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of lock kinds: a line each, in the order reports show them. */
#include <ehsim/lock.h>

#define KINDS(X)                                                                                   \
	X(tas)                                                                                     \
	X(ttas)                                                                                    \
	X(backoff)                                                                                 \
	X(ticket)                                                                                  \
	X(mcs)                                                                                     \
	X(clh)                                                                                     \
	X(queued)                                                                                  \
	X(rwlock2004)                                                                              \
	X(qrwlock)                                                                                 \
	X(seqlock)                                                                                 \
	X(mutex)                                                                                   \
	X(rwsem)                                                                                   \
	X(pthread_mutex)

#define DECLARE(name) extern const struct eh_lock_kind eh_lock_##name;
KINDS(DECLARE)

#define ENTRY(name) &eh_lock_##name,
const struct eh_lock_kind *const eh_lock_kinds[] = {KINDS(ENTRY) NULL};

const struct eh_lock_kind *eh_lock_kind_find(const char *name)
{
	for (const struct eh_lock_kind *const *k = eh_lock_kinds; *k; k++)
		if (g_str_equal((*k)->name, name))
			return *k;
	return NULL;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/inet_hash.h>

static bool resolved(int setting, bool by_state)
{
	return setting == EH_BY_STATE ? by_state : setting == EH_ON;
}

struct eh_kernel_switches eh_kernel_switches(const struct eh_kernel_config *k)
{
	struct eh_kernel_switches on = {
		.rcu_check = resolved(k->rcu_check, k->connect >= EH_S1),
		.rcu_bind_walk = resolved(k->rcu_bind_walk, k->connect >= EH_S1),
		.linear_port_hash = resolved(k->linear_port_hash, k->connect >= EH_S2),
		.spread_ehash_locks = resolved(k->spread_ehash_locks, false),
		.bhash2 = resolved(k->bhash2, true),
	};

	on.hash_once = resolved(k->hash_once, k->connect >= EH_S3 && on.linear_port_hash);
	return on;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory of runs, in bytes: how much one will take, how much there is, and what happens when there is
 * none left.
 */
#ifndef EHSIM_CLI_MEMORY_H
#define EHSIM_CLI_MEMORY_H

#include <ehsim/scenario.h>

/*
 * An upper estimate of what the process of one run takes at its peak, from the sizes of the hosts: it
 * does not grow with simulated time or transactions. tests/cli/memory.sh holds it against runs.
 */
uint64_t eh_memory_of_run(const struct eh_values *v, eh_time trace_length);

/* What processes may take together: free memory of the machine, of the control groups above us. */
uint64_t eh_memory_available(void);

/* What the limits of this process (ulimit -v, -d) leave to one process; UINT64_MAX: no limit. */
uint64_t eh_memory_limit(void);

/* "1.3 GiB"; newly allocated. */
char *eh_memory_text(uint64_t bytes);

/* The exit status of a child that ran out of memory, for its parent only. */
#define EH_EXIT_MEMORY 77

#define EH_NO_MEMORY "the system gave no more, or a limit (ulimit -v) is reached"

/*
 * From now on a failed allocation ends the process with `status`, and one sentence on stderr that begins
 * with `who` (which must stay; NULL: silently). Without a call it is GLib's abort.
 */
void eh_memory_guard(const char *who, int status);

#endif

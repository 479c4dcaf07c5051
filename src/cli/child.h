/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The child's side of jobs.h, and what it says to its parent. */
#ifndef EHSIM_CLI_CHILD_H
#define EHSIM_CLI_CHILD_H

#include "jobs.h"
#include <sys/types.h>

/* One of these, then `length` bytes; both ends are the same program. */
struct eh_child_header {
	char kind; /* 'p': a struct eh_progress and the name of its metric, 'r': the record of the run, the last */
	uint64_t length;
};

/* Makes the run, writes it to fd, ends the process. */
G_GNUC_NORETURN void eh_child(const struct eh_jobs *jobs, struct eh_point *run, int fd, pid_t parent);

#endif

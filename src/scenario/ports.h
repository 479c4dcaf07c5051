/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Port lists as net.ipv4.ip_local_reserved_ports takes them: "8080,9000-9010", or nothing.
 */
#ifndef EHSIM_SCENARIO_PORTS_H
#define EHSIM_SCENARIO_PORTS_H

#include <stdint.h>

/* NULL if the list is right, else what is wrong with it, newly allocated. */
char *eh_ports_check(const char *list);

/* How many different ports of low, low + step, ... up to high a right list names. */
int64_t eh_ports_count(const char *list, int64_t low, int64_t high, int64_t step);

#endif

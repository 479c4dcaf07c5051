/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where results go, and that no two go to one place; for options.c. */
#ifndef EHSIM_CLI_OPTIONS_PLACES_H
#define EHSIM_CLI_OPTIONS_PLACES_H

#include "options.h"

/* NULL and "-" are standard output; "a" and "./a" are one file. */
bool eh_same_place(const char *a, const char *b);
/*
 * All options are known: none names a file "", and neither reports, status file nor what is read are
 * one file. A message and false if something is wrong.
 */
bool eh_can_place(const struct eh_options *o);

#endif

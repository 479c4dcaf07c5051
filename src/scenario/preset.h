/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Machines that are shipped, by name (machine.preset): the files scenarios/machines/NAME.yaml.
 *
 * They are looked for in the folder that the environment variable EHSIM_MACHINES names, else, by a program that
 * lies where it was built, in its sources, else beside the program, else where it was installed.
 */
#ifndef EHSIM_SCENARIO_PRESET_H
#define EHSIM_SCENARIO_PRESET_H

#include <ehsim/message.h>

/* Names of all, sorted, NULL-terminated; g_strfreev. */
char **eh_preset_names(void);

/* The file of one, newly allocated; NULL and a message at `at` if there is none. */
char *eh_preset_path(const char *name, struct eh_place at, struct eh_messages *msgs);

#endif

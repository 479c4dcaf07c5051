/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs gnuplot. It reads the scripts of the folder of plots: beside the sources of a program that
 * lies where it was built, else where `make install` put it, or where EHSIM_PLOTS says.
 */
#ifndef EHSIM_CLI_DRAW_H
#define EHSIM_CLI_DRAW_H

#include <ehsim/book.h>

/* The folder with the scripts, newly allocated; NULL when there is none. */
char *eh_draw_scripts(void);

/*
 * The command that draws figure `f` into a file named `out`, all in the folder it is run in;
 * NULL-terminated, newly allocated.
 */
char **eh_draw_command(const struct eh_figure *f, const char *out);

/*
 * Run it in `folder` for an ending, "svg" or "png": a whole file f->name.ENDING, or none and the
 * reason, newly allocated, in *why.
 */
bool eh_draw(const char *folder, const struct eh_figure *f, const char *ending, char **why);

#endif

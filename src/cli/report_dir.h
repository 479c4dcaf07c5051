/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The folder of --report: index.html, and of each figure its data (NAME.csv), its picture
 * (NAME.svg, NAME.png) and its script (bars.gp ..., which figures.sh calls); of a fresh run also
 * result.json, scenario.yaml (filled in) and points.csv. All names are ours: nothing that a result
 * or a scenario says is part of one. A file is whole or absent and replaces what had its name, a
 * link itself and not what it leads to.
 */
#ifndef EHSIM_CLI_REPORT_DIR_H
#define EHSIM_CLI_REPORT_DIR_H

#include <ehsim/book.h>

/* Before anything is simulated: may it be written? Else a message on stderr and false. */
bool eh_report_dir_possible(const char *dir, bool force);

/* A further file of the folder. */
struct eh_report_file {
	const char *name;
	const char *text;
};

/*
 * Write it all; `more` ends with name == NULL. False, after messages on stderr, if anything is
 * missing; what could be written stays. Quiet: only these.
 */
bool eh_report_dir_write(const char *dir, struct eh_book *page, const struct eh_report_file *more,
			 bool quiet);

#endif

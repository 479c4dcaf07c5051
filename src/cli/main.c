/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "memory.h"
#include "options.h"
#include "output.h"
#include "run.h"
#include <signal.h>

int main(int argc, char **argv)
{
	struct eh_options options;
	int status;

	eh_output_guard();
	/* a reader that goes away is a write error like any other */
	signal(SIGPIPE, SIG_IGN);
	/* as is a limit for the size of files */
	signal(SIGXFSZ, SIG_IGN);
	g_set_prgname("ehsim");
	eh_memory_guard("ehsim", EH_EXIT_FAILED);
	if (eh_options_parse(&options, argc, argv, &status))
		status = eh_cli_run(&options);
	eh_options_clear(&options);
	return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/symbol.h>

static const char *const names[] = {
#define EH_SYM_NAME(name) #name,
	EH_SYMBOLS(EH_SYM_NAME)
#undef EH_SYM_NAME
	"[user]",
};

const char *eh_symbol_name(int sym)
{
	return names[sym];
}

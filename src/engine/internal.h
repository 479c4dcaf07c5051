/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/engine show each other; switching stacks is in jump.h. */
#ifndef EH_ENGINE_INTERNAL_H
#define EH_ENGINE_INTERNAL_H

#include <ehsim/fiber.h>
#include <ehsim/sim.h>

#include <string.h>

void eh_queue_init(struct eh_queue *q);

#endif

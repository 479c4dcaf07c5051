/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which key makes an axis, and which points of a view are shown in detail. Internal to reports. */
#ifndef REPORT_VIEW_CHOOSE_H
#define REPORT_VIEW_CHOOSE_H

#include "view.h"

/* Fills axis, groups, pair, shown and few; the points are complete. */
void view_choose(struct view *v);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waiting for locks against holding them, by class. */
#include "page.h"

#include "why.h"

#include <math.h>

enum { ROWS = 25 };

static void put_row(const struct view_point *p, JsonObject *row, GString *out)
{
	struct scale count = {1, 0, ""}, ns = {1, 1, ""}, cpus = {1, 3, ""};
	double window = why_window_ns(p);

	html_row_begin(out);
	html_cell_name(out, stored_text(row, "name"));
	html_cell(out, stored_text(row, "type"));
	html_cell_number(out, HTML_JSON, &count, stored_real(row, "acquisitions"));
	html_cell_number(out, HTML_JSON, &count, stored_real(row, "contentions"));
	html_cell_number(out, HTML_JSON, &ns, stored_real(row, "waittime_avg_ns"));
	html_cell_number(out, HTML_JSON, &ns, stored_real(row, "waittime_max_ns"));
	html_cell_number(out, HTML_DERIVED, &cpus, stored_real(row, "waittime_total_ns") / window);
	html_cell_number(out, HTML_JSON, &ns, stored_real(row, "holdtime_avg_ns"));
	html_cell_number(out, HTML_JSON, &ns, stored_real(row, "holdtime_max_ns"));
	html_cell_number(out, HTML_DERIVED, &cpus, stored_real(row, "holdtime_total_ns") / window);
	html_row_end(out);
}

static void put_table(const struct view *v, const struct view_point *p, int host, GString *out)
{
	JsonArray *rows = why_locks(p, host);
	char *caption = v->one_host ? g_strdup_printf("%s: locks", p->name)
				    : g_strdup_printf("%s: locks of the %s", p->name, view_host(host));

	if (stored_rows(rows)) {
		html_table_begin(out, caption,
				 "class|type|#taken|#contended|#wait, mean ns|#longest|#CPUs that wait|"
				 "#hold, mean ns|#longest|#CPUs that hold");
		for (guint i = 0; i < stored_rows(rows) && i < ROWS; i++)
			put_row(p, stored_row(rows, i), out);
		html_table_end(out);
	}
	g_free(caption);
}

void page_locks(const struct eh_book *page, GString *out)
{
	const struct view *v = page->view;
	bool any = false;

	for (guint i = 0; i < v->shown->len; i++)
		any |= stored_object(((struct view_point *)g_ptr_array_index(v->shown, i))->o,
				     "locks") != NULL;
	g_string_append(out, "<h3>Locks</h3>\n");
	html_element(out, "p",
		     any ? "How many CPUs wait for a lock of each class, and how many hold one, on average. A "
			   "wait lasts from the first failed attempt to ownership, a hold from there to the "
			   "release. Time in which the lock's line is on its way to a CPU that need not wait "
			   "for an owner is in the profile, in _raw_spin_lock and its sisters. Long waits for a "
			   "lock that is held briefly are its way from CPU to CPU, not the work done beneath it."
			 : "The result has no table of locks: it was made without --locks.");
	page_figures(page, "locks", out);
	for (int host = 0; host < VIEW_HOSTS; host++)
		for (guint i = 0; i < v->few->len; i++)
			put_table(v, g_ptr_array_index(v->few, i), host, out);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "courses.h"

#include <math.h>

const char *const courses_kinds[EH_COURSE_KINDS] = {
	[EH_COURSE_SEARCHES] = "searches",
	[EH_COURSE_SLABS] = "slabs",
	[EH_COURSE_RCU] = "rcu",
};

static void put_real(JsonBuilder *b, double x)
{
	if (isfinite(x))
		json_builder_add_double_value(b, x == 0 ? 0 : x); /* no "-0" */
	else
		json_builder_add_null_value(b);
}

static void put_rows(JsonBuilder *b, const struct eh_course *c)
{
	const char *const *columns = eh_course_columns[c->kind];

	json_builder_set_member_name(b, "rows");
	json_builder_begin_array(b);
	for (int i = 0; i < eh_course_rows(c); i++) {
		const double *row = eh_course_row(c, i);

		json_builder_begin_object(b);
		for (int k = 0; k < EH_COURSE_COLUMNS && columns[k]; k++) {
			json_builder_set_member_name(b, columns[k]);
			put_real(b, row[k]);
		}
		json_builder_end_object(b);
	}
	json_builder_end_array(b);
}

void courses_json(JsonBuilder *b, const GPtrArray *courses)
{
	static const char *const hosts[] = {"client", "server"};

	json_builder_set_member_name(b, "courses");
	json_builder_begin_array(b);
	for (guint i = 0; i < courses->len; i++) {
		const struct eh_course *c = g_ptr_array_index(courses, i);

		json_builder_begin_object(b);
		json_builder_set_member_name(b, "kind");
		json_builder_add_string_value(b, courses_kinds[c->kind]);
		json_builder_set_member_name(b, "host");
		json_builder_add_string_value(b, hosts[c->host]);
		json_builder_set_member_name(b, "cache");
		if (*c->name)
			json_builder_add_string_value(b, c->name);
		else
			json_builder_add_null_value(b);
		put_rows(b, c);
		json_builder_end_object(b);
	}
	json_builder_end_array(b);
}

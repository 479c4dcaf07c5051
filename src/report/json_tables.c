/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "json_tables.h"

#include "json_put.h"
#include "rcu.h"
#include "slabs.h"
#include "tables.h"
#include "where.h"

static double in_ns(double ps)
{
	return ps / (double)EH_NS;
}

static void put_locks(JsonBuilder *b, const char *host, const GPtrArray *rows)
{
	begin_array(b, host);
	for (guint i = 0; i < rows->len; i++) {
		const struct eh_lock_row *row = g_ptr_array_index(rows, i);
		bool none = !row->contentions;

		json_builder_begin_object(b);
		put_text(b, "name", row->name);
		put_text(b, "type", row->type);
		put_int(b, "con_bounces", (int64_t)row->con_bounces);
		put_int(b, "contentions", (int64_t)row->contentions);
		put_real(b, "waittime_min_ns", none ? NAN : in_ns((double)row->wait_min));
		put_real(b, "waittime_max_ns", none ? NAN : in_ns((double)row->wait_max));
		put_real(b, "waittime_total_ns", in_ns((double)row->wait_total));
		put_real(b, "waittime_avg_ns",
			 in_ns((double)row->wait_total / (double)row->contentions));
		put_int(b, "acq_bounces", (int64_t)row->acq_bounces);
		put_int(b, "acquisitions", (int64_t)row->acquisitions);
		put_real(b, "holdtime_min_ns", in_ns((double)row->hold_min));
		put_real(b, "holdtime_max_ns", in_ns((double)row->hold_max));
		put_real(b, "holdtime_total_ns", in_ns((double)row->hold_total));
		put_real(b, "holdtime_avg_ns", in_ns(tables_mean_hold(row)));
		json_builder_end_object(b);
	}
	json_builder_end_array(b);
}

static void put_lines(JsonBuilder *b, const char *host, const GPtrArray *rows)
{
	begin_array(b, host);
	for (guint i = 0; i < rows->len; i++) {
		const struct eh_line_row *row = g_ptr_array_index(rows, i);

		json_builder_begin_object(b);
		put_text(b, "cacheline", row->name);
		put_real(b, "share", row->share);
		put_int(b, "tot_hitm", (int64_t)(row->lcl_hitm + row->rmt_hitm));
		put_int(b, "lcl_hitm", (int64_t)row->lcl_hitm);
		put_int(b, "rmt_hitm", (int64_t)row->rmt_hitm);
		put_int(b, "lcl_store", (int64_t)row->lcl_store);
		put_int(b, "rmt_store", (int64_t)row->rmt_store);
		put_real(b, "wait_mean_ns", in_ns(tables_mean_wait(row)));
		put_int(b, "lines", row->lines);
		put_real(b, "hottest_share", row->hottest ? row->hottest_share : NAN);
		if (row->hottest)
			put_int(b, "hottest_line", row->hottest);
		else
			put_text(b, "hottest_line", NULL);
		json_builder_end_object(b);
	}
	json_builder_end_array(b);
}

static void put_where(JsonBuilder *b, const struct eh_point *p, int host)
{
	static const char *const hosts[] = {"client", "server"};

	begin_object(b, hosts[host]);
	put_int(b, "busy_ps", p->where_busy[host]);
	begin_array(b, "rows");
	for (guint i = 0; i < p->where[host]->len; i++) {
		const struct eh_where_row *row = g_ptr_array_index(p->where[host], i);
		struct eh_where_sum sum = where_sum(row);

		json_builder_begin_object(b);
		put_text(b, "group", row->group);
		put_text(b, "reason", row->name);
		for (int k = 0; k < EH_WHERE_COLUMNS; k++)
			put_int(b, where_members[k], row->time[k]);
		put_int(b, "accesses", (int64_t)sum.lines);
		put_int(b, "hidden_ps", sum.hidden);
		json_builder_end_object(b);
	}
	json_builder_end_array(b);
	json_builder_end_object(b);
}

/* Members only of points that were asked for them. */
void json_tables(JsonBuilder *b, const struct eh_point *p)
{
	static const char *const hosts[] = {"client", "server"};

	if (p->with_locks) {
		begin_object(b, "locks");
		for (int h = 0; h < 2; h++)
			put_locks(b, hosts[h], p->locks[h]);
		json_builder_end_object(b);
	}
	if (p->with_lines) {
		begin_object(b, "lines");
		for (int h = 0; h < 2; h++)
			put_lines(b, hosts[h], p->lines[h]);
		json_builder_end_object(b);
	}
	if (p->with_rcu) {
		begin_object(b, "rcu");
		rcu_json(b, hosts[0], &p->rcu[0]);
		if (!p->one_host)
			rcu_json(b, hosts[1], &p->rcu[1]);
		json_builder_end_object(b);
	}
	if (p->with_slabs) {
		begin_object(b, "slabs");
		for (int h = 0; h < 2; h++)
			slabs_json(b, hosts[h], p->slabs[h]);
		json_builder_end_object(b);
	}
	if (p->with_where) {
		begin_object(b, "where");
		put_real(b, "ports", p->where_ports);
		put_real(b, "operations", p->where_operations);
		for (int h = 0; h < 2; h++)
			put_where(b, p, h);
		json_builder_end_object(b);
	}
}

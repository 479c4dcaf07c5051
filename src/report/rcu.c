/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rcu.h"

#include "layout.h"
#include "scale.h"

#include <inttypes.h>

static const char *const whats[] = {"grace periods", "synchronize_rcu", "expedited"};
static const char *const members[] = {"grace_periods", "synchronize_rcu",
				      "synchronize_rcu_expedited"};

/* Names as in JSON; what they mean is in the manual. */
static const struct count {
	const char *name;
	size_t offset;
} counts[] = {
#define COUNT(field)                                         \
	{                                                    \
#field, offsetof(struct eh_rcu_table, field) \
	}
	COUNT(scans),	COUNT(urgent),	   COUNT(heavy),     COUNT(reports), COUNT(found),
	COUNT(ipis),	COUNT(kicks),	   COUNT(overloads), COUNT(called),  COUNT(invoked),
	COUNT(batches), COUNT(qlen_peak),  COUNT(freed),     COUNT(waiting), COUNT(waiting_peak),
	COUNT(bytes),	COUNT(bytes_peak),
#undef COUNT
};

static uint64_t count_of(const struct eh_rcu_table *t, const struct count *c)
{
	return *(const uint64_t *)(const void *)((const char *)t + c->offset);
}

static void put_time(struct layout_table *table, eh_time t)
{
	layout_cell(table,
		    scale_print_unit(&(struct scale){.factor = 1e-3, .decimals = 3, .unit = "ms"},
				     (double)t / (double)EH_SEC));
}

static void print_times(const struct eh_rcu_table *t, const struct eh_report_options *o,
			GString *out)
{
	static const char *const heads[] = {"",	    "count", "mean", "50 %",
					    "90 %", "99 %",  "max",  NULL};
	struct layout_table *table = layout_table_new("lrrrrrr");

	for (const char *const *head = heads; *head; head++)
		layout_cell(table, g_strdup(*head));
	layout_row_end(table);
	for (int i = 0; i < EH_RCU_WHATS; i++) {
		const struct eh_rcu_times *x = &t->times[i];

		if (!x->count)
			continue;
		layout_cell(table, g_strdup(whats[i]));
		layout_cell(table, g_strdup_printf("%" PRIu64, x->count));
		put_time(table, x->mean);
		put_time(table, x->p50);
		put_time(table, x->p90);
		put_time(table, x->p99);
		put_time(table, x->max);
		layout_row_end(table);
	}
	layout_table_print(table, o, out);
}

static eh_time bin_begin(int i)
{
	return i ? EH_MS * ((eh_time)1 << i) >> EH_RCU_BIN_1MS : 0;
}

/* "2 ms ..": whole microseconds below a millisecond do not come out even, 976.562 us. */
static char *bin_name(int i)
{
	eh_time t = bin_begin(i);

	return t >= EH_MS ? g_strdup_printf("%" PRId64 " ms ..", t / EH_MS)
			  : g_strdup_printf("%.3g us ..", (double)t / (double)EH_US);
}

static uint64_t in_bin(const struct eh_rcu_table *t, int i)
{
	uint64_t n = 0;

	for (int k = 0; k < EH_RCU_WHATS; k++)
		n += t->times[k].bin[i];
	return n;
}

static void print_bins(const struct eh_rcu_table *t, const struct eh_report_options *o,
		       GString *out)
{
	struct layout_table *table = layout_table_new("rrrr");
	int first = 0, last = EH_RCU_BINS - 1;

	while (first < last && !in_bin(t, first))
		first++;
	while (last > first && !in_bin(t, last))
		last--;
	layout_cell(table, g_strdup("from"));
	for (int k = 0; k < EH_RCU_WHATS; k++)
		if (t->times[k].count)
			layout_cell(table, g_strdup(whats[k]));
	layout_row_end(table);
	for (int i = first; i <= last; i++) {
		layout_cell(table, bin_name(i));
		for (int k = 0; k < EH_RCU_WHATS; k++)
			if (t->times[k].count)
				layout_cell(table, g_strdup_printf("%" PRIu64, t->times[k].bin[i]));
		layout_row_end(table);
	}
	layout_table_print(table, o, out);
}

static void print_counts(const struct eh_rcu_table *t, const struct eh_report_options *o,
			 GString *out)
{
	struct layout_table *table = layout_table_new("lrlrlr");

	for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
		layout_cell(table, g_strdup(counts[i].name));
		layout_cell(table, g_strdup_printf("%" PRIu64, count_of(t, &counts[i])));
		if (i % 3 == 2 || i + 1 == G_N_ELEMENTS(counts))
			layout_row_end(table);
	}
	layout_table_print(table, o, out);
}

static bool any_time(const struct eh_rcu_table *t)
{
	for (int i = 0; i < EH_RCU_WHATS; i++)
		if (t->times[i].count)
			return true;
	return false;
}

void rcu_print(const struct eh_point *p, const struct eh_report_options *o, GString *out)
{
	static const char *const hosts[] = {" on the client", " on the server"};

	for (int h = 0; p->with_rcu && h < (p->one_host ? 1 : 2); h++) {
		const struct eh_rcu_table *t = &p->rcu[h];

		g_string_append_printf(out, "  RCU%s:\n", p->one_host ? "" : hosts[h]);
		if (any_time(t)) {
			print_times(t, o, out);
			print_bins(t, o, out);
		} else {
			g_string_append(out, "    no grace period ended\n");
		}
		print_counts(t, o, out);
		g_string_append_c(out, '\n');
	}
}

/* --- JSON --- */

static void put_int(JsonBuilder *b, const char *name, int64_t x)
{
	json_builder_set_member_name(b, name);
	json_builder_add_int_value(b, x);
}

static void put_ns(JsonBuilder *b, const char *name, const struct eh_rcu_times *x, eh_time t)
{
	json_builder_set_member_name(b, name);
	if (x->count)
		json_builder_add_int_value(b, t / EH_NS);
	else
		json_builder_add_null_value(b);
}

static void put_times(JsonBuilder *b, const char *name, const struct eh_rcu_times *x)
{
	json_builder_set_member_name(b, name);
	json_builder_begin_object(b);
	put_int(b, "count", (int64_t)x->count);
	put_ns(b, "mean_ns", x, x->mean);
	put_ns(b, "p50_ns", x, x->p50);
	put_ns(b, "p90_ns", x, x->p90);
	put_ns(b, "p99_ns", x, x->p99);
	put_ns(b, "max_ns", x, x->max);
	json_builder_set_member_name(b, "histogram");
	json_builder_begin_array(b);
	for (int i = 0; i < EH_RCU_BINS; i++) {
		if (!x->bin[i])
			continue;
		json_builder_begin_object(b);
		put_int(b, "from_ns", bin_begin(i) / EH_NS);
		put_int(b, "count", (int64_t)x->bin[i]);
		json_builder_end_object(b);
	}
	json_builder_end_array(b);
	json_builder_end_object(b);
}

void rcu_json(JsonBuilder *b, const char *host, const struct eh_rcu_table *t)
{
	json_builder_set_member_name(b, host);
	json_builder_begin_object(b);
	for (int i = 0; i < EH_RCU_WHATS; i++)
		put_times(b, members[i], &t->times[i]);
	for (size_t i = 0; i < G_N_ELEMENTS(counts); i++)
		put_int(b, counts[i].name, (int64_t)count_of(t, &counts[i]));
	json_builder_end_object(b);
}

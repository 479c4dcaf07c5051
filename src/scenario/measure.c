/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define CONFIDENCE 0.95

static void read_host(struct eh_reading *r, int host, const struct eh_machine *m)
{
	for (int i = 0; i < m->ncpus; i++) {
		r->accesses += m->cpus[i].accesses;
		r->transfers += m->cpus[i].transfers;
		for (int sym = 0; sym < EH_SYM_COUNT; sym++)
			r->charged[host][sym] += m->cpus[i].charged[sym];
	}
}

void eh_reading_take(struct eh_reading *r, const struct eh_world *w)
{
	memset(r, 0, sizeof(*r));
	r->at = eh_sim_now(w->sim);
	if (w->lab) {
		eh_lab_stats(w->lab, &r->lab);
		read_host(r, 0, eh_lab_machine(w->lab));
		if (eh_lab_host(w->lab))
			r->tcp[0] = eh_lab_host(w->lab)->tcp->count;
		return;
	}
	eh_crr_stats(w->crr, &r->crr);
	eh_inet_search_stats(w->client, &r->search);
	read_host(r, 0, w->client->m);
	read_host(r, 1, w->server->m);
	r->tcp[0] = w->client->tcp->count;
	r->tcp[1] = w->server->tcp->count;
	if (w->streams)
		eh_reading_stream(r, w);
}

static GArray *doubles(void)
{
	return g_array_new(FALSE, FALSE, sizeof(double));
}

void eh_batches_init(struct eh_batches *b)
{
	*b = (struct eh_batches){doubles(), doubles(), doubles(), doubles(), doubles(),
				 doubles(), doubles(), doubles(), doubles(), doubles(),
				 doubles(), doubles(), doubles(), doubles(), doubles(),
				 doubles(), doubles(), doubles(), doubles(), doubles(),
				 doubles(), doubles(), doubles(), doubles(), {NULL}, 0, false};
	for (int i = 0; i < EH_LAB_COUNTS; i++)
		b->count[i] = doubles();
}

void eh_batches_clear(struct eh_batches *b)
{
	GArray *all[] = {b->length,	b->transactions, b->candidates,	  b->ended,
			 b->searches,	b->search_ns,	 b->stime,	  b->utime,
			 b->operations, b->thread_ns,	 b->acquisitions, b->contentions,
			 b->waited,	b->transfers,	 b->binds,	  b->bind_ns,
			 b->allocs,	b->frees,	 b->alloc_ns,	  b->free_ns,
			 b->lookups,	b->lookup_ns,	 b->bytes,	  b->stack_ns};

	for (size_t i = 0; i < G_N_ELEMENTS(all); i++)
		g_array_free(all[i], TRUE);
	for (int i = 0; i < EH_LAB_COUNTS; i++)
		g_array_free(b->count[i], TRUE);
}

static void add(GArray *a, double x)
{
	g_array_append_val(a, x);
}

static double seconds(eh_time t)
{
	return (double)t / (double)EH_SEC;
}

static double ns(eh_time t)
{
	return (double)t / (double)EH_NS;
}

void eh_batches_add(struct eh_batches *b, const struct eh_reading *from, const struct eh_reading *to)
{
	add(b->length, seconds(to->at - from->at));
	add(b->transactions, b->streams ? (double)(to->bytes - from->bytes) * 8 / 1e6 :
					  (double)(to->crr.transactions - from->crr.transactions));
	add(b->candidates, (double)(to->search.candidates - from->search.candidates));
	add(b->ended, (double)(to->search.ended - from->search.ended));
	add(b->searches, (double)(to->search.searches - from->search.searches));
	add(b->search_ns, (double)(to->search.time - from->search.time) / (double)EH_NS);
	add(b->stime, seconds(to->crr.stime - from->crr.stime));
	add(b->utime, seconds(to->crr.utime - from->crr.utime));
	add(b->operations, (double)(to->lab.operations - from->lab.operations));
	add(b->thread_ns, b->threads * (double)(to->at - from->at) / (double)EH_NS);
	add(b->acquisitions, (double)(to->lab.locks.acquisitions - from->lab.locks.acquisitions));
	add(b->contentions, (double)(to->lab.locks.contentions - from->lab.locks.contentions));
	add(b->transfers, (double)(to->transfers - from->transfers));
	add(b->binds, (double)(to->lab.binds - from->lab.binds));
	add(b->bind_ns, (double)(to->lab.bind_time - from->lab.bind_time) / (double)EH_NS);
	add(b->allocs, (double)(to->lab.allocs - from->lab.allocs));
	add(b->frees, (double)(to->lab.frees - from->lab.frees));
	add(b->alloc_ns, (double)(to->lab.alloc_time - from->lab.alloc_time) / (double)EH_NS);
	add(b->free_ns, (double)(to->lab.free_time - from->lab.free_time) / (double)EH_NS);
	add(b->lookups, (double)(to->lab.transfer.lookups - from->lab.transfer.lookups));
	add(b->lookup_ns, ns(to->lab.transfer.lookup_time - from->lab.transfer.lookup_time));
	add(b->bytes, (double)(to->lab.transfer.bytes - from->lab.transfer.bytes));
	add(b->stack_ns, ns(eh_transfer_stack_time(to->charged[0]) -
			    eh_transfer_stack_time(from->charged[0])));
	add(b->waited, seconds(to->lab.locks.wait_total - from->lab.locks.wait_total));
	for (int i = 0; i < EH_LAB_COUNTS; i++)
		add(b->count[i], (double)(to->lab.count[i] - from->lab.count[i]));
}

struct eh_interval eh_batches_ratio(const GArray *a, const GArray *b)
{
	return eh_ratio_interval((const double *)(void *)a->data, (const double *)(void *)b->data,
				 (int)a->len, CONFIDENCE);
}

static double sum(const GArray *a)
{
	double s = 0;

	for (guint i = 0; i < a->len; i++)
		s += g_array_index(a, double, i);
	return s;
}

/*
 * Transactions by batch, newly allocated. Threads search in step with each other for long, so a batch that
 * ends in front of a burst of completions holds few: a search under way at either end of a batch counts as
 * the part of a mean search that has been done. Over many batches the mean is the plain one. No rate is
 * negative for that.
 */
static GArray *whole_and_part(const struct eh_batches *b)
{
	double searches = sum(b->searches), mean = searches > 0 ? sum(b->ended) / searches : 0;
	GArray *n = doubles();

	for (guint i = 0; i < b->transactions->len; i++) {
		double part = g_array_index(b->candidates, double, i) -
			      g_array_index(b->ended, double, i);

		add(n, g_array_index(b->transactions, double, i) + (mean > 0 ? part / mean : 0));
	}
	if (sum(n) < 0) { /* hardly anything happened but the ends of searches from before */
		g_array_set_size(n, 0);
		g_array_append_vals(n, b->transactions->data, b->transactions->len);
	}
	return n;
}

const char *const eh_until_words[] = {"throughput_per_s", "candidates_per_connect",
				      "ns_per_candidate", "stime_per_transaction_s", NULL};

/* A ratio of two sums; *own is to be freed. False if a run cannot wait for it. */
static bool sums(const struct eh_batches *b, const char *metric, const GArray **of, const GArray **per,
		 GArray **own)
{
	*own = NULL;
	if (!strcmp(metric, "throughput_per_s")) {
		*of = *own = whole_and_part(b);
		*per = b->length;
	} else if (!strcmp(metric, "candidates_per_connect")) {
		*of = b->ended;
		*per = b->searches;
	} else if (!strcmp(metric, "ns_per_candidate")) {
		*of = b->search_ns;
		*per = b->ended;
	} else if (!strcmp(metric, "stime_per_transaction_s")) {
		*of = b->stime;
		*per = b->transactions;
	} else {
		return false;
	}
	return true;
}

bool eh_batches_metric(const struct eh_batches *b, const char *metric, struct eh_interval *i)
{
	const GArray *of, *per;
	GArray *own;

	if (b->threads)
		return eh_batches_lab_metric(b, metric, i);
	if (!sums(b, metric, &of, &per, &own))
		return false;
	*i = eh_batches_ratio(of, per);
	g_clear_pointer(&own, g_array_unref);
	return true;
}

GArray *eh_batches_series(const struct eh_batches *b, const char *metric)
{
	GArray *series = doubles(), *own = NULL;
	const GArray *of, *per;
	double factor = 1;
	bool fine = b->threads ? eh_batches_lab_sums(b, metric, &of, &per, &factor) :
				 sums(b, metric, &of, &per, &own);

	for (guint i = 0; fine && i < of->len; i++) {
		double n = g_array_index(per, double, i);

		fine = n > 0;
		add(series, fine ? factor * g_array_index(of, double, i) / n : 0);
	}
	g_clear_pointer(&own, g_array_unref);
	if (!fine)
		g_clear_pointer(&series, g_array_unref);
	return series;
}

void eh_measure_ratio(struct eh_point *p, const char *name, const GArray *a, const GArray *b,
		      double factor)
{
	struct eh_interval i = eh_batches_ratio(a, b);
	double *dev;

	if (sum(b) <= 0) {
		eh_point_metric_null(p, name, "none ended in the window");
		return;
	}
	dev = g_new0(double, a->len);
	eh_ratio_dev((const double *)(void *)a->data, (const double *)(void *)b->data, (int)a->len, dev);
	for (guint k = 0; k < a->len; k++)
		dev[k] *= factor;
	eh_point_metric(p, name, i.mean * factor, i.lo * factor, i.hi * factor);
	eh_point_metric_dev(p, name, dev, (int)a->len, true);
	g_free(dev);
}

static void ratio(struct eh_point *p, const char *name, const GArray *a, const GArray *b)
{
	eh_measure_ratio(p, name, a, b, 1);
}

/* Little's law: every flow is always in a transaction. */
static void latency(struct eh_point *p, double flows)
{
	const struct eh_metric *t = eh_point_find(p, "throughput_per_s");
	double mean = flows / t->mean, *dev = g_new0(double, MAX(t->ndev, 1));

	for (int i = 0; i < t->ndev; i++)
		dev[i] = -mean / t->mean * t->dev[i];
	eh_point_metric(p, "latency_mean_s", mean, flows / t->hi, t->lo > 0 ? flows / t->lo : INFINITY);
	eh_point_metric_dev(p, "latency_mean_s", dev, t->ndev, true);
	g_free(dev);
}

static void number(struct eh_point *p, const char *name, double x)
{
	eh_point_metric(p, name, x, x, x);
}

void eh_measure_window(struct eh_point *p, const struct eh_values *v, const struct eh_batches *b,
		       const struct eh_reading *from, const struct eh_reading *to)
{
	static const char *const cold_only = "needs run.start: cold (it contains the wait for set-up)";
	double flows = (double)v->workload.flows;
	GArray *transactions = whole_and_part(b), *busy = doubles();

	ratio(p, "throughput_per_s", transactions, b->length);
	eh_point_metric_null(p, "latency_min_s", cold_only);
	eh_point_metric_null(p, "latency_max_s", cold_only);
	eh_point_metric_null(p, "latency_stddev_s", cold_only);
	if (b->streams)
		eh_point_metric_null(p, "latency_mean_s", "a stream has no transactions");
	else if (eh_point_find(p, "throughput_per_s")->mean > 0)
		latency(p, flows);
	number(p, "utime_s", seconds(to->crr.utime - from->crr.utime));
	number(p, "stime_s", seconds(to->crr.stime - from->crr.stime));
	ratio(p, "utime_per_transaction_s", b->utime, transactions);
	ratio(p, "stime_per_transaction_s", b->stime, transactions);
	for (guint i = 0; i < b->length->len; i++)
		add(busy, g_array_index(b->stime, double, i) + g_array_index(b->utime, double, i));
	ratio(p, "busy_cpus", busy, b->length);
	g_array_free(busy, TRUE);
	if (b->streams) {
		eh_point_metric_null(p, "candidates_per_connect", "streams are connected");
		eh_point_metric_null(p, "ns_per_candidate", "streams are connected");
	} else if (v->workload.reconnect) {
		ratio(p, "candidates_per_connect", b->ended, b->searches);
		ratio(p, "ns_per_candidate", b->search_ns, b->ended);
	} else {
		eh_point_metric_null(p, "candidates_per_connect", "needs workload.reconnect: yes");
		eh_point_metric_null(p, "ns_per_candidate", "needs workload.reconnect: yes");
	}
	g_array_free(transactions, TRUE);
}

void eh_measure_where(struct eh_point *p, const struct eh_batches *b, const struct eh_reading *from,
		      const struct eh_reading *to)
{
	GArray *transactions = whole_and_part(b);

	p->where_ports = (double)(to->search.candidates - from->search.candidates);
	p->where_operations = b->threads ? sum(b->operations) : sum(transactions);
	g_array_unref(transactions);
}

/* neper takes the first reading at the first transaction, which may come behind the alarm. */
static void whole_times(struct eh_point *p, const struct eh_neper *n, double window)
{
	static const char *const names[] = {"utime_s", "stime_s", "utime_per_transaction_s",
					    "stime_per_transaction_s", "busy_cpus"};
	double utime = n->utime_end - n->utime_start, stime = n->stime_end - n->stime_start;
	const double values[] = {utime, stime, utime / window / n->throughput,
				 stime / window / n->throughput, (stime + utime) / window};

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		if (utime < 0 || stime < 0)
			eh_point_metric_null(p, names[i],
					     "run.length was over before the first transaction");
		else
			number(p, names[i], values[i]);
	}
}

void eh_measure_whole(struct eh_point *p, const struct eh_values *v, const struct eh_world *w,
		      const struct eh_reading *to)
{
	struct eh_neper n;
	double window, connects, candidates;

	eh_crr_neper(w->crr, &n);
	if (!n.num_transactions) {
		eh_point_metric_null(p, "throughput_per_s", "no transaction was counted");
		eh_point_metric_null(p, "latency_mean_s", "no transaction was counted");
		return;
	}
	window = seconds(v->run.length);
	number(p, "throughput_per_s", n.throughput);
	number(p, "latency_min_s", n.latency_min);
	number(p, "latency_mean_s", n.latency_mean);
	number(p, "latency_max_s", n.latency_max);
	number(p, "latency_stddev_s", n.latency_stddev);
	for (int i = 0; i < EH_PERCENTILES; i++) {
		char *name = g_strdup_printf("latency_p%d_s", eh_percentiles[i]);

		number(p, name, n.latency_percentile[i]);
		g_free(name);
	}
	number(p, "num_transactions", (double)n.num_transactions);
	number(p, "num_samples", (double)n.num_samples);
	number(p, "stime_start_s", n.stime_start);
	whole_times(p, &n, window);
	connects = (double)(to->search.searches - to->crr.setup_connects);
	candidates = (double)(to->search.candidates - to->crr.setup_candidates);
	number(p, "candidates_per_connect", candidates / connects);
	number(p, "ns_per_candidate",
	       (double)(to->search.time - to->crr.setup_search) / (double)EH_NS / candidates);
}

void eh_measure_setup(struct eh_point *p, const struct eh_reading *to)
{
	number(p, "setup_stime_s", seconds(to->crr.setup_stime));
	number(p, "setup_candidates", (double)to->crr.setup_candidates);
	number(p, "setup_ns_per_candidate",
	       (double)to->crr.setup_search / (double)EH_NS / (double)to->crr.setup_candidates);
}

static int larger_first(gconstpointer a, gconstpointer b)
{
	const struct eh_profile_row *x = *(struct eh_profile_row *const *)a;
	const struct eh_profile_row *y = *(struct eh_profile_row *const *)b;

	return x->share != y->share ? (x->share < y->share ? 1 : -1) : strcmp(x->symbol, y->symbol);
}

void eh_measure_profiles(struct eh_point *p, const struct eh_reading *from,
			 const struct eh_reading *to)
{
	GPtrArray *rows[] = {p->client, p->server};

	for (int h = 0; h < 2; h++) {
		double sum = 0;

		for (int sym = 0; sym < EH_SYM_COUNT; sym++)
			sum += (double)(to->charged[h][sym] - from->charged[h][sym]);
		for (int sym = 0; sym < EH_SYM_COUNT; sym++) {
			eh_time t = to->charged[h][sym] - from->charged[h][sym];

			if (t > 0)
				eh_profile_add(rows[h], eh_symbol_name(sym), (double)t / sum,
					       sym == EH_SYM_USER);
		}
		g_ptr_array_sort(rows[h], larger_first);
	}
}

static void options(GPtrArray *to, const struct eh_values *v, bool client)
{
	eh_pair_add(to, "VERSION", "1.1.0");
	eh_pair_add(to, "client", "%d", client);
	eh_pair_add(to, "ipv6", "%d", v->network.family == 1);
	if (v->workload.kind == EH_TCP_STREAM) {
		eh_pair_add(to, "buffer_size", "%" PRId64,
			    client ? v->workload.tcp_stream.write : v->workload.tcp_stream.read);
	} else {
		eh_pair_add(to, "request_size", "%" PRId64, v->workload.request);
		eh_pair_add(to, "response_size", "%" PRId64, v->workload.response);
	}
	eh_pair_add(to, "test_length", "%d", (int)seconds(v->run.length));
	eh_pair_add(to, "num_threads", "%" PRId64,
		    client ? v->workload.threads : v->workload.server_threads);
	eh_pair_add(to, "num_flows", "%" PRId64, v->workload.flows);
	eh_pair_add(to, "maxevents", "1000");
}

void eh_measure_neper(struct eh_point *p, const struct eh_values *v, const struct eh_world *w)
{
	GPtrArray *c = p->neper_client;
	struct eh_neper n;

	eh_crr_neper(w->crr, &n);
	options(c, v, true);
	eh_pair_add(c, "total_run_time", "%d", (int)seconds(v->run.length));
	eh_pair_add(c, "invalid_secret_count", "0");
	eh_pair_add(c, "time_start", "%.9f", n.time_start);
	eh_pair_add(c, "utime_start", "%.6f", n.utime_start);
	eh_pair_add(c, "utime_end", "%.6f", n.utime_end);
	eh_pair_add(c, "stime_start", "%.6f", n.stime_start);
	eh_pair_add(c, "stime_end", "%.6f", n.stime_end);
	eh_pair_add(c, "num_transactions", "%" PRIu64, n.num_transactions);
	if (v->run.start != EH_START_STEADY) { /* a flow's first latency begins before a window */
		eh_pair_add(c, "latency_min", "%.9f", n.latency_min);
		eh_pair_add(c, "latency_max", "%.9f", n.latency_max);
		eh_pair_add(c, "latency_mean", "%.9f", n.latency_mean);
		eh_pair_add(c, "latency_stddev", "%.9f", n.latency_stddev);
		for (int i = 0; i < EH_PERCENTILES; i++) {
			char *name = g_strdup_printf("latency_p%d", eh_percentiles[i]);

			eh_pair_add(c, name, "%.9f", n.latency_percentile[i]);
			g_free(name);
		}
		eh_pair_add(c, "num_samples", "%" PRIu64, n.num_samples);
	}
	eh_pair_add(c, "time_end", "%.9f", n.time_end);
	eh_pair_add(c, "throughput", "%.2f", n.throughput);
	eh_pair_add(c, "throughput_units", w->streams ? "Mbit/s" : "transactions/s");
	eh_pair_add(c, "local_throughput", "%.0f", n.throughput);
	options(p->neper_server, v, false);
	eh_pair_add(p->neper_server, "total_run_time", "%d", (int)seconds(v->run.length));
	eh_pair_add(p->neper_server, "invalid_secret_count", "0");
	eh_pair_add(p->neper_server, "time_start", "0.000000000");
	eh_pair_add(p->neper_server, "remote_throughput", "%.0f", n.throughput);
}

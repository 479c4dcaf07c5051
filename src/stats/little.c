/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/little.h>

#include <glib.h>
#include <inttypes.h>

struct change {
	eh_time at;
	int by;
};

struct eh_little {
	const struct eh_sim *sim;
	const char *name;
	eh_time at, area; /* the integral runs up to `at` */
	int64_t inside;
	uint64_t arrivals, departures; /* those ahead of the clock included */
	uint64_t since;		       /* sum of the arrivals of those who have not departed; wraps */
	int nahead, room;
	struct change ahead[]; /* the earliest last; of equal ones the first to be told */
};

struct eh_little *eh_little_new(const struct eh_sim *sim, const char *name, int room)
{
	struct eh_little *q = g_malloc0(sizeof(*q) + (size_t)room * sizeof(q->ahead[0]));

	q->sim = sim;
	q->name = name;
	q->room = room;
	return q;
}

const char *eh_little_name(const struct eh_little *q)
{
	return q->name;
}

static void run_to(struct eh_little *q, eh_time at)
{
	eh_assert(q->sim, at >= q->at);
	q->area += q->inside * (at - q->at);
	q->at = at;
}

static void change(struct eh_little *q, eh_time at, int by)
{
	run_to(q, at);
	q->inside += by;
	eh_assert(q->sim, q->inside >= 0);
}

static void catch_up(struct eh_little *q, eh_time now)
{
	while (q->nahead && q->ahead[q->nahead - 1].at <= now) {
		q->nahead--;
		change(q, q->ahead[q->nahead].at, q->ahead[q->nahead].by);
	}
}

static void add(struct eh_little *q, eh_time at, int by)
{
	eh_time now = eh_sim_now(q->sim);
	int i;

	catch_up(q, now);
	if (at <= now) {
		change(q, at, by);
		return;
	}
	eh_assert(q->sim, q->nahead < q->room);
	for (i = q->nahead++; i > 0 && q->ahead[i - 1].at <= at; i--)
		q->ahead[i] = q->ahead[i - 1];
	q->ahead[i] = (struct change){at, by};
}

void eh_little_enter(struct eh_little *q, eh_time at)
{
	q->arrivals++;
	q->since += (uint64_t)at;
	add(q, at, 1);
}

void eh_little_leave(struct eh_little *q, eh_time since, eh_time at)
{
	eh_assert(q->sim, at >= since);
	q->departures++;
	q->since -= (uint64_t)since;
	add(q, at, -1);
}

/* Who arrives ahead of the clock has no age yet; who departs ahead of it is still inside. */
void eh_little_read(struct eh_little *q, uint64_t left, eh_time waited, struct eh_little_reading *r)
{
	eh_time now = eh_sim_now(q->sim);
	uint64_t ages = (q->arrivals - q->departures) * (uint64_t)now - q->since;

	catch_up(q, now);
	run_to(q, now);
	for (int i = 0; i < q->nahead; i++)
		ages += (uint64_t)(q->ahead[i].by * (q->ahead[i].at - now));
	*r = (struct eh_little_reading){
		.at = now,
		.area = q->area,
		.waited = waited,
		.ages = (eh_time)ages,
		.left = left,
		.departures = q->departures,
		.inside = q->inside,
	};
}

static eh_time rate_times_wait(const struct eh_little_reading *from,
			       const struct eh_little_reading *to)
{
	return to->waited - from->waited + to->ages - from->ages;
}

bool eh_little_holds(const struct eh_little_reading *from, const struct eh_little_reading *to)
{
	return to->left - from->left == to->departures - from->departures &&
	       to->area - from->area == rate_times_wait(from, to);
}

void eh_little_check(const struct eh_little *q, const char *host,
		     const struct eh_little_reading *from, const struct eh_little_reading *to)
{
	char *why;

	if (eh_likely(eh_little_holds(from, to)))
		return;
	why = g_strdup_printf("Little's law of queue '%s' on %s: %" PRIu64 " left of %" PRIu64
			      ", integral %" PRId64 " ps, waits with edges %" PRId64 " ps",
			      q->name, host, to->left - from->left,
			      to->departures - from->departures, to->area - from->area,
			      rate_times_wait(from, to));
	eh_assert_failed(q->sim, why, __FILE__, __LINE__);
}

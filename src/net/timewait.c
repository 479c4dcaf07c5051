/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * TIME_WAIT: a connection closed from this side keeps its tuple for kernel.timewait, in a socket of
 * 256 bytes that takes its place in both tables. The order is v6.12's: into the owners of the bind
 * bucket under both bind locks, then, under the ehash lock, at the head of the chain before the old
 * socket leaves it, so that no lookup misses both; its timer starts under that lock.
 */
#include "inet_table.h"
#include "path.h"

#define SKIP_SEQUENCE 65537 /* a connection that follows begins so far behind the old one */

static void killed(struct eh_cpu *c, struct eh_timewait *tw);

static void timer_fires(struct eh_cpu *c, struct eh_timer *t)
{
	struct eh_timewait *tw = eh_container_of(t, struct eh_timewait, timer);

	tw->sk.host->tcp->count.tw_killed++;
	killed(c, tw);
}

static void schedule(struct eh_cpu *c, struct eh_timewait *tw)
{
	eh_timer_mod(c, &tw->timer, timer_fires, tw->sk.host->kernel->timewait);
}

static struct eh_timewait *allocate(struct eh_cpu *c, struct eh_tcp *tp, bool fin_wait2)
{
	struct eh_host *h = tp->sk.host;
	struct eh_tcp_host *th = h->tcp;
	struct eh_timewait *tw;

	if (th->tw_line)
		eh_load(c, EH_SYM(tcp_time_wait), th->tw_line, 0);
	if (th->tw_count >= h->kernel->tcp_max_tw_buckets) {
		th->count.tw_overflow++;
		return NULL;
	}
	tw = eh_timewait_new(c, h);
	eh_path(c, EH_SYM(tcp_time_wait), h->kernel->cost.time_wait);
	eh_touch(c, EH_SYM(tcp_time_wait), tw->sk.obj->line, EH_TW_LINES, true);
	tw->sk.laddr = tp->sk.laddr;
	tw->sk.lport = tp->sk.lport;
	tw->sk.raddr = tp->sk.raddr;
	tw->sk.rport = tp->sk.rport;
	tw->sk.tuple = tp->sk.tuple;
	tw->fin_wait2 = fin_wait2;
	tw->snd_nxt = tp->snd_nxt;
	tw->rcv_nxt = tp->rcv_nxt;
	tw->ts_stamp = tp->ts_stamp;
	return tw;
}

/* inet_twsk_hashdance_schedule */
static void hashdance(struct eh_cpu *c, struct eh_timewait *tw, struct eh_tcp *tp)
{
	struct eh_host *h = tw->sk.host;
	struct eh_inet_hash *t = h->hash;
	struct eh_spinlock *lock = eh_ehash_lockp(t, &tw->sk);
	const int sym = EH_SYM(inet_twsk_hashdance_schedule);

	eh_inet_share_port(c, &tp->sk, &tw->sk, sym);
	eh_call(c, EH_SYM(_raw_spin_lock), h->kernel->cost.spin_lock);
	eh_spin_lock(c, lock, &h->ehash_lock, EH_SYM(_raw_spin_lock));
	eh_path(c, sym, h->kernel->cost.hashdance);
	eh_ehash_insert_locked(c, &tw->sk, sym);
	eh_ehash_remove_locked(c, &tp->sk, sym);
	tw->refs = 3;
	eh_store(c, sym, tw->sk.obj->line + 2);
	schedule(c, tw);
	eh_rmw(c, sym, h->tcp->tw_line);
	h->tcp->tw_count++;
	h->tcp->tw_peak = MAX(h->tcp->tw_peak, h->tcp->tw_count);
	h->tcp->count.time_waits++;
	eh_spin_unlock(c, lock, sym, h->kernel->cost.spin_unlock);
}

void eh_tcp_time_wait(struct eh_cpu *c, struct eh_tcp *tp, bool fin_wait2, bool process)
{
	struct eh_timewait *tw = allocate(c, tp, fin_wait2);

	if (tw) {
		eh_local_bh_disable(c);
		hashdance(c, tw, tp);
		eh_local_bh_enable(c);
	}
	eh_tcp_done(c, tp, 0, process);
}

static void count_down(struct eh_cpu *c, struct eh_timewait *tw, int sym)
{
	eh_rmw(c, sym, tw->sk.host->tcp->tw_line);
	tw->sk.host->tcp->tw_count--;
}

/* inet_twsk_kill, in softirq or with it off. Two of the references are the tables', one the timer's. */
static void killed(struct eh_cpu *c, struct eh_timewait *tw)
{
	struct eh_host *h = tw->sk.host;
	struct eh_spinlock *lock = eh_ehash_lockp(h->hash, &tw->sk);
	const int sym = EH_SYM(inet_twsk_kill);

	eh_path(c, sym, h->kernel->cost.tw_kill);
	eh_spin_lock(c, lock, &h->ehash_lock, EH_SYM(_raw_spin_lock));
	if (tw->sk.hashed)
		eh_ehash_remove_locked(c, &tw->sk, sym);
	eh_spin_unlock(c, lock, sym, h->kernel->cost.spin_unlock);
	eh_inet_put_port(c, &tw->sk, false);
	count_down(c, tw, sym);
	eh_timewait_put(c, tw, 3, sym);
}

void eh_twsk_deschedule_put(struct eh_cpu *c, struct eh_timewait *tw)
{
	bool ours = eh_timer_del(c->sim, &tw->timer);

	eh_local_bh_disable(c);
	if (ours)
		killed(c, tw);
	eh_timewait_put(c, tw, 1, EH_SYM(inet_twsk_kill));
	eh_local_bh_enable(c);
}

bool eh_twsk_unique(struct eh_cpu *c, struct eh_sock *sk, struct eh_sock *old)
{
	const struct eh_kernel_config *k = sk->host->kernel;
	struct eh_timewait *tw = old->tcp;
	struct eh_tcp *tp = sk->tcp;
	bool bound = sk->lport != 0;
	const int sym = EH_SYM(tcp_twsk_unique);

	if (old->state != EH_TCP_TIME_WAIT)
		return false;
	eh_path(c, sym, k->cost.twsk_unique);
	eh_load(c, sym, old->obj->line + 3, 0);
	/* tcp_tw_reuse 2, the default: on the loopback interface only, which no host here has */
	if (!tw->ts_stamp || (!bound && (tw->fin_wait2 || k->tcp_tw_reuse != 1 ||
					 eh_second(c->sim) <= tw->ts_stamp)))
		return false;
	eh_rmw(c, sym, old->obj->line + 2);
	tw->refs++;
	sk->host->tcp->count.tw_reused++;
	if (tp) {
		tp->snd_nxt = tw->snd_nxt + SKIP_SEQUENCE;
		tp->ts_stamp = tw->ts_stamp;
	}
	return true;
}

struct eh_timewait *eh_twsk_unhash(struct eh_cpu *c, struct eh_sock *old, int sym)
{
	eh_ehash_remove_locked(c, old, sym);
	return old->tcp;
}

/* Begins anew, unless it has fired. */
static void reschedule(struct eh_cpu *c, struct eh_timewait *tw)
{
	if (!tw->fin_wait2 && eh_timer_pending(&tw->timer))
		schedule(c, tw);
}

/* tcp_timewait_state_process */
bool eh_tcp_timewait_rcv(struct eh_cpu *c, struct eh_timewait *tw, struct eh_packet *p)
{
	struct eh_host *h = tw->sk.host;
	const int sym = EH_SYM(tcp_timewait_state_process);
	bool fresh = p->seq == tw->rcv_nxt;
	bool listens = eh_tcp_listen_group(h->tcp, p->dport) != NULL;

	tw->refs++;
	eh_path(c, sym, h->kernel->cost.tw_rcv);
	eh_touch(c, sym, tw->sk.obj->line, EH_TW_LINES, false);
	if (p->flags == EH_SYN && listens && !tw->fin_wait2 &&
	    !eh_seq_before(p->seq, tw->rcv_nxt)) { /* the next connection, to our listener */
		eh_twsk_deschedule_put(c, tw);
		return false;
	}
	if (p->flags & EH_RST) {
		if (fresh) {
			eh_twsk_deschedule_put(c, tw);
			eh_packet_consume(c, h, p);
			return true;
		}
	} else if (tw->fin_wait2 && fresh && p->payload) {
		eh_tcp_send_reset(c, h, p);
		eh_twsk_deschedule_put(c, tw);
		eh_packet_consume(c, h, p);
		return true;
	} else if (tw->fin_wait2 && fresh && p->flags & EH_FIN) {
		tw->fin_wait2 = false;
		tw->rcv_nxt++;
		reschedule(c, tw);
		eh_tcp_segment(c, &tw->sk, NULL, EH_ACK, 0, tw->snd_nxt, tw->rcv_nxt);
	} else if (!fresh || p->payload || p->flags & (EH_SYN | EH_FIN)) { /* a copy of an old one */
		reschedule(c, tw);
		eh_tcp_segment(c, &tw->sk, NULL, EH_ACK, 0, tw->snd_nxt, tw->rcv_nxt);
	} else {
		reschedule(c, tw);
	}
	if (!p->plain)
		tw->ts_stamp = eh_second(c->sim);
	eh_timewait_put(c, tw, 1, sym);
	eh_packet_consume(c, h, p);
	return true;
}

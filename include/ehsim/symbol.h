/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernel symbols that simulated time is charged to, as perf would print them. One list: the enum,
 * the names and the number all come from it. Charge time to the function whose instruction is the
 * oldest one not yet retired, as a cycles:P sample does.
 */
#ifndef EHSIM_SYMBOL_H
#define EHSIM_SYMBOL_H

#define EH_SYMBOLS(X)                                                                              \
	/* port search */                                                                          \
	X(_raw_spin_lock)                                                                          \
	X(_raw_spin_lock_bh)                                                                       \
	X(queued_spin_lock_slowpath)                                                               \
	X(_raw_spin_unlock_bh)                                                                     \
	X(__local_bh_enable_ip)                                                                    \
	X(__inet_hash_connect)                                                                     \
	X(__inet6_check_established)                                                               \
	X(__inet_check_established)                                                                \
	X(inet6_ehashfn)                                                                           \
	X(inet_ehashfn)                                                                            \
	X(__cond_resched)                                                                          \
	X(rcu_all_qs)                                                                              \
	/* connect and close */                                                                    \
	X(tcp_v6_connect)                                                                          \
	X(tcp_v4_connect)                                                                          \
	X(inet_bind_bucket_create)                                                                 \
	X(inet_bind_hash)                                                                          \
	X(inet_ehash_insert)                                                                       \
	X(__inet6_bind)                                                                            \
	X(__inet_bind)                                                                             \
	X(inet_csk_get_port)                                                                       \
	X(inet_csk_bind_conflict)                                                                  \
	X(inet_unhash)                                                                             \
	X(__inet_put_port)                                                                         \
	X(__inet_inherit_port)                                                                     \
	X(tcp_disconnect)                                                                          \
	X(tcp_send_active_reset)                                                                   \
	X(inet_csk_destroy_sock)                                                                   \
	X(tcp_send_fin)                                                                            \
	X(tcp_time_wait)                                                                           \
	X(inet_twsk_hashdance_schedule)                                                            \
	X(inet_twsk_kill)                                                                          \
	X(tcp_twsk_unique)                                                                         \
	X(tcp_timewait_state_process)                                                              \
	X(run_timer_softirq)                                                                       \
	X(asm_sysvec_apic_timer_interrupt)                                                         \
	X(reqsk_timer_handler)                                                                     \
	X(tcp_write_timer_handler)                                                                 \
	X(tcp_delack_timer_handler)                                                                \
	X(sk_alloc)                                                                                \
	X(sk_free)                                                                                 \
	X(kmem_cache_alloc_noprof)                                                                 \
	X(kmem_cache_free)                                                                         \
	X(kmem_cache_alloc_bulk_noprof)                                                            \
	X(kmem_cache_free_bulk)                                                                    \
	X(___slab_alloc)                                                                           \
	X(allocate_slab)                                                                           \
	X(__slab_free)                                                                             \
	/* SLAB, by the names of v5.0 */                                                           \
	X(kmem_cache_alloc)                                                                        \
	X(cache_alloc_refill)                                                                      \
	X(cache_grow_begin)                                                                        \
	X(cache_flusharray)                                                                        \
	X(free_block)                                                                              \
	X(__cache_free_alien)                                                                      \
	X(__drain_alien_cache)                                                                     \
	X(cache_reap)                                                                              \
	/* pages */                                                                                \
	X(get_page_from_freelist)                                                                  \
	X(rmqueue_bulk)                                                                            \
	X(free_unref_page)                                                                         \
	X(free_pcppages_bulk)                                                                      \
	X(__free_one_page)                                                                         \
	X(kvfree_call_rcu)                                                                         \
	X(kfree_rcu_work)                                                                          \
	/* system calls */                                                                         \
	X(entry_SYSCALL_64)                                                                        \
	X(alloc_empty_file)                                                                        \
	X(__fput)                                                                                  \
	X(do_sock_setsockopt)                                                                      \
	X(do_fcntl)                                                                                \
	X(do_epoll_ctl)                                                                            \
	X(do_epoll_wait)                                                                           \
	X(ep_poll_callback)                                                                        \
	X(tcp_sendmsg_locked)                                                                      \
	X(tcp_recvmsg_locked)                                                                      \
	X(inet_csk_accept)                                                                         \
	X(lock_sock_nested)                                                                        \
	X(release_sock)                                                                            \
	/* transmit and receive */                                                                 \
	X(__tcp_transmit_skb)                                                                      \
	X(ip6_xmit)                                                                                \
	X(__ip_queue_xmit)                                                                         \
	X(__dev_queue_xmit)                                                                        \
	X(napi_consume_skb)                                                                        \
	X(asm_common_interrupt)                                                                    \
	X(net_rx_action)                                                                           \
	X(napi_gro_receive)                                                                        \
	X(__netif_receive_skb_core)                                                                \
	X(ip6_rcv_core)                                                                            \
	X(ip_rcv_core)                                                                             \
	X(tcp_v6_rcv)                                                                              \
	X(tcp_v4_rcv)                                                                              \
	X(__inet6_lookup_established)                                                              \
	X(__inet_lookup_established)                                                               \
	X(inet6_lookup_listener)                                                                   \
	X(__inet_lookup_listener)                                                                  \
	X(tcp_conn_request)                                                                        \
	X(inet_csk_reqsk_queue_hash_add)                                                           \
	X(tcp_check_req)                                                                           \
	X(tcp_v6_syn_recv_sock)                                                                    \
	X(tcp_v4_syn_recv_sock)                                                                    \
	X(inet_csk_complete_hashdance)                                                             \
	X(inet_csk_reqsk_queue_add)                                                                \
	X(tcp_rcv_state_process)                                                                   \
	X(tcp_rcv_established)                                                                     \
	X(tcp_ack)                                                                                 \
	X(tcp_reset)                                                                               \
	X(tcp_fin)                                                                                 \
	X(tcp_send_challenge_ack)                                                                  \
	X(tcp_v6_send_reset)                                                                       \
	X(tcp_v4_send_reset)                                                                       \
	X(cookie_v6_check)                                                                         \
	X(cookie_v4_check)                                                                         \
	X(skb_set_owner_w)                                                                         \
	X(sock_wfree)                                                                              \
	X(__alloc_skb)                                                                             \
	X(sk_stream_alloc_skb)                                                                     \
	X(skb_clone)                                                                               \
	X(skb_release_data)                                                                        \
	X(kfree_skbmem)                                                                            \
	X(tcp_clean_rtx_queue)                                                                     \
	X(tcp_enter_memory_pressure)                                                               \
	X(tcp_wfree)                                                                               \
	X(sock_rfree)                                                                              \
	X(sock_def_readable)                                                                       \
	/* bulk, RPS, deferred frees */                                                            \
	X(napi_gro_frags)                                                                          \
	X(skb_gro_receive)                                                                         \
	X(get_rps_cpu)                                                                             \
	X(enqueue_to_backlog)                                                                      \
	X(process_backlog)                                                                         \
	X(flush_smp_call_function_queue)                                                           \
	X(__skb_datagram_iter)                                                                     \
	X(copy_user_enhanced_fast_string)                                                          \
	X(skb_attempt_defer_free)                                                                  \
	X(skb_defer_free_flush)                                                                    \
	/* scheduler, RCU, time */                                                                 \
	X(try_to_wake_up)                                                                          \
	X(__schedule)                                                                              \
	X(sched_tick)                                                                              \
	X(rcu_report_qs_rnp)                                                                       \
	X(rcu_check_quiescent_state)                                                               \
	X(rcu_start_batch)                                                                         \
	X(rcu_gp_init)                                                                             \
	X(rcu_gp_fqs_loop)                                                                         \
	X(force_qs_rnp)                                                                            \
	X(rcu_gp_cleanup)                                                                          \
	X(note_gp_changes)                                                                         \
	X(rcu_core)                                                                                \
	X(rcu_do_batch)                                                                            \
	X(__call_rcu_common)                                                                       \
	X(rcu_start_this_gp)                                                                       \
	X(synchronize_rcu)                                                                         \
	X(synchronize_rcu_expedited)                                                               \
	X(rcu_exp_handler)                                                                         \
	X(smp_call_function_single)                                                                \
	X(kfree_rcu_monitor)                                                                       \
	X(intel_idle)                                                                              \
	/* the lock kinds; what no kernel ever had carries a plain name */                         \
	X(_raw_spin_unlock)                                                                        \
	X(tas_spin_lock)                                                                           \
	X(ttas_spin_lock)                                                                          \
	X(backoff_spin_lock)                                                                       \
	X(ticket_spin_lock)                                                                        \
	X(mcs_spin_lock)                                                                           \
	X(mcs_spin_unlock)                                                                         \
	X(clh_spin_lock)                                                                           \
	X(_raw_read_lock)                                                                          \
	X(_raw_read_unlock)                                                                        \
	X(_raw_write_lock)                                                                         \
	X(_raw_write_unlock)                                                                       \
	X(__read_lock_failed)                                                                      \
	X(__write_lock_failed)                                                                     \
	X(queued_read_lock_slowpath)                                                               \
	X(queued_write_lock_slowpath)                                                              \
	X(write_seqlock)                                                                           \
	X(write_sequnlock)                                                                         \
	X(read_seqbegin)                                                                           \
	X(read_seqretry)                                                                           \
	X(mutex_lock)                                                                              \
	X(__mutex_lock)                                                                            \
	X(mutex_spin_on_owner)                                                                     \
	X(mutex_unlock)                                                                            \
	X(__mutex_unlock_slowpath)                                                                 \
	X(osq_lock)                                                                                \
	X(osq_unlock)                                                                              \
	X(down_read)                                                                               \
	X(up_read)                                                                                 \
	X(down_write)                                                                              \
	X(up_write)                                                                                \
	X(rwsem_down_read_slowpath)                                                                \
	X(rwsem_down_write_slowpath)                                                               \
	X(rwsem_spin_on_owner)                                                                     \
	X(rwsem_wake)                                                                              \
	X(futex_wait)                                                                              \
	X(futex_wake)                                                                              \
	/* the table of 2004 */                                                                    \
	X(__tcp_v4_lookup_established)                                                             \
	X(__tcp_v4_hash)                                                                           \
	X(tcp_unhash)                                                                              \
	X(__tcp_tw_hashdance)                                                                      \
	X(established_get_next)                                                                    \
	/* a host of 2004; its driver is nobody's in particular */                                 \
	X(do_IRQ)                                                                                  \
	X(eth_interrupt)                                                                           \
	X(netif_rx)                                                                                \
	X(alloc_skb)                                                                               \
	X(netif_receive_skb)                                                                       \
	X(ip_rcv)                                                                                  \
	X(ip_route_input)                                                                          \
	X(tcp_send_ack)                                                                            \
	X(dev_queue_xmit)                                                                          \
	X(csum_partial)                                                                            \
	X(__copy_to_user)                                                                          \
	X(__kfree_skb)                                                                             \
	X(do_select)                                                                               \
	X(tcp_recvmsg)                                                                             \
	X(generic_file_write)                                                                      \
	/* read sides that are no locks */                                                         \
	X(refcount_inc)                                                                            \
	X(refcount_dec_and_test)                                                                   \
	X(__srcu_read_lock)                                                                        \
	X(__srcu_read_unlock)

enum eh_symbol {
#define EH_SYM_ENUM(name) EH_SYM_##name,
	EH_SYMBOLS(EH_SYM_ENUM)
#undef EH_SYM_ENUM
	EH_SYM_USER, /* [.] in user space */
	EH_SYM_COUNT
};

const char *eh_symbol_name(int sym);

#define EH_SYM(name) EH_SYM_##name

#endif

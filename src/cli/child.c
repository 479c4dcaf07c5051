/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "child.h"
#include "memory.h"
#include "record.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

static volatile sig_atomic_t asked_to_stop;

static void on_stop(int number)
{
	asked_to_stop = number;
}

static void send_all(int fd, const void *data, size_t length)
{
	const char *at = data;

	while (length) {
		ssize_t n = write(fd, at, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) /* the parent is gone */
			_exit(EXIT_FAILURE);
		at += n;
		length -= (size_t)n;
	}
}

static void send(int fd, char kind, const void *data, size_t length)
{
	struct eh_child_header head;

	memset(&head, 0, sizeof(head));
	head.kind = kind;
	head.length = length;
	send_all(fd, &head, sizeof(head));
	send_all(fd, data, length);
}

/* The name behind it: a pointer of ours means nothing to the parent. */
static bool send_progress(const struct eh_progress *p, void *arg)
{
	GByteArray *bytes = g_byte_array_new();
	const char *metric = p->metric ? p->metric : "";

	g_byte_array_append(bytes, (const guint8 *)p, sizeof(*p));
	g_byte_array_append(bytes, (const guint8 *)metric, (guint)strlen(metric) + 1);
	send(*(int *)arg, 'p', bytes->data, bytes->len);
	g_byte_array_unref(bytes);
	return !asked_to_stop;
}

/* Ctrl-C and the end of a terminal reach all processes of it: the parent alone decides what they mean. */
static void child_signals(pid_t parent)
{
	struct sigaction action = {.sa_handler = on_stop};

	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	sigaction(SIGTERM, &action, NULL);
#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
}

void eh_child(const struct eh_jobs *jobs, struct eh_point *run, int fd, pid_t parent)
{
	GString *record = g_string_new(NULL);

	child_signals(parent);
	eh_memory_guard(NULL, EH_EXIT_MEMORY);
	jobs->work(run, send_progress, &fd, jobs->arg);
	eh_record_write(run, "", record);
	send(fd, 'r', record->str, record->len);
	_exit(EXIT_SUCCESS);
}

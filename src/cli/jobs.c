/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifdef __linux__
#define _GNU_SOURCE /* the CPUs we may use */
#endif
#include "jobs.h"
#include "child.h"
#include "memory.h"
#include "record.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sched.h>
#endif

#define TICK 250 /* milliseconds between two looks at the clock and at signals */

struct child {
	struct eh_task_run *task;
	pid_t pid;
	int fd;
	GByteArray *got;
	GString *record; /* NULL: not there yet */
};

struct pool {
	const struct eh_jobs *jobs;
	GPtrArray *children; /* struct child * that run */
	double correction;   /* the most that a run took of its estimate, from 1 */
	bool closed;	     /* no more runs begin */
	bool told;	     /* children were asked to stop */
};

int eh_jobs_cpus(void)
{
#ifdef __linux__
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		return MAX(CPU_COUNT(&set), 1);
#endif
	return MAX((int)sysconf(_SC_NPROCESSORS_ONLN), 1);
}

static void child_free(struct child *c)
{
	g_byte_array_unref(c->got);
	if (c->record)
		g_string_free(c->record, TRUE);
	g_free(c);
}

static void lose(struct eh_task_run *t, char *why)
{
	struct eh_point *run = t->run;

	t->lost = true;
	run->status = EH_FAILED;
	g_free(run->status_text);
	run->status_text = why;
}

static bool begin(struct pool *p, struct eh_task_run *t)
{
	pid_t parent = getpid(), pid;
	struct child *c;
	int ends[2];

	t->begun = true;
	if (pipe(ends)) {
		lose(t, g_strdup_printf("no process for it: pipe: %s", g_strerror(errno)));
		return false;
	}
	fflush(stdout);
	fflush(stderr);
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		eh_child(p->jobs, t->run, ends[1], parent);
	}
	close(ends[1]);
	if (pid < 0) {
		lose(t, g_strdup_printf("no process for it: fork: %s", g_strerror(errno)));
		close(ends[0]);
		return false;
	}
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	c = g_new0(struct child, 1);
	c->task = t;
	c->pid = pid;
	c->fd = ends[0];
	c->got = g_byte_array_new();
	g_ptr_array_add(p->children, c);
	return true;
}

static void take_messages(struct pool *p, struct child *c)
{
	const struct eh_jobs *jobs = p->jobs;
	struct eh_child_header head;

	while (c->got->len >= sizeof(head)) {
		const guint8 *data = c->got->data + sizeof(head);

		memcpy(&head, c->got->data, sizeof(head));
		if (c->got->len - sizeof(head) < head.length)
			return;
		if (head.kind == 'r') {
			c->record = g_string_new_len((const char *)data, (gssize)head.length);
		} else if (jobs->progress && head.length > sizeof(struct eh_progress)) {
			struct eh_progress progress;

			memcpy(&progress, data, sizeof(progress));
			progress.metric = (const char *)data + sizeof(progress);
			if (!*progress.metric)
				progress.metric = NULL;
			jobs->progress(c->task, &progress, jobs->arg);
		}
		g_byte_array_remove_range(c->got, 0, (guint)(sizeof(head) + head.length));
	}
}

/* False at the end of what it sends. */
static bool receive(struct pool *p, struct child *c)
{
	guint8 buffer[65536];
	ssize_t n = read(c->fd, buffer, sizeof(buffer));

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	g_byte_array_append(c->got, buffer, (guint)n);
	take_messages(p, c);
	return n > 0;
}

static char *how_it_ended(int status)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return g_strdup("its process was killed by signal 9 (the system does that when memory runs out)");
	if (WIFSIGNALED(status))
		return g_strdup_printf("its process was ended by signal %d (%s)", WTERMSIG(status),
				       g_strsignal(WTERMSIG(status)));
	if (WIFEXITED(status) && WEXITSTATUS(status) == EH_EXIT_MEMORY)
		return g_strdup("out of memory: " EH_NO_MEMORY);
	return g_strdup_printf("its process ended early with status %d",
			       WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

/* How much more than the estimate it took, for the estimates of those to come. */
static void learn(struct pool *p, const struct eh_task_run *t, const struct rusage *usage)
{
	double took = (double)usage->ru_maxrss * 1024; /* kibibytes, on Linux */

	if (t->memory)
		p->correction = MAX(p->correction, took / (double)t->memory);
}

static void finish(struct pool *p, struct eh_task_run *t)
{
	t->ended = true;
	if (!p->jobs->done(t, p->jobs->arg))
		p->closed = true;
}

static void end(struct pool *p, struct child *c)
{
	struct eh_task_run *t = c->task;
	struct rusage usage;
	int status = 0;
	char *bad = NULL;

	close(c->fd);
	while (wait4(c->pid, &status, 0, &usage) < 0 && errno == EINTR)
		;
	learn(p, t, &usage);
	/* a record that is whole stands, whatever became of the process behind it */
	if (!c->record || !eh_record_read("record", c->record->str, c->record->len, NULL, t->run, &bad))
		lose(t, bad ? bad : how_it_ended(status));
	else if (t->run->status == EH_INTERRUPTED && !p->told)
		lose(t, g_strdup("its process was asked to end (signal 15)"));
	g_ptr_array_remove_fast(p->children, c);
	child_free(c);
	finish(p, t);
}

/* One always has; the caller refuses what is too large for the machine. */
static bool has_room(const struct pool *p, const struct eh_task_run *t)
{
	double sum = (double)t->memory;

	for (guint i = 0; i < p->children->len; i++)
		sum += (double)((struct child *)p->children->pdata[i])->task->memory;
	return !p->children->len || ((int)p->children->len < p->jobs->most &&
				     sum * p->correction <= (double)p->jobs->memory);
}

static void begin_more(struct pool *p, GPtrArray *runs, guint *next)
{
	while (*next < runs->len && !p->closed && !*p->jobs->stop) {
		struct eh_task_run *t = runs->pdata[*next];

		if (p->jobs->wanted && !p->jobs->wanted(t, p->jobs->arg)) {
			(*next)++;
			continue;
		}
		if (!has_room(p, t))
			return;
		(*next)++;
		if (begin(p, t)) {
			if (p->jobs->begun)
				p->jobs->begun(t, p->jobs->arg);
			continue;
		}
		finish(p, t);
	}
}

static void tell_to_stop(struct pool *p)
{
	for (guint i = 0; i < p->children->len && !p->told; i++)
		kill(((struct child *)p->children->pdata[i])->pid, SIGTERM);
	p->told = true;
}

static void listen_to_children(struct pool *p)
{
	guint n = p->children->len;
	struct pollfd *fds = g_new0(struct pollfd, n);
	struct child **who = g_new(struct child *, n);

	for (guint i = 0; i < n; i++) {
		who[i] = p->children->pdata[i];
		fds[i] = (struct pollfd){.fd = who[i]->fd, .events = POLLIN};
	}
	if (poll(fds, n, TICK) > 0)
		for (guint i = 0; i < n; i++)
			if (fds[i].revents && !receive(p, who[i]))
				end(p, who[i]);
	g_free(who);
	g_free(fds);
}

void eh_jobs_run(const struct eh_jobs *jobs, GPtrArray *runs)
{
	struct pool p = {.jobs = jobs, .children = g_ptr_array_new(), .correction = 1};
	guint next = 0;

	for (;;) {
		begin_more(&p, runs, &next);
		if (!p.children->len)
			break;
		if (*jobs->stop)
			tell_to_stop(&p);
		listen_to_children(&p);
		if (jobs->tick)
			jobs->tick(jobs->arg);
	}
	g_ptr_array_unref(p.children);
}

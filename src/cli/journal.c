/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "journal.h"
#include "output.h"
#include "record.h"
#include <dirent.h>
#include <ehsim/message.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY_DIGITS 64
#define SUFFIX ".json"
#define UNFINISHED ".unfinished-"
#define TRIES 100
#define LARGEST (256 << 20) /* a trace of a million slices takes 32 MB */

struct eh_journal {
	char *path;
	int dir; /* all names are looked up in it: it may be moved meanwhile */
};

static bool complain(const struct eh_journal *j, const char *what, int error)
{
	eh_say(stderr, "ehsim: %s: %s: %s", j->path, what, g_strerror(error));
	return false;
}

static bool is_record(const char *name)
{
	return strlen(name) == KEY_DIGITS + strlen(SUFFIX) && strspn(name, "0123456789abcdef") == KEY_DIGITS &&
	       !strcmp(name + KEY_DIGITS, SUFFIX);
}

/* What processes left that were killed while they wrote. */
static void remove_unfinished(const struct eh_journal *j, const char *name)
{
	int fd = openat(j->dir, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		unlinkat(j->dir, name, 0);
	close(fd);
}

static guint walk(const struct eh_journal *j, bool clean)
{
	int fd = openat(j->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	guint records = 0;

	while (dir && (entry = readdir(dir))) {
		records += is_record(entry->d_name);
		if (clean && g_str_has_prefix(entry->d_name, UNFINISHED))
			remove_unfinished(j, entry->d_name);
	}
	if (dir)
		closedir(dir);
	return records;
}

struct eh_journal *eh_journal_open(const char *path, bool create)
{
	struct eh_journal *j = g_new0(struct eh_journal, 1);

	j->path = g_strdup(path);
	if (create && g_mkdir_with_parents(path, 0777) && errno != EEXIST) {
		complain(j, "cannot be made", errno);
		j->dir = -1;
	} else {
		j->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (j->dir < 0)
			complain(j, "no directory of results", errno);
		else if (create && faccessat(j->dir, ".", W_OK | X_OK, 0)) {
			complain(j, "cannot be written", errno);
			close(j->dir);
			j->dir = -1;
		}
	}
	if (j->dir < 0) {
		eh_journal_close(j);
		return NULL;
	}
	if (create)
		walk(j, true);
	return j;
}

void eh_journal_close(struct eh_journal *j)
{
	if (!j)
		return;
	if (j->dir >= 0)
		close(j->dir);
	g_free(j->path);
	g_free(j);
}

const char *eh_journal_path(const struct eh_journal *j)
{
	return j->path;
}

guint eh_journal_count(const struct eh_journal *j)
{
	return walk(j, false);
}

/* The whole file; NULL, and errno or what else is wrong in *why. */
static char *read_all(const struct eh_journal *j, const char *name, gsize *length, const char **why)
{
	int fd = openat(j->dir, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC), error = 0;
	struct stat st;
	char *text = NULL;
	ssize_t n = 1;

	*why = NULL;
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st))
		error = errno;
	else if (!S_ISREG(st.st_mode))
		*why = S_ISDIR(st.st_mode) ? "it is a directory" : "it is no regular file";
	else if (st.st_size > LARGEST)
		error = EFBIG;
	else
		text = g_malloc((gsize)st.st_size + 1);
	*length = 0;
	while (text && n > 0 && *length < (gsize)st.st_size) {
		n = read(fd, text + *length, (gsize)st.st_size - *length);
		if (n > 0)
			*length += (gsize)n;
		else if (n < 0 && errno != EINTR)
			error = errno;
	}
	close(fd);
	if (error)
		g_clear_pointer(&text, g_free);
	errno = error;
	return text;
}

enum eh_found eh_journal_find(const struct eh_journal *j, const char *key, struct eh_point *run, char **bad)
{
	char *name = g_strconcat(key, SUFFIX, NULL), *path = g_build_filename(j->path, name, NULL);
	enum eh_found found = EH_BROKEN;
	const char *why;
	gsize length = 0;
	char *text = read_all(j, name, &length, &why);

	*bad = NULL;
	if (!text && !why && errno == ENOENT)
		found = EH_ABSENT;
	else if (!text)
		*bad = g_strdup_printf("%s: cannot be read: %s", path, why ? why : g_strerror(errno));
	else if (eh_record_read(path, text, length, key, run, bad))
		found = EH_FOUND;
	g_free(text);
	g_free(path);
	g_free(name);
	return found;
}

/* Nobody else removes it from here on. Where locks do not exist nobody does anyway. */
static bool is_ours(int fd)
{
	struct stat st;

	return (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) && fstat(fd, &st) == 0 &&
	       st.st_nlink > 0;
}

/*
 * A new locked file; its name in *name. Between its making and its lock another process that cleans up may
 * take it for one that was left.
 */
static int open_unfinished(const struct eh_journal *j, char **name)
{
	for (int i = 0; i < TRIES; i++) {
		int fd;

		*name = g_strdup_printf(UNFINISHED "%08x%08x", g_random_int(), (unsigned)getpid());
		fd = openat(j->dir, *name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0 && is_ours(fd))
			return fd;
		if (fd >= 0) {
			close(fd);
			unlinkat(j->dir, *name, 0);
			errno = EEXIST;
		}
		g_clear_pointer(name, g_free);
		if (errno != EEXIST)
			break;
	}
	return -1;
}

static bool on_disk(int fd)
{
	/* EINVAL: a file system without it */
	return fsync(fd) == 0 || errno == EINVAL;
}

bool eh_journal_put(struct eh_journal *j, const char *key, const struct eh_point *run)
{
	char *name = g_strconcat(key, SUFFIX, NULL), *unfinished;
	GString *text = g_string_new(NULL);
	int fd, error = 0;

	eh_record_write(run, key, text);
	fd = open_unfinished(j, &unfinished);
	if (fd < 0 || !eh_write_all(fd, text->str, text->len) || !on_disk(fd) ||
	    renameat(j->dir, unfinished, j->dir, name) || !on_disk(j->dir))
		error = errno;
	if (error && fd >= 0)
		unlinkat(j->dir, unfinished, 0);
	if (fd >= 0)
		close(fd);
	g_free(unfinished);
	g_free(name);
	g_string_free(text, TRUE);
	if (error)
		return complain(j, "a finished run cannot be kept", error);
	return true;
}

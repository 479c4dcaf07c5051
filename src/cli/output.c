/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output.h"
#include <ehsim/message.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void eh_output_guard(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			/* the lowest free descriptor is fd; stdout is opened so that writing fails
			 */
			(void)!open("/dev/null", fd == 1 ? O_RDONLY : O_RDWR);
}

static bool complain(const char *path, const char *what, int error)
{
	eh_say(stderr, "ehsim: %s %s: %s", path, what, g_strerror(error));
	return false;
}

static bool is_stdout(const char *path)
{
	return !path || !strcmp(path, "-");
}

/* Also true for what does not exist, or is a link to nowhere. */
static bool is_ordinary(const char *path, bool *exists)
{
	struct stat st;
	bool there = stat(path, &st) == 0;

	*exists = there || lstat(path, &st) == 0;
	return !there || S_ISREG(st.st_mode);
}

static bool stdout_possible(void)
{
	int flags = fcntl(STDOUT_FILENO, F_GETFL);

	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		return complain("stdout", "cannot be written", EBADF);
	return true;
}

static mode_t usual_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* The file that becomes `path`, open; `*name` is its name. */
static int open_temporary(const char *path, char **name)
{
	char *real = realpath(path, NULL);

	*name = g_strdup_printf("%s.XXXXXX", real ? real : path);
	free(real);
	return g_mkstemp_full(*name, O_RDWR | O_CLOEXEC, (int)usual_mode());
}

/* What the folder's permissions do not say: long names, read-only and full file systems. */
static bool can_begin(const char *path)
{
	char *name;
	int fd = open_temporary(path, &name);

	if (fd < 0) {
		complain(path, "cannot be written", errno);
	} else {
		close(fd);
		g_unlink(name);
	}
	g_free(name);
	return fd >= 0;
}

bool eh_output_possible(const char *path, bool force)
{
	bool exists, ordinary, fine;
	char *folder;

	if (is_stdout(path))
		return stdout_possible();
	ordinary = is_ordinary(path, &exists);
	if (g_file_test(path, G_FILE_TEST_IS_DIR))
		return complain(path, "cannot be written", EISDIR);
	if (!ordinary)
		return access(path, W_OK) == 0 || complain(path, "cannot be written", errno);
	if (exists && !force) {
		eh_say(stderr, "ehsim: %s exists; --force overwrites it", path);
		return false;
	}
	folder = g_path_get_dirname(path);
	fine = access(folder, W_OK | X_OK) == 0 || complain(folder, "cannot be written", errno);
	g_free(folder);
	return fine && can_begin(path);
}

bool eh_write_all(int fd, const char *text, gsize length)
{
	while (length) {
		ssize_t n = write(fd, text, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		text += n;
		length -= (gsize)n;
	}
	return true;
}

/* Without force the name must still be free: link() does not replace what rename() would. */
static int put_in_place(const char *temporary, const char *path, bool force)
{
	if (force)
		return g_rename(temporary, path);
	if (link(temporary, path) == 0)
		return g_unlink(temporary);
	if (errno == EEXIST)
		return -1;
	return g_rename(temporary, path);
}

static bool write_file(const char *path, bool force, const char *text, gsize length)
{
	char *real = realpath(path, NULL), *temporary;
	bool fine;
	int fd, error;

	fd = open_temporary(path, &temporary);
	fine = fd >= 0 && eh_write_all(fd, text, length);
	error = errno;
	if (fd >= 0 && close(fd) && fine) {
		fine = false;
		error = errno;
	}
	if (fine && put_in_place(temporary, real ? real : path, force)) {
		fine = false;
		error = errno;
	}
	if (!fine) {
		complain(path, "cannot be written", error);
		if (fd >= 0)
			g_unlink(temporary);
	}
	g_free(temporary);
	free(real);
	return fine;
}

static bool write_device(const char *path, const char *text, gsize length)
{
	int fd = g_open(path, O_WRONLY | O_CLOEXEC, 0);
	bool fine = fd >= 0 && eh_write_all(fd, text, length);

	if (!fine)
		complain(path, "cannot be written", errno);
	if (fd >= 0)
		close(fd);
	return fine;
}

bool eh_output_write(const char *path, bool force, const char *text, gsize length)
{
	bool exists;

	if (is_stdout(path)) {
		/* an error may show only when the descriptor is closed */
		if (eh_write_all(STDOUT_FILENO, text, length) && close(STDOUT_FILENO) == 0)
			return true;
		return complain("stdout", "cannot be written", errno);
	}
	if (is_ordinary(path, &exists))
		return write_file(path, force, text, length);
	return write_device(path, text, length);
}

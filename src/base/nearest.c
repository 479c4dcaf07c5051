/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/nearest.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 63
#define INCOMPARABLE 999
#define SHORTEST_BEGINNING 3

int eh_edit_distance(const char *a, const char *b)
{
	int d[LONGEST + 1][LONGEST + 1];
	size_t la = strlen(a), lb = strlen(b);

	if (la > LONGEST || lb > LONGEST)
		return INCOMPARABLE;
	for (size_t i = 0; i <= la; i++)
		d[i][0] = (int)i;
	for (size_t j = 0; j <= lb; j++)
		d[0][j] = (int)j;

	for (size_t i = 1; i <= la; i++) {
		for (size_t j = 1; j <= lb; j++) {
			char x = g_ascii_tolower(a[i - 1]), y = g_ascii_tolower(b[j - 1]);
			int best = d[i - 1][j - 1] + (x != y);

			best = MIN(best, d[i - 1][j] + 1);
			best = MIN(best, d[i][j - 1] + 1);
			if (i > 1 && j > 1 && x == g_ascii_tolower(b[j - 2]) &&
			    g_ascii_tolower(a[i - 2]) == y)
				best = MIN(best, d[i - 2][j - 2] + 1);
			d[i][j] = best;
		}
	}
	return d[la][lb];
}

const char *eh_nearest(const char *word, const char *const *words)
{
	const char *best = NULL;
	int least = INCOMPARABLE;

	for (const char *const *w = words; *w; w++) {
		int longer = (int)MAX(strlen(word), strlen(*w));
		int apart = abs((int)strlen(word) - (int)strlen(*w)), distance;

		if (apart > MAX(1, longer / 3)) /* and so is the distance */
			continue;
		distance = eh_edit_distance(word, *w);
		if (distance > MAX(1, longer / 3) || distance >= longer)
			continue;
		if (distance < least) {
			least = distance;
			best = *w;
		}
	}
	for (; !best && strlen(word) >= SHORTEST_BEGINNING && *words; words++)
		if (!g_ascii_strncasecmp(word, *words, strlen(word)))
			best = *words;
	return best;
}

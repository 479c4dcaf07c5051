/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * "Did you mean ...?": the word of a list that lies closest to what was written. The distance
 * counts inserted, lost, changed and swapped characters; upper and lower case count as equal.
 */
#ifndef EHSIM_NEAREST_H
#define EHSIM_NEAREST_H

/* Number of single edits that turn `a` into `b`; words beyond 63 characters are not compared (999).
 */
int eh_edit_distance(const char *a, const char *b);

/*
 * Closest of `words` (NULL-terminated), the first one if several are equally close; NULL if none is
 * within a third of the longer word (at least one edit). Failing that the first that begins with
 * `word`, if that has three characters or more. The answer points into `words`.
 */
const char *eh_nearest(const char *word, const char *const *words);

#endif

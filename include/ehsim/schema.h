/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the key tables say, as text for --explain. Texts are newly allocated and end with a newline.
 */
#ifndef EHSIM_SCHEMA_H
#define EHSIM_SCHEMA_H

/* One line per key of all sections: full name, default, first sentence of its help. */
char *eh_explain_all(void);

/*
 * A full key name: type, unit, default, range, origin, source and help. A section or a part of a
 * name ("machine", "machine.latency"): one line per key below it. If there is none, NULL, and
 * *message (newly allocated) says so with the nearest name.
 */
char *eh_explain(const char *name, char **message);

#endif

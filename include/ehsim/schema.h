/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the key tables say, as text for --explain, --schema and --manual. Texts are newly allocated and
 * end with a newline.
 */
#ifndef EHSIM_SCHEMA_H
#define EHSIM_SCHEMA_H

/* One line per key of all sections: full name, default, first sentence of its help. */
char *eh_explain_all(void);

/*
 * A full key name: type, unit, default, range, origin, source, the kinds of workload that take it and
 * help. A section or a part of a name ("machine", "machine.latency"): one line per key below it. The name
 * of a metric: its unit and what it means; "metrics": one line per metric. If there is none, NULL, and
 * *message (newly allocated) says so with the nearest name.
 */
char *eh_explain(const char *name, char **message);

/*
 * The JSON schema (draft-07) of scenarios, for editors and validators; of machine files as
 * #/definitions/machine_file. It accepts what ehsim accepts in the spelling that messages use, and
 * does not know what must hold between keys.
 */
char *eh_schema_json(void);

/* The manual page ehsim(5), as roff. */
char *eh_manual(void);

/* Every metric that a point of a result may have. */
struct eh_metric_help {
	const char *name;
	const char *unit; /* of the number in results; "" of a count or a ratio */
	const char *words;
};

extern const struct eh_metric_help eh_metric_helps[]; /* ends with name NULL */
const struct eh_metric_help *eh_metric_help(const char *name); /* or NULL */

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The members of a run that its record holds, for the writer and the reader of records. */
#ifndef EHSIM_CLI_RECORD_FIELDS_H
#define EHSIM_CLI_RECORD_FIELDS_H

#include <ehsim/result.h>

enum eh_field_kind {
	EH_FIELD_INT,	 /* int */
	EH_FIELD_I64,	 /* int64_t, eh_time */
	EH_FIELD_U32,	 /* uint32_t */
	EH_FIELD_U64,	 /* uint64_t, a count */
	EH_FIELD_HEX,	 /* uint64_t, a hash or a seed */
	EH_FIELD_REAL,	 /* double */
	EH_FIELD_BOOL,	 /* bool */
	EH_FIELD_TEXT,	 /* char *, never NULL */
	EH_FIELD_MAYBE,	 /* char *, or NULL */
	EH_FIELD_REALS,	 /* double *, with its int count at `count` */
	EH_FIELD_WORDS,	 /* `count` members or elements side by side, each an int64_t or uint64_t */
	EH_FIELD_ROWS,	 /* GPtrArray * of structs of `size` bytes with `fields` */
	EH_FIELD_BYTES,	 /* GArray * of structs of `size` bytes without pointers and padding */
};

struct eh_field {
	const char *name; /* in the record; NULL ends a table */
	enum eh_field_kind kind;
	size_t offset, size, count;
	const struct eh_field *fields;
	int64_t most; /* EH_FIELD_INT: from 0 to this; 0: any */
	bool asked;   /* set before the run, and part of what it is (eh_run_key) */
};

extern const struct eh_field eh_record_fields[]; /* of struct eh_point */

#define EH_RECORD_SCHEMA "ehsim-record/1"

#endif

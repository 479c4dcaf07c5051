/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inside of a stored result (report.h): its members, read without trust. A member that is absent or
 * of another kind is NULL, NAN or -1. Internal to reports.
 */
#ifndef REPORT_STORED_H
#define REPORT_STORED_H

#include <ehsim/report.h>
#include <json-glib/json-glib.h>

struct eh_stored {
	char *file; /* as it was named */
	char *text;
	gsize length;
	JsonParser *parser; /* owns what `top` and `points` are part of */
	JsonObject *top;
	JsonArray *points; /* of objects */
};

const char *stored_text(JsonObject *o, const char *name);
double stored_real(JsonObject *o, const char *name);
gint64 stored_int(JsonObject *o, const char *name);
bool stored_true(JsonObject *o, const char *name);
JsonObject *stored_object(JsonObject *o, const char *name);
JsonArray *stored_array(JsonObject *o, const char *name);
/* Element `i`; NULL unless it is an object. */
JsonObject *stored_row(JsonArray *rows, guint i);
guint stored_rows(JsonArray *rows); /* 0 for NULL */
/* A whole number or digits in a string, as the seed is stored; newly allocated, NULL if neither. */
char *stored_digits(JsonObject *o, const char *name);

#endif

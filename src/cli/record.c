/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record.h"
#include "model-id.h"
#include "record_fields.h"
#include <eh-config.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define ONE(of, type, member) \
	{.name = #member, .kind = EH_FIELD_##of, .offset = offsetof(struct type, member)}
#define ASKED(of, member) \
	{.name = #member, .kind = EH_FIELD_##of, .offset = offsetof(struct eh_point, member), .asked = true}
#define WORDS(type, member) \
	{.name = #member, .kind = EH_FIELD_WORDS, .offset = offsetof(struct type, member), \
	 .count = sizeof(((struct type *)NULL)->member) / (sizeof(int64_t))}
#define END {.name = NULL}

static const struct eh_field metric_fields[] = {
	ONE(TEXT, eh_metric, name),
	ONE(REAL, eh_metric, mean),
	ONE(REAL, eh_metric, lo),
	ONE(REAL, eh_metric, hi),
	ONE(MAYBE, eh_metric, null_why),
	{.name = "dev", .kind = EH_FIELD_REALS, .offset = offsetof(struct eh_metric, dev),
	 .count = offsetof(struct eh_metric, ndev)},
	ONE(BOOL, eh_metric, batches),
	END,
};

static const struct eh_field spread_fields[] = {
	ONE(TEXT, eh_spread, name),
	ONE(U64, eh_spread, count),
	{.name = "value", .kind = EH_FIELD_REALS, .offset = offsetof(struct eh_spread, value),
	 .count = offsetof(struct eh_spread, n)},
	END,
};

static const struct eh_field course_fields[] = {
	{.name = "kind", .kind = EH_FIELD_INT, .offset = offsetof(struct eh_course, kind), .most = EH_COURSE_KINDS - 1},
	{.name = "host", .kind = EH_FIELD_INT, .offset = offsetof(struct eh_course, host), .most = 1},
	ONE(TEXT, eh_course, name),
	{.name = "value", .kind = EH_FIELD_REALS, .offset = offsetof(struct eh_course, value),
	 .count = offsetof(struct eh_course, n)},
	END,
};

static const struct eh_field profile_fields[] = {
	ONE(TEXT, eh_profile_row, symbol),
	ONE(REAL, eh_profile_row, share),
	ONE(BOOL, eh_profile_row, user),
	END,
};

static const struct eh_field lock_fields[] = {
	ONE(TEXT, eh_lock_row, name),
	ONE(TEXT, eh_lock_row, type),
	ONE(U64, eh_lock_row, contentions),
	ONE(U64, eh_lock_row, acquisitions),
	ONE(U64, eh_lock_row, con_bounces),
	ONE(U64, eh_lock_row, acq_bounces),
	ONE(I64, eh_lock_row, wait_total),
	ONE(I64, eh_lock_row, wait_min),
	ONE(I64, eh_lock_row, wait_max),
	ONE(I64, eh_lock_row, hold_total),
	ONE(I64, eh_lock_row, hold_min),
	ONE(I64, eh_lock_row, hold_max),
	END,
};

static const struct eh_field line_fields[] = {
	ONE(TEXT, eh_line_row, name),
	ONE(U64, eh_line_row, lcl_hitm),
	ONE(U64, eh_line_row, rmt_hitm),
	ONE(U64, eh_line_row, lcl_store),
	ONE(U64, eh_line_row, rmt_store),
	ONE(REAL, eh_line_row, share),
	ONE(U32, eh_line_row, lines),
	ONE(U32, eh_line_row, hottest),
	ONE(REAL, eh_line_row, hottest_share),
	ONE(I64, eh_line_row, waited),
	END,
};

static const struct eh_field slab_fields[] = {
	ONE(TEXT, eh_slab_row, name),
	ONE(TEXT, eh_slab_row, by_node),
	WORDS(eh_slab_row, number),
	END,
};

static const struct eh_field where_fields[] = {
	ONE(TEXT, eh_where_row, name),
	ONE(TEXT, eh_where_row, group),
	WORDS(eh_where_row, time),
	WORDS(eh_where_row, lines),
	WORDS(eh_where_row, hidden),
	END,
};

static const struct eh_field pair_fields[] = {
	ONE(TEXT, eh_pair, key),
	ONE(TEXT, eh_pair, value),
	END,
};

#define ROWS(called, member, type, table) \
	{.name = called, .kind = EH_FIELD_ROWS, .offset = offsetof(struct eh_point, member), \
	 .size = sizeof(struct type), .fields = table}

const struct eh_field eh_record_fields[] = {
	{.name = "status", .kind = EH_FIELD_INT, .offset = offsetof(struct eh_point, status), .most = EH_FAILED},
	ONE(MAYBE, eh_point, status_text),
	ONE(MAYBE, eh_point, start_text),
	ONE(HEX, eh_point, seed),
	ONE(HEX, eh_point, fingerprint),
	ONE(I64, eh_point, simulated),
	ONE(I64, eh_point, warmup),
	ONE(BOOL, eh_point, sampled),
	ONE(INT, eh_point, stretches),
	ONE(REAL, eh_point, in_detail),
	ONE(BOOL, eh_point, one_host),
	ONE(INT, eh_point, queues),
	ROWS("metrics", metrics, eh_metric, metric_fields),
	ROWS("client", client, eh_profile_row, profile_fields),
	ROWS("server", server, eh_profile_row, profile_fields),
	ROWS("spreads", spreads, eh_spread, spread_fields),
	ASKED(BOOL, with_courses),
	ROWS("courses", courses, eh_course, course_fields),
	ASKED(BOOL, with_locks),
	ASKED(BOOL, with_lines),
	ASKED(BOOL, with_rcu),
	WORDS(eh_point, rcu),
	ASKED(BOOL, with_where),
	ASKED(BOOL, with_slabs),
	ROWS("client_slabs", slabs[0], eh_slab_row, slab_fields),
	ROWS("server_slabs", slabs[1], eh_slab_row, slab_fields),
	ROWS("client_locks", locks[0], eh_lock_row, lock_fields),
	ROWS("server_locks", locks[1], eh_lock_row, lock_fields),
	ROWS("client_lines", lines[0], eh_line_row, line_fields),
	ROWS("server_lines", lines[1], eh_line_row, line_fields),
	ROWS("client_where", where[0], eh_where_row, where_fields),
	ROWS("server_where", where[1], eh_where_row, where_fields),
	WORDS(eh_point, where_busy),
	ONE(REAL, eh_point, where_ports),
	ONE(REAL, eh_point, where_operations),
	ASKED(I64, trace_start),
	ASKED(I64, trace_length),
	ONE(I64, eh_point, trace_from),
	ONE(I64, eh_point, trace_until),
	{.name = "slices", .kind = EH_FIELD_BYTES, .offset = offsetof(struct eh_point, slices),
	 .size = sizeof(struct eh_slice)},
	{.name = "holds", .kind = EH_FIELD_BYTES, .offset = offsetof(struct eh_point, holds),
	 .size = sizeof(struct eh_hold)},
	ROWS("hold_names", hold_names, eh_pair, pair_fields),
	ROWS("neper_client", neper_client, eh_pair, pair_fields),
	ROWS("neper_server", neper_server, eh_pair, pair_fields),
	ONE(REAL, eh_point, wall_s),
	ONE(U64, eh_point, candidates),
	ONE(U64, eh_point, line_accesses),
	ONE(U64, eh_point, events),
	END,
};

static void put_real(GString *out, double x)
{
	char digits[G_ASCII_DTOSTR_BUF_SIZE];

	if (isnan(x))
		g_string_append(out, "\"nan\"");
	else if (isinf(x))
		g_string_append(out, x > 0 ? "\"inf\"" : "\"-inf\"");
	else
		g_string_append(out, g_ascii_formatd(digits, sizeof(digits), "%.17g", x));
}

static void put_text(GString *out, const char *text)
{
	char *valid;

	if (!text) {
		g_string_append(out, "null");
		return;
	}
	valid = g_utf8_make_valid(text, -1);
	g_string_append_c(out, '"');
	for (const char *s = valid; *s; s++) {
		if (*s == '"' || *s == '\\')
			g_string_append_printf(out, "\\%c", *s);
		else if ((unsigned char)*s < 0x20)
			g_string_append_printf(out, "\\u%04x", (unsigned)*s);
		else
			g_string_append_c(out, *s);
	}
	g_string_append_c(out, '"');
	g_free(valid);
}

static void put_fields(GString *out, const struct eh_field *fields, const void *from);

static void put_rows(GString *out, const struct eh_field *f, const GPtrArray *rows)
{
	g_string_append_c(out, '[');
	for (guint i = 0; i < rows->len; i++) {
		if (i)
			g_string_append_c(out, ',');
		put_fields(out, f->fields, rows->pdata[i]);
	}
	g_string_append_c(out, ']');
}

static void put_reals(GString *out, const double *x, int n)
{
	g_string_append_c(out, '[');
	for (int i = 0; i < n; i++) {
		if (i)
			g_string_append_c(out, ',');
		put_real(out, x[i]);
	}
	g_string_append_c(out, ']');
}

static void put_words(GString *out, const int64_t *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		g_string_append_printf(out, "%s%" PRId64, i ? "," : "[", x[i]);
	g_string_append_c(out, ']');
}

static void put_bytes(GString *out, const struct eh_field *f, const GArray *array)
{
	char *text = g_base64_encode((const guchar *)array->data, array->len * f->size);

	put_text(out, text);
	g_free(text);
}

static void put_field(GString *out, const struct eh_field *f, const char *base)
{
	const void *p = base + f->offset;

	switch (f->kind) {
	case EH_FIELD_INT:
		g_string_append_printf(out, "%d", *(const int *)p);
		break;
	case EH_FIELD_I64:
		g_string_append_printf(out, "%" PRId64, *(const int64_t *)p);
		break;
	case EH_FIELD_U32:
		g_string_append_printf(out, "%" PRIu32, *(const uint32_t *)p);
		break;
	case EH_FIELD_U64:
		g_string_append_printf(out, "%" PRIu64, *(const uint64_t *)p);
		break;
	case EH_FIELD_HEX:
		g_string_append_printf(out, "\"%016" PRIx64 "\"", *(const uint64_t *)p);
		break;
	case EH_FIELD_REAL:
		put_real(out, *(const double *)p);
		break;
	case EH_FIELD_BOOL:
		g_string_append(out, *(const bool *)p ? "true" : "false");
		break;
	case EH_FIELD_TEXT:
	case EH_FIELD_MAYBE:
		put_text(out, *(char *const *)p);
		break;
	case EH_FIELD_REALS:
		put_reals(out, *(double *const *)p, *(const int *)(base + f->count));
		break;
	case EH_FIELD_WORDS:
		put_words(out, p, f->count);
		break;
	case EH_FIELD_ROWS:
		put_rows(out, f, *(GPtrArray *const *)p);
		break;
	case EH_FIELD_BYTES:
		put_bytes(out, f, *(GArray *const *)p);
		break;
	}
}

static void put_fields(GString *out, const struct eh_field *fields, const void *from)
{
	g_string_append_c(out, '{');
	for (const struct eh_field *f = fields; f->name; f++) {
		g_string_append_printf(out, "%s\"%s\":", f == fields ? "" : ",", f->name);
		put_field(out, f, from);
	}
	g_string_append_c(out, '}');
}

void eh_record_write(const struct eh_point *run, const char *key, GString *out)
{
	GString *body = g_string_new(NULL);
	char *sum;

	put_fields(body, eh_record_fields, run);
	g_string_append_c(body, '\n');
	sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, body->str, (gssize)body->len);
	g_string_append(out, "{\"schema\":\"" EH_RECORD_SCHEMA "\",\"version\":\"" PACKAGE_VERSION
			     "\",\"model\":\"" EH_MODEL_ID "\"");
	g_string_append_printf(out, ",\"key\":\"%s\",\"bytes\":%" G_GSIZE_FORMAT ",\"sha256\":\"%s\"}\n", key,
			       body->len, sum);
	g_string_append_len(out, body->str, (gssize)body->len);
	g_free(sum);
	g_string_free(body, TRUE);
}

static void hash_text(GChecksum *sum, const char *a, const char *b)
{
	/* with its end, so that no two lists of words look alike */
	g_checksum_update(sum, (const guchar *)a, (gssize)strlen(a) + 1);
	g_checksum_update(sum, (const guchar *)b, (gssize)strlen(b) + 1);
}

/* Seeds are of runs, not of points; where a machine's values were read says nothing about them. */
static bool decides(const struct eh_section *section, const char *key)
{
	if (section->keys == eh_run_keys)
		return strcmp(key, "seed") && strcmp(key, "repeat");
	return section->keys != eh_machine_keys || (strcmp(key, "file") && strcmp(key, "preset"));
}

char *eh_run_key(const struct eh_point *run, const struct eh_values *v)
{
	GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
	GString *asked;
	char *text;

	hash_text(sum, PACKAGE_VERSION, EH_MODEL_ID);
	for (const struct eh_section *s = eh_sections; s->name; s++)
		for (const struct eh_key *key = s->keys; key->name; key++) {
			if (!decides(s, key->name))
				continue;
			text = eh_key_print(key, (const char *)v + s->offset);
			hash_text(sum, s->name, key->name);
			hash_text(sum, text, "");
			g_free(text);
		}
	asked = g_string_new(NULL);
	for (const struct eh_field *f = eh_record_fields; f->name; f++)
		if (f->asked || f->offset == offsetof(struct eh_point, seed)) {
			g_string_append_printf(asked, "%s ", f->name);
			put_field(asked, f, (const char *)run);
		}
	hash_text(sum, asked->str, "");
	g_string_free(asked, TRUE);
	text = g_strdup(g_checksum_get_string(sum));
	g_checksum_free(sum);
	return text;
}

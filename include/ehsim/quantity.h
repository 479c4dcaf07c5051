/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers with units, as users write them: "10Gbit/s", "50us", "2.1GHz", "16KiB", "95%".
 *
 * A dimensional value always carries its unit; there is no default unit, because the tools these
 * users know disagree about it (a bare time is a microsecond for one, a second for another; "bps"
 * is bits for one, bytes for another). k is 1000 and Ki is 1024, always. Case matters only for
 * b (bit) against B (byte), and in time units ("ms" is not "Ms"). A blank may stand before the
 * unit.
 *
 * Values are integers in the smallest unit (picoseconds, bytes, bits per second, hertz). Reading is
 * exact: decimal digits are scaled without floating point, and what does not fit exactly is
 * refused, so that "0.1us" is 100000 ps on every machine. Printing gives the shortest text that
 * reads back to the same value. Nothing here depends on the locale.
 */
#ifndef EHSIM_QUANTITY_H
#define EHSIM_QUANTITY_H

#include <ehsim/types.h>

enum eh_dimension {
	EH_DIM_TIME,  /* ps ns us ms s min; value in ps */
	EH_DIM_SIZE,  /* B kB MB GB KiB MiB GiB; value in bytes */
	EH_DIM_RATE,  /* bit/s kbit/s ... Tbit/s, B/s kB/s ..., KiB/s ...; value in bit/s */
	EH_DIM_FREQ,  /* Hz kHz MHz GHz; value in Hz */
	EH_DIM_COUNT, /* no unit; value is the number */
};

enum eh_quantity_fault {
	EH_QTY_FINE,	      /* no fault */
	EH_QTY_NO_NUMBER,     /* does not start with a number */
	EH_QTY_NO_UNIT,	      /* a number and nothing else */
	EH_QTY_BAD_UNIT,      /* not a unit of this dimension */
	EH_QTY_BITS_OR_BYTES, /* "Gbps", "Gb": means bits to some and bytes to others */
	EH_QTY_FRACTION,      /* finer than the smallest unit */
	EH_QTY_TOO_LARGE,     /* beyond 63 bits */
};

/* Read `text`. *value is set only when the answer is EH_QTY_FINE. */
enum eh_quantity_fault eh_quantity_parse(enum eh_dimension dim, const char *text, int64_t *value);

/*
 * Shortest exact form, in the largest unit that does not make it smaller than 1. Rates are printed
 * in bits. Newly allocated.
 */
char *eh_quantity_print(enum eh_dimension dim, int64_t value);

/* The units of a dimension for a message: "ps, ns, us, ms, s or min". */
const char *eh_quantity_units(enum eh_dimension dim);

/* A regular expression of what is a quantity of it; case counts. Newly allocated. */
char *eh_quantity_pattern(enum eh_dimension dim);

/*
 * How to mend `text`: the user's number with the unit of `like` ("20" like "5us" gives "20us"), or
 * for bits-or-bytes both readings ("10Gbit/s or 10GB/s"). Newly allocated.
 */
char *eh_quantity_fix(enum eh_dimension dim, const char *text, const char *like);

/* A share: "1%" is 0.01, correctly rounded. False if there is no number or no percent sign. */
bool eh_share_parse(const char *text, double *value);
char *eh_share_print(double value);

/* A bare finite decimal number, exponent allowed: "1.5", "2e-3". */
bool eh_real_parse(const char *text, double *value);
char *eh_real_print(double value);

#endif

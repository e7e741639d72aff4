/* Histories as files: JSON Lines, version 1. Anyone may write them; the reader
 * trusts nothing.
 *
 * Line 1:  {"tabquake":"history","version":1,"scenario":TEXT,"seed":"0x...",
 *           "revision":TEXT,"contract":{...}}                    contract_json.h
 * Then one line an observation, numbered from 0 without a gap, time not going
 * backwards:
 *   {"n":12,"at_us":4210000,"cause":11,"kind":"lock.granted","page":7,
 *    "partition":0,"request":12,"key":1}
 *
 *   n, at_us, kind   always there; at_us counts from 0
 *   cause            number of an earlier observation, or null; may be left out
 *   all others       exactly the members that history.def names for the kind:
 *     page           a number, null for none, "server" for the server's worker
 *     device, partition, node   a number or null
 *     flags          0..255
 *     fence          [incarnation, epoch, generation], or null for no fence
 *     a, b           a number; where history.def says "enum", its word will do
 *     op, request, key, c, local   0..4294967295
 *   The a and b of device.clock are signed.
 *
 * Written are numbers and fixed words. What is read back has the digest of what
 * was written, if every observation is exact (below). */
#ifndef REPORTS_HISTORY_FILE_H
#define REPORTS_HISTORY_FILE_H

#include <stdio.h>

#include "sim/base/contract.h"
#include "sim/base/history.h"

#define HISTORY_FILE_VERSION 1
#define HISTORY_FILE_MAX (1u << 20) /* observations; 64 MB, some 50 times the longest round */
#define HISTORY_LINE_MAX 16384      /* bytes; the first line is the longest, about 1.5 kB */
#define HISTORY_TEXT_MAX 96

struct history_meta {
    char scenario[HISTORY_TEXT_MAX];
    char revision[HISTORY_TEXT_MAX];
    uint64_t seed;
    struct contract contract;
};

/* Writes all of it; errors are left in `f` for whoever closes it (outfile.h). */
void history_write(FILE *f, const struct history *h, const struct history_meta *m);
/* One observation, without a line break. */
void history_write_obs(FILE *f, const struct obs *o);

/* Reads into `h`, whose `at` and `max` the caller has set. On bad input writes one
 * sentence "NAME:LINE: ..." to `err` and returns false. */
bool history_read(struct history *h, struct history_meta *m, FILE *f, const char *name, FILE *err);

/* Whether `o` sets no member that its kind does not carry: only such an
 * observation survives being written. */
bool history_obs_is_exact(const struct obs *o);

#endif

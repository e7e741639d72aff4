/* What the parts of store_read.h share: store_read.c and store_read_sums.c. */
#ifndef REPORTS_STORE_PARTS_H
#define REPORTS_STORE_PARTS_H

#include "reports/sql.h"
#include "reports/store_read.h"

struct loader {
    struct sql q;
    struct stored_run *run; /* what has been read so far */
};

/* The tally. False after a sentence. */
bool stored_load_sums(struct loader *l);

/* A column of the row that stands; 0 after a refusal when it is negative or over `max`. */
uint64_t stored_count_at(struct loader *l, sqlite3_stmt *s, int column, uint64_t max);
uint32_t stored_small_at(struct loader *l, sqlite3_stmt *s, int column, uint32_t max);
/* Index of the column's word among n; n after a refusal. */
uint32_t stored_word_at(struct loader *l, sqlite3_stmt *s, int column, const char *const *word,
                        uint32_t n);

#endif

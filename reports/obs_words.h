/* What the numbers in an observation's free members mean, kind by kind: the
 * words of history.def's "a: enum ..." for traces, files and the timeline. */
#ifndef REPORTS_OBS_WORDS_H
#define REPORTS_OBS_WORDS_H

#include "sim/base/history.h"

#define OBS_WORDS_MAX 64 /* no enumeration of a history has more words */

/* The word for `value` in member 'a' or 'b' of a `kind`; NULL when the member
 * holds a plain number or the value has no word. */
const char *obs_word(enum obs_kind kind, char member, uint32_t value);

/* Whether member 'a' or 'b' of a `kind` is an enumeration at all. */
bool obs_has_words(enum obs_kind kind, char member);

/* The name of a flag bit (0..7) of a `kind`, or NULL. */
const char *obs_flag_word(enum obs_kind kind, unsigned bit);

/* Whether `fields` of history.def names `member`. */
bool obs_carries(enum obs_kind kind, const char *member);

#endif

/* Words and numbers on their way out: escaping for the three formats that
 * reports are written in, durations with their unit, and the nearest known
 * word for an unknown one.
 *
 * Escaping never fails: a byte that is not valid UTF-8, or a control character
 * that the format cannot carry, comes out as U+FFFD. */
#ifndef REPORTS_TEXT_H
#define REPORTS_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* `s` as a JSON string, quotes included. NULL is written as null. */
void text_json(FILE *f, const char *s);
/* The same for a script element of HTML: nothing in it can end the element. */
void text_json_html(FILE *f, const char *s);
/* `s` as XML character data that may also stand in a quoted attribute. */
void text_xml(FILE *f, const char *s);
/* `s` in a cell of a Markdown table: no pipes, no line breaks, no markup. */
void text_markdown(FILE *f, const char *s);

#define TEXT_US_MAX 32
/* "417 us", "3.250 ms", "1.482 s"; "-" when negative (nothing was measured). */
const char *text_us(char out[TEXT_US_MAX], int64_t us);

/* The same for a failover: "open" for one that had not ended when its round did. */
const char *text_failover(char out[TEXT_US_MAX], int64_t us);

/* Columns that `s` takes on a terminal, a column each character. */
size_t text_columns(const char *s);

/* The candidate nearest to `word`, or NULL when none is near enough to be
 * meant. `at(i)` gives candidate i of n; it may give NULL. */
const char *text_nearest(const char *word, const char *(*at)(uint32_t i), uint32_t n);

#endif

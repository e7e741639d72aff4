/* HTML on its way out: what the pages share. Texts are escaped here and nowhere else;
 * every page is one file that asks no network for anything.
 *
 *   html_begin, html_end    a page with the style sheets and scripts that it names
 *   html_text               escaped
 *   html_count, html_us     numbers, with their unit, easy on the eye
 */
#ifndef REPORTS_HTML_H
#define REPORTS_HTML_H

#include <stdint.h>
#include <stdio.h>

/* `style` is an asset. */
void html_begin(FILE *f, const char *title, const char *style);
/* `script` is an asset. */
void html_end(FILE *f, const char *script);

void html_text(FILE *f, const char *s);
/* 100000 as 100,000. */
void html_count(FILE *f, uint64_t n);
/* "1.484 s", "161 ms", a dash below zero, "open" for a failover that had not ended. */
void html_us(FILE *f, int64_t us);
/* As part of a link; everything but letters, digits and -._~/ is percent-encoded. */
void html_url(FILE *f, const char *s);

/* <section> with its heading, and a first sentence that defines it (may be NULL). Both are
 * ours, and HTML. */
void html_section(FILE *f, const char *id, const char *heading, const char *says);
void html_section_end(FILE *f);
/* A table that scrolls sideways where it is wide; `caption` is a text. */
void html_table(FILE *f, const char *class, const char *caption);
void html_table_end(FILE *f);

#endif

#include "reports/html.h"

#include <inttypes.h>
#include <string.h>

#include "reports/asset.h"
#include "reports/text.h"

void html_begin(FILE *f, const char *title, const char *style)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>",
          f);
    html_text(f, title);
    fputs("</title>\n<style>\n", f);
    fputs(asset_text(style), f);
    fputs("</style>\n</head>\n<body>\n", f);
}

void html_end(FILE *f, const char *script)
{
    fputs("<script>\n", f);
    fputs(asset_text(script), f);
    fputs("</script>\n</body>\n</html>\n", f);
}

void html_text(FILE *f, const char *s)
{
    text_xml(f, s);
}

void html_count(FILE *f, uint64_t n)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, n);
    for (size_t left = strlen(digits), i = 0; left > 0; left--, i++) {
        putc(digits[i], f);
        if (left > 1 && left % 3 == 1) putc(',', f);
    }
}

/* Three digits of milliseconds say enough; a histogram keeps no more. */
void html_us(FILE *f, int64_t us)
{
    char text[TEXT_US_MAX];
    if (us < 0)
        fputs("–", f);
    else if (us >= 100 * 1000 && us < 1000 * 1000)
        fprintf(f, "%" PRId64 " ms", us / 1000);
    else if (us >= 1000 && us < 1000 * 1000)
        fprintf(f, "%" PRId64 ".%" PRId64 " ms", us / 1000, us / 100 % 10);
    else
        fputs(text_failover(text, us), f);
}

void html_url(FILE *f, const char *s)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-._~/";
    for (; *s; s++) {
        if (strchr(plain, *s))
            putc(*s, f);
        else
            fprintf(f, "%%%02X", (unsigned)(unsigned char)*s);
    }
}

void html_section(FILE *f, const char *id, const char *heading, const char *says)
{
    fprintf(f, "\n<section id=\"%s\" aria-labelledby=\"%s-h\">\n<h2 id=\"%s-h\">%s</h2>\n", id, id,
            id, heading);
    if (says) fprintf(f, "<p class=\"says\">%s</p>\n", says);
}

void html_section_end(FILE *f)
{
    fputs("</section>\n", f);
}

void html_table(FILE *f, const char *class, const char *caption)
{
    fputs("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"", f);
    html_text(f, caption);
    fprintf(f, "\">\n<table class=\"%s\">\n<caption>", class);
    html_text(f, caption);
    fputs("</caption>\n", f);
}

void html_table_end(FILE *f)
{
    fputs("</tbody>\n</table>\n</div>\n", f);
}

/* timeline.html: the data as arrays, the stage that html/timeline.js draws on, and the table
 * that stands for both where scripts do not run. */
#include <inttypes.h>
#include <string.h>

#include "reports/html.h"
#include "reports/story.h"
#include "reports/text.h"
#include "reports/timeline.h"
#include "reports/trace.h"
#include "sim/base/must.h"

#define DETAIL_MAX 512 /* the longest are some 150 */

/* What trace_detail writes. Returns `out`. */
static const char *detail(char out[DETAIL_MAX], const struct obs *o)
{
    memset(out, 0, DETAIL_MAX);
    FILE *to = fmemopen(out, DETAIL_MAX - 1, "w");
    if (to) {
        trace_detail(to, o);
        fclose(to);
    }
    return out;
}

/* The plain sentence of an observation, "" when it has none. Returns `out`. */
static const char *sentence(char out[DETAIL_MAX], const struct trace *trace, const struct obs *o)
{
    memset(out, 0, DETAIL_MAX);
    FILE *to = fmemopen(out, DETAIL_MAX - 1, "w");
    bool any = to && story_sentence(to, trace, o);
    if (to) fclose(to);
    if (!any) out[0] = '\0';
    return out;
}

/* -- the head: what it is, what broke, how to have it again --------------------------------- */

/* Why it broke, a line each, each leading to its observation. */
static void write_story(FILE *f, const struct trace *trace, const struct story *s)
{
    fputs("<ol class=\"story\">\n", f);
    for (uint32_t i = 0; i < s->n; i++) {
        const struct obs *o = &trace->history->at[s->at[i]];
        char text[DETAIL_MAX];
        fprintf(f, "<li><a class=\"obs\" href=\"#o%" PRIu32 "\">#%" PRIu32 "</a> ", o->number,
                o->number);
        html_us(f, o->at.us);
        fputs(" ", f);
        html_text(f, sentence(text, trace, o)[0] ? text : detail(text, o));
        fputs("</li>\n", f);
    }
    fputs("</ol>\n", f);
}

/* Of several invariants that tell the same story, the first tells it. */
static void write_stories(FILE *f, const struct trace *trace, const struct judge_result *r)
{
    struct story told[INV_COUNT];
    uint32_t n = 0;
    for (int k = 0; r && k < INV_COUNT; k++) {
        if (r->finding[k].verdict != VERDICT_BROKEN) continue;
        struct story s = story_choose(trace, &r->finding[k]);
        bool again = s.n == 0;
        for (uint32_t i = 0; i < n; i++) again = again || story_equal(&told[i], &s);
        if (again) continue;
        told[n++] = s;
        fprintf(f, "<details%s><summary>The story of <code>%s</code></summary>\n",
                n == 1 ? " open" : "", invariant_word[k]);
        write_story(f, trace, &s);
        fputs("</details>\n", f);
    }
}

static void write_broken(FILE *f, const struct judge_result *r)
{
    uint32_t n = 0;
    for (int k = 0; r && k < INV_COUNT; k++) {
        const struct finding *v = &r->finding[k];
        if (v->verdict != VERDICT_BROKEN) continue;
        if (n++ == 0) fputs("<ul class=\"broken\">\n", f);
        fprintf(f, "<li><b>%s</b>: ", invariant_word[k]);
        html_text(f, v->reason ? v->reason : invariant_says[k]);
        for (int i = 0; i < 2; i++)
            if (v->witness[i] != OBS_NONE)
                fprintf(f, " <a class=\"obs\" href=\"#o%" PRIu32 "\">#%" PRIu32 "</a>",
                        v->witness[i], v->witness[i]);
        fputs("</li>\n", f);
    }
    fputs(n   ? "</ul>\n"
          : r ? "<p class=\"held\">No invariant broke in this round.</p>\n"
              : "<p class=\"held\">Not judged.</p>\n",
          f);
}

static void write_head(FILE *f, const struct timeline *t, const struct trace *trace)
{
    fputs("<header>\n<h1>", f);
    html_text(f, t->scenario);
    fprintf(f, " <small>seed <code>0x%016" PRIx64 "</code> · revision ", t->seed);
    html_text(f, t->revision);
    fputs(" · ", f);
    html_us(f, t->lanes->end_us);
    fputs(" · ", f);
    html_count(f, t->lanes->history->n);
    fputs(" observations</small></h1>\n", f);
    write_broken(f, t->result);
    write_stories(f, trace, t->result);
    if (t->command) {
        fputs("<pre class=\"command\" tabindex=\"0\" role=\"region\" aria-label=\"Command\"><code>",
              f);
        html_text(f, t->command);
        fputs("</code></pre>\n", f);
    }
    fputs("</header>\n", f);
}

/* -- the data for the script: arrays, since there are many of them -------------------------- */

static void json_lanes(FILE *f, const struct lanes *l)
{
    static const char *const kind[] = { "gaps", "faults", "device", "tab", "node", "provider" };
    fputs("\"lanes\":[", f);
    for (uint32_t i = 0; i < l->lanes; i++) {
        char name[LANE_NAME_MAX];
        fprintf(f, "%s[\"%s\",\"%s\"]", i ? "," : "", kind[l->lane[i].kind],
                lane_name(name, &l->lane[i]));
    }
    fputs("],\n", f);
}

static void json_number(FILE *f, uint32_t number)
{
    if (number == OBS_NONE)
        fputs(",-1", f);
    else
        fprintf(f, ",%" PRIu32, number);
}

/* lane, kind, from, to, began, ended, generation, name */
static void json_spans(FILE *f, const struct lanes *l)
{
    fputs("\"spans\":[", f);
    for (uint32_t i = 0; i < l->spans; i++) {
        const struct lane_span *s = &l->span[i];
        char name[SPAN_NAME_MAX];
        fprintf(f, "%s[%u,%u,%" PRId64 ",%" PRId64, i ? ",\n" : "\n", s->lane, s->kind, s->from_us,
                s->to_us);
        json_number(f, s->began);
        json_number(f, s->ended);
        fprintf(f, ",%" PRIu32 ",\"%s\"]", s->fence.epoch * 1000 + s->fence.generation,
                lane_span_name(name, s));
    }
    fputs("],\n", f);
}

/* from lane, from, to lane, to, began, ended, kind, lost, what */
static void json_arrows(FILE *f, const struct lanes *l)
{
    fputs("\"arrows\":[", f);
    for (uint32_t i = 0; i < l->arrows; i++) {
        const struct lane_arrow *a = &l->arrow[i];
        fprintf(f, "%s[%u,%" PRId64 ",%u,%" PRId64, i ? ",\n" : "\n", a->from, a->from_us, a->to,
                a->to_us);
        json_number(f, a->began);
        json_number(f, a->ended);
        fprintf(f, ",%u,%d,\"%s\"]", a->kind, a->lost,
                a->kind == ARROW_STEAL ? "steal" : request_kind_word[a->request_kind]);
    }
    fputs("],\n", f);
}

/* time, lane, kind, cause, page, words, sentence */
static void json_events(FILE *f, const struct lanes *l, const struct trace *trace)
{
    fputs("\"events\":[", f);
    for (uint32_t i = 0; i < l->history->n; i++) {
        const struct obs *o = &l->history->at[i];
        char text[DETAIL_MAX];
        fprintf(f, "%s[%" PRId64 ",%d,%u", i ? ",\n" : "\n", o->at.us,
                l->of[i] == LANE_NONE ? -1 : l->of[i], o->kind);
        json_number(f, o->cause);
        fprintf(f, ",%d,", o->page < PAGE_SERVER ? o->page : -1);
        text_json_html(f, detail(text, o));
        putc(',', f);
        text_json_html(f, sentence(text, trace, o));
        putc(']', f);
    }
    fputs("],\n", f);
}

static void json_words(FILE *f)
{
    fputs("\"kinds\":[", f);
    for (int i = 0; i < OBS_COUNT; i++) {
        fprintf(f, "%s[\"%s\",", i ? "," : "", obs_info[i].word);
        text_json_html(f, obs_info[i].says);
        putc(']', f);
    }
    fputs("],\n\"states\":[", f);
    for (int i = 0; i < SPAN_COUNT; i++)
        fprintf(f, "%s[\"%s\",\"%s\"]", i ? "," : "", lane_span_word[i], lane_span_says[i]);
    fputs("],\n", f);
}

static void json_witnesses(FILE *f, const struct judge_result *r)
{
    const char *separator = "";
    fputs("\"witnesses\":[", f);
    for (int k = 0; r && k < INV_COUNT; k++) {
        const struct finding *v = &r->finding[k];
        if (v->verdict != VERDICT_BROKEN || v->witness[0] == OBS_NONE) continue;
        fprintf(f, "%s[\"%s\"", separator, invariant_word[k]);
        json_number(f, v->witness[0]);
        json_number(f, v->witness[1]);
        putc(']', f);
        separator = ",";
    }
    fputs("]", f);
}

static void write_data(FILE *f, const struct timeline *t, const struct trace *trace)
{
    fputs("<script type=\"application/json\" id=\"data\">{", f);
    fprintf(f, "\"end\":%" PRId64 ",\n", t->lanes->end_us);
    json_lanes(f, t->lanes);
    json_words(f);
    json_spans(f, t->lanes);
    json_arrows(f, t->lanes);
    json_events(f, t->lanes, trace);
    json_witnesses(f, t->result);
    fputs("}</script>\n", f);
}

/* -- the stage for the script --------------------------------------------------------------- */

static void write_stage(FILE *f)
{
    fputs("<div class=\"app\" hidden>\n"
          "<form class=\"bar\" role=\"search\">\n"
          "<span class=\"group\"><button type=\"button\" data-do=\"out\" aria-label=\"Zoom out\">−"
          "</button><button type=\"button\" data-do=\"in\" aria-label=\"Zoom in\">+</button>"
          "<button type=\"button\" data-do=\"fit\">Whole round</button></span>\n"
          "<button type=\"button\" data-do=\"witness\">Next violation</button>\n"
          "<label>Find <input id=\"find\" type=\"search\" autocomplete=\"off\""
          " placeholder=\"#118, tab 3, freeze…\"></label>\n"
          "<span class=\"group\"><button type=\"submit\">Next</button><output id=\"found\""
          " aria-live=\"polite\"></output></span>\n"
          "<label><input type=\"checkbox\" id=\"requests\" checked> requests</label>\n"
          "<label><input type=\"checkbox\" id=\"idle\" checked> idle tabs</label>\n"
          "</form>\n"
          "<div class=\"lanes\" id=\"lanes\"><div class=\"tall\"></div>"
          "<canvas id=\"canvas\" tabindex=\"0\" role=\"application\" "
          "aria-roledescription=\"timeline\""
          " aria-label=\"Swim lanes of the round\" aria-describedby=\"keys\"></canvas></div>\n"
          "<div id=\"tip\" hidden></div>\n"
          "<div class=\"below\">\n"
          "<section class=\"detail\" id=\"detail\" aria-live=\"polite\" aria-label=\"Observation\">"
          "</section>\n"
          "<section class=\"help\" aria-label=\"Legend and keys\">\n"
          "<ul class=\"legend\" id=\"legend\"></ul>\n"
          "<p id=\"keys\"><kbd>←</kbd> <kbd>→</kbd> observation before and after, with "
          "<kbd>Shift</kbd> of the same lane; <kbd>↑</kbd> <kbd>↓</kbd> lane above and below; "
          "<kbd>+</kbd> <kbd>−</kbd> zoom, <kbd>0</kbd> whole round; <kbd>A</kbd> <kbd>D</kbd> "
          "pan; <kbd>C</kbd> to the cause; <kbd>V</kbd> next violation; <kbd>/</kbd> find. "
          "Drag to pan; Ctrl and the wheel, or two fingers, to zoom.</p>\n"
          "</section>\n</div>\n</div>\n",
          f);
}

/* -- without a script ----------------------------------------------------------------------- */

static void write_row(FILE *f, const struct lanes *l, const struct obs *o)
{
    char name[LANE_NAME_MAX], text[DETAIL_MAX];
    uint16_t lane = l->of[o->number];
    fprintf(f,
            "<tr id=\"o%" PRIu32 "\"><td>%" PRId64 ".%06" PRId64 "</td><td>#%" PRIu32 "</td><td>",
            o->number, o->at.us / US_PER_S, o->at.us % US_PER_S, o->number);
    fputs(lane == LANE_NONE ? "" : lane_name(name, &l->lane[lane]), f);
    fprintf(f, "</td><td>%s</td><td>", obs_info[o->kind].word);
    html_text(f, detail(text, o));
    fputs("</td><td>", f);
    if (o->cause != OBS_NONE)
        fprintf(f, "<a href=\"#o%" PRIu32 "\">#%" PRIu32 "</a>", o->cause, o->cause);
    fputs("</td></tr>\n", f);
}

static void write_table(FILE *f, const struct lanes *l)
{
    fputs("<noscript>\n<table class=\"events\">\n<caption>All observations</caption>\n<thead><tr>"
          "<th scope=\"col\">Time, s</th><th scope=\"col\">#</th><th scope=\"col\">Where</th>"
          "<th scope=\"col\">What</th><th scope=\"col\">Detail</th><th scope=\"col\">Caused by</th>"
          "</tr></thead>\n<tbody>\n",
          f);
    for (uint32_t i = 0; i < l->history->n; i++) write_row(f, l, &l->history->at[i]);
    fputs("</tbody>\n</table>\n</noscript>\n", f);
}

void timeline_html(FILE *f, const struct timeline *t)
{
    struct trace trace;
    must(trace_open(&trace, t->lanes->history));
    html_begin(f, t->scenario, "html/timeline.css");
    fputs("<main>\n", f);
    write_head(f, t, &trace);
    write_stage(f);
    write_table(f, t->lanes);
    fputs("</main>\n", f);
    write_data(f, t, &trace);
    html_end(f, "html/timeline.js");
    trace_close(&trace);
}

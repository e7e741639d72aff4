/* gate.json: the outcome of a run for machines. The schema, gate.schema.json, stands
 * beside this file; a new meaning of a member is a new "schema". */
#ifndef REPORTS_GATE_JSON_H
#define REPORTS_GATE_JSON_H

#include <stdio.h>

#include "reports/run_report.h"

#define GATE_JSON_SCHEMA "tabquake.gate.v1"
#define GATE_JSON_FAILURES_MAX 100 /* listed; results.sqlite has more */

void gate_json_write(FILE *f, const struct run_report *r);

#endif

/* A contract as one JSON object: in a history's first line, in the results.
 * Members are named as in struct contract, durations in us, enumerations by
 * their words, so that two equal contracts are equal texts. */
#ifndef REPORTS_CONTRACT_JSON_H
#define REPORTS_CONTRACT_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "sim/base/contract.h"

/* Writes the object on one line, without a line break. */
void contract_json_write(FILE *f, const struct contract *c);

#define CONTRACT_JSON_ERROR_MAX 256
/* Every member has to be there, known and of its type; otherwise false and a
 * clause in `why` that names the member. */
bool contract_json_read(struct contract *c, const json_t *object,
                        char why[CONTRACT_JSON_ERROR_MAX]);

#endif

/* Fuzzing entry for the four kinds of plan files (libFuzzer's interface; AFL++ has a driver
 * for it). Seeds: scenarios/golden/fuzz-plan/. Any input must end in true or false with
 * errors written down, never in a crash, a leak or a hang.
 *
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined -std=c17 -D_POSIX_C_SOURCE=200809L -I. \
 *       sim/plan_fuzz.c sim/plan.c sim/plan_scenario.c sim/yaml.c sim/yaml_set.c \
 *       sim/yaml_values.c sim/base/{fault,policy,words,must}.c -lyaml */
#include <stdint.h>

#include "sim/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FILE *err = fopen("/dev/null", "w");
    if (!err) return 0;
    (void)plan_check_bytes("fuzz.yaml", data, size, err);
    fclose(err);
    return 0;
}

/* Fuzzes the reader of histories: whatever it accepts must survive being written
 * and read again, with the same digest; whatever it refuses it must refuse with
 * one sentence. Build with clang -fsanitize=fuzzer,address,undefined. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "reports/history_file.h"
#include "sim/base/must.h"

#define OBSERVATIONS 512 /* small, so that the limit is met as well */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool read_memory(struct history *h, struct history_meta *m, const void *data, size_t size,
                        char **sentence)
{
    size_t length;
    FILE *err = open_memstream(sentence, &length);
    FILE *f = size > 0 ? fmemopen((void *)(uintptr_t)data, size, "r") : fopen("/dev/null", "r");
    must(err != NULL);
    must(f != NULL);
    bool ok = history_read(h, m, f, "input", err);
    fclose(f);
    fclose(err);
    return ok;
}

static void must_survive(const struct history *h, const struct history_meta *m)
{
    static struct obs storage[OBSERVATIONS];
    struct history again = { .at = storage, .max = OBSERVATIONS };
    struct history_meta meta;
    char *text, *sentence;
    size_t length;
    FILE *f = open_memstream(&text, &length);
    must(f != NULL);
    history_write(f, h, m);
    fclose(f);
    must(read_memory(&again, &meta, text, length, &sentence));
    must(history_digest(&again) == history_digest(h));
    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): both were zeroed whole */
    must(memcmp(&meta, m, sizeof meta) == 0);
    free(text);
    free(sentence);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct obs storage[OBSERVATIONS];
    struct history h = { .at = storage, .max = OBSERVATIONS };
    struct history_meta meta;
    char *sentence;
    if (read_memory(&h, &meta, data, size, &sentence)) {
        must(sentence[0] == '\0');
        must_survive(&h, &meta);
    } else {
        must(strchr(sentence, '\n') == sentence + strlen(sentence) - 1);
    }
    free(sentence);
    return 0;
}

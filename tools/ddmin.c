#include "tools/ddmin.h"

static uint32_t count(uint64_t set)
{
    uint32_t n = 0;
    for (; set; set &= set - 1) n++;
    return n;
}

/* Part `i` of `parts` nearly equal ones, in the order of the bits. */
static uint64_t part_of(uint64_t set, uint32_t i, uint32_t parts)
{
    uint32_t n = count(set), from = n * i / parts, to = n * (i + 1) / parts, k = 0;
    uint64_t part = 0;
    for (uint64_t rest = set; rest; rest &= rest - 1, k++)
        if (k >= from && k < to) part |= rest & (~rest + 1);
    return part;
}

uint64_t ddmin(uint64_t all, bool (*still)(void *context, uint64_t kept), void *context)
{
    uint32_t parts = 2;
    if (all == 0) return 0;
    if (still(context, 0)) return 0;
    while (count(all) >= 2) {
        uint64_t smaller = all;
        for (uint32_t i = 0; i < parts && smaller == all; i++)
            if (still(context, part_of(all, i, parts))) smaller = part_of(all, i, parts);
        bool is_part = smaller != all;
        for (uint32_t i = 0; parts > 2 && i < parts && smaller == all; i++) {
            uint64_t without = all & ~part_of(all, i, parts);
            if (still(context, without)) smaller = without;
        }
        if (smaller == all && parts == count(all)) break;
        parts = smaller == all ? parts * 2 : is_part ? 2 : parts - 1;
        all = smaller;
        if (parts < 2) parts = 2;
        if (parts > count(all)) parts = count(all);
    }
    return all;
}

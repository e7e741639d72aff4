/* How the lock manager is kept; between its files. */
#ifndef SIM_BROWSER_LOCKMGR_INTERNAL_H
#define SIM_BROWSER_LOCKMGR_INTERNAL_H

#include "sim/browser/lockmgr.h"

#define NAME_BUCKETS 64u /* a round has 1 to 3 names; scripts some dozens */

enum entry_state { NOWHERE, WAITING, HELD };
enum chain { IN_NAME, IN_CLIENT, CHAINS };

struct ask {
    uint32_t request;
    uint16_t page;
    bool shared;
    uint8_t flags; /* LOCK_IS_*, LOCK_HAS_SIGNAL */
};

struct entry {
    struct entry *prev[CHAINS], *next[CHAINS];
    struct entry *bucket_next; /* also links the free entries */
    struct name *name;
    struct ask ask;
    uint32_t left_by; /* NOWHERE: the observation by which it left */
    enum entry_state state;
};

struct list {
    struct entry *first, *last;
    uint32_t n;
};

struct name {
    struct list held, queue;
    struct name *bucket_next; /* also links the free names */
    uint32_t key, refs;
    bool stalled; /* the head may be grantable: WL-26, WL-68 */
};

struct client {
    struct list entries;
    bool touched, ended, cached, evicted;
};

struct lockmgr {
    struct lockmgr_rules rules;
    struct policy policy;
    struct history *history;
    uint8_t partition;
    size_t bytes; /* all that it has, itself first */
    uint32_t requests_max, pages_max, bucket_mask;
    uint32_t entries_used, names_used, touched_n, cached_n;
    struct entry *entry, *entry_free, **bucket;
    struct name *name, *name_free, *name_bucket[NAME_BUCKETS];
    struct client *client;
    uint16_t *touched;
};

#endif

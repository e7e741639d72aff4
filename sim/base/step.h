/* What a step of a scenario's schedule can do beside a fault, and what it can expect.
 *
 * A fault is a misfortune with a number of its own and perhaps an end; an action is what a
 * user, a browser or foreign code does to a tab or a device at that moment, and nothing undoes
 * it but another action. STEP_ACTIONS(kind, word, target): TAB needs a tab, DEVICE takes a
 * device, those with FOR need a length too. An expectation is looked at and never changes a
 * round. */
#ifndef SIM_BASE_STEP_H
#define SIM_BASE_STEP_H

enum step_target { STEP_ON_TAB, STEP_ON_DEVICE, STEP_ON_TAB_FOR, STEP_ON_DEVICE_FOR };

#define STEP_ACTIONS(X)                                                                         \
    X(SUBMIT,   "submit",    DEVICE)  /* a user makes an operation */                           \
    X(OPEN,     "open",      DEVICE)  /* a tab in front, with the next free number */            \
    X(OPEN_BEHIND, "open-behind", DEVICE) /* the same, hidden */                                \
    X(LOAD,     "load",      TAB)     /* a closed, crashed or discarded tab loads again */      \
    X(CLOSE,    "close",     TAB)     /* handlers run, then the document ends */                \
    X(RELOAD,   "reload",    TAB)                                                               \
    X(CRASH,    "crash",     TAB)     /* no handler runs */                                     \
    X(DISCARD,  "discard",   TAB)     /* as a crash, by the browser's will */                   \
    X(FREEZE,   "freeze",    TAB)     /* the freeze handler runs where there is one */          \
    X(SUSPEND,  "suspend",   TAB)     /* frozen at once: no handler runs */                     \
    X(THAW,     "thaw",      TAB)                                                               \
    X(HIDE,     "hide",      TAB)                                                               \
    X(SHOW,     "show",      TAB)                                                               \
    X(LEAVE,    "leave",     TAB)     /* navigates away: cached where the profile caches */     \
    X(BACK,     "back",      TAB)     /* comes back from the cache */                           \
    X(EVICT,    "evict",     TAB)     /* the browser throws the cached page away */             \
    X(BLOCK,    "block",     TAB_FOR) /* a long task */                                         \
    X(STEAL,    "steal",     TAB_FOR) /* foreign code of the page steals the leader lock */     \
    X(HEAL,     "heal",      DEVICE)  /* every cut link of the device works again */            \
    X(WAKE,     "wake",      DEVICE)                                                            \
    X(STALE,    "stale-storage", DEVICE_FOR) /* pages read localStorage as it was (ST-11) */    \
    X(STORE_BUSY, "store-busy", DEVICE_FOR) /* the partition's database is still open elsewhere, \
                        or in a transaction of a page that does not run: no write (ST-25) */    \
    X(SIGN_OUT, "sign-out",  DEVICE)  /* the user of the browser signs out, in one of its pages */ \
    X(SWITCH,   "switch-account", DEVICE) /* ... goes on under another account */               \
    X(SIGN_IN,  "sign-in",   DEVICE)  /* ... signs in to the contract's account (again) */

enum step_action {
#define X(kind, word, target) ACTION_##kind,
    STEP_ACTIONS(X)
#undef X
    ACTION_COUNT
};

#define STEP_EXPECTATIONS(X)                                                                    \
    X(LEADS,   "leads")   /* the tab's page believes that it leads, under the current fence */  \
    X(FOLLOWS, "follows") /* the tab has a page and it does not believe that it leads */        \
    X(NOBODY,  "nobody")  /* no page holds a lease that is neither released nor over */         \
    X(SETTLED, "settled") /* every operation in the outbox has come to its end */               \
    X(GONE,    "gone")    /* the tab has no page */

enum step_expectation {
#define X(kind, word) EXPECT_##kind,
    STEP_EXPECTATIONS(X)
#undef X
    EXPECT_COUNT
};

struct step_action_info { const char *word; enum step_target target; };
extern const struct step_action_info step_action_info[ACTION_COUNT];
extern const char *const step_expectation_word[EXPECT_COUNT];

#endif

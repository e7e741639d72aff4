/* The vocabulary that pages, ledger, history and oracle share: small closed
 * enumerations, each with its words for files and traces. */
#ifndef SIM_BASE_WORDS_H
#define SIM_BASE_WORDS_H

/* page.created flags */
enum { PAGE_IS_VISIBLE = 1, PAGE_HAS_LOCKS = 2, PAGE_MAY_LEAD = 4, PAGE_IS_FOREIGN = 8 };
/* lock.requested flags */
enum { LOCK_IS_IF_AVAILABLE = 1, LOCK_IS_STEAL = 2, LOCK_HAS_SIGNAL = 4, LOCK_IS_FOREIGN = 8 };
/* lock names are small numbers in a round; 1 is the contract's leader lock */
enum { LOCK_NAME_LEADER = 1, LOCK_NAME_OTHER = 2, LOCK_NAMES };

#define LOCK_ERRORS(X) /* WL-10, in the order in which they are checked */ \
    X(NONE, "none") X(TYPE, "TypeError") X(INVALID_STATE, "InvalidStateError") \
    X(SECURITY, "SecurityError") X(NOT_SUPPORTED, "NotSupportedError") X(ABORT, "AbortError")

#define CLIENT_STATES(X) /* protocol.md, "States" */ \
    X(FOLLOWER, "FOLLOWER") X(REQUESTING, "REQUESTING") X(LEADER, "LEADER") \
    X(DRAINING, "DRAINING") X(RELEASED, "RELEASED") X(ABORTED, "ABORTED")

#define WHY_ENDED(X) /* why a page stopped leading */ \
    X(HIDDEN, "hidden") X(MAX_HOLD, "max-hold") X(FREEZE, "freeze") X(PAGEHIDE, "pagehide") \
    X(STOLEN, "stolen") X(LEASE, "lease-over") X(FENCED, "fenced") X(EPOCH, "epoch-closed") \
    X(RESUMED, "resumed") X(OTHER, "other")

#define REQUEST_KINDS(X) \
    X(NONE, "none") X(CLAIM, "claim") X(RENEW, "renew") X(RELEASE, "release") X(TAKE, "take") \
    X(COMMIT, "commit") X(ACK, "ack") X(RECONCILE, "reconcile") X(PERMIT, "permit") \
    X(SUBMIT, "submit") X(SUBSCRIBE, "subscribe") X(STATUS, "status") \
    X(EFFECT, "effect") X(OUTCOME, "outcome") X(REFRESH, "refresh") X(SIGN_OUT, "sign-out") \
    X(FOLLOW, "follow") X(UNFOLLOW, "unfollow")

#define ANSWER_RESULTS(X) \
    X(NONE, "none") X(OK, "OK") X(FENCED, "FENCED") X(PROTOCOL_TOO_OLD, "PROTOCOL_TOO_OLD") \
    X(EPOCH_CLOSED, "EPOCH_CLOSED") X(WAIT, "WAIT") X(NOT_EXTENDED, "NOT_EXTENDED") \
    X(EMPTY, "EMPTY") X(REFUSED, "REFUSED") X(REDIRECT, "REDIRECT") X(UNAVAILABLE, "UNAVAILABLE") \
    X(IN_PROGRESS, "IN_PROGRESS") X(QUOTA, "QUOTA") X(REVOKED, "REVOKED") \
    X(SIGNED_OUT, "SIGNED_OUT")

#define COMMIT_PARTS(X) X(NONE, "none") X(CURSOR, "cursor") X(DELETE, "delete") X(ACK, "ack")

#define OUTCOMES(X) /* what became of an operation at the provider */ \
    X(UNKNOWN, "unknown") X(DONE, "done") X(NEVER_SEEN, "never-seen") X(RUNNING, "running")

#define PUSH_KINDS(X) \
    X(NONE, "none") X(EXPIRED, "expired") X(VACANT, "vacant") X(LED, "led") \
    X(CLOSED, "closed") X(REOPENED, "reopened") X(TASK, "task") \
    X(EVENT, "event") X(EVENTS_LOST, "events-lost")

#define PROFILES(X) /* world.md; the last but two are measured (facts, table 7) */ \
    X(SPEC, "spec") X(CHROMIUM, "chromium-156") X(GECKO, "gecko-153") X(WEBKIT, "webkit-2.50") \
    X(CHROME_ANDROID, "chrome-android") X(SAFARI_IOS, "safari-ios") X(WORST, "worst")

#define STAGES(X) X(OBSERVE, "observe") X(READ_ONLY, "read-only") X(OUTBOX, "outbox")
#define STEAL_RULES(X) X(NEVER, "never") X(INCIDENT_ONLY, "incident-only") X(ALLOWED, "allowed")
#define FALLBACKS(X) \
    X(SERVER_COORDINATED, "SERVER_COORDINATED") X(SINGLE_PAGE, "SINGLE_PAGE") \
    X(READ_ONLY, "READ_ONLY")
#define AUTHORITIES(X) X(SERVER, "server-lease-ledger") X(INDEXEDDB, "indexeddb-ledger")
#define NETWORKS(X) X(LAN, "lan") X(BROADBAND, "broadband") X(MOBILE, "mobile")
#define LAYOUTS(X) X(SINGLE, "single") X(QUORUM, "quorum")
#define WORKSTREAMS(X) /* protocol.md, "Workstreams": what a leader's work is */ \
    X(OUTBOX, "account-outbox") X(SESSION, "session-refresh") X(FEED, "live-subscription")
#define ACCOUNTS(X) /* who is signed in; a contract binds one account */ \
    X(OWN, "own") X(OTHER, "other") X(NONE, "none")

/* DECLARE_WORDS(lock_error, LOCK_ERR, LOCK_ERRORS) makes the enum and the
 * table `lock_error_word[]` with LOCK_ERR_COUNT entries. */
#define DECLARE_WORDS(name, prefix, LIST, EXPAND) \
    enum name { LIST(EXPAND) prefix##_COUNT };    \
    extern const char *const name##_word[prefix##_COUNT];

#define E_LOCK_ERR(k, w) LOCK_ERR_##k,
#define E_STATE(k, w) STATE_##k,
#define E_WHY(k, w) WHY_##k,
#define E_REQ(k, w) REQ_##k,
#define E_ANS(k, w) ANS_##k,
#define E_PART(k, w) PART_##k,
#define E_OUTCOME(k, w) OUTCOME_##k,
#define E_PUSH(k, w) PUSH_##k,
#define E_PROFILE(k, w) PROFILE_##k,
#define E_STAGE(k, w) STAGE_##k,
#define E_STEAL(k, w) STEAL_##k,
#define E_FALLBACK(k, w) FALLBACK_##k,
#define E_AUTHORITY(k, w) AUTHORITY_##k,
#define E_NETWORK(k, w) NETWORK_##k,
#define E_LAYOUT(k, w) LAYOUT_##k,
#define E_WORK(k, w) WORKSTREAM_##k,
#define E_ACCOUNT(k, w) ACCOUNT_##k,

DECLARE_WORDS(lock_error, LOCK_ERR, LOCK_ERRORS, E_LOCK_ERR)
DECLARE_WORDS(client_state, STATE, CLIENT_STATES, E_STATE)
DECLARE_WORDS(why_ended, WHY, WHY_ENDED, E_WHY)
DECLARE_WORDS(request_kind, REQ, REQUEST_KINDS, E_REQ)
DECLARE_WORDS(answer_result, ANS, ANSWER_RESULTS, E_ANS)
DECLARE_WORDS(commit_part, PART, COMMIT_PARTS, E_PART)
DECLARE_WORDS(outcome, OUTCOME, OUTCOMES, E_OUTCOME)
DECLARE_WORDS(push_kind, PUSH, PUSH_KINDS, E_PUSH)
DECLARE_WORDS(profile_kind, PROFILE, PROFILES, E_PROFILE)
DECLARE_WORDS(stage, STAGE, STAGES, E_STAGE)
DECLARE_WORDS(steal_rule, STEAL, STEAL_RULES, E_STEAL)
DECLARE_WORDS(fallback, FALLBACK, FALLBACKS, E_FALLBACK)
DECLARE_WORDS(authority, AUTHORITY, AUTHORITIES, E_AUTHORITY)
DECLARE_WORDS(network_kind, NETWORK, NETWORKS, E_NETWORK)
DECLARE_WORDS(layout, LAYOUT, LAYOUTS, E_LAYOUT)
DECLARE_WORDS(workstream, WORKSTREAM, WORKSTREAMS, E_WORK)
DECLARE_WORDS(account, ACCOUNT, ACCOUNTS, E_ACCOUNT)

#endif

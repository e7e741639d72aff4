/* The schema of results.sqlite. SQLite keeps the text with its comments, so that
 * `sqlite3 results.sqlite .schema` explains every column.
 *
 * 64-bit digests and seeds of rounds are stored as the signed integer with the same
 * bits. A passing round costs its share of a block row and of the histograms, some
 * ten bytes; rounds that broke something or proved nothing are kept one by one. */
#ifndef REPORTS_SCHEMA_H
#define REPORTS_SCHEMA_H

#define SCHEMA_APPLICATION 0x54425131 /* "TBQ1" in the file's header */
/* user_version; larger is refused, smaller is read (store_read.c) and not written to.
 *   2: run.program, setting
 *   3: failure_group
 *   4: round.course, finding.course, invariant.uniform_*, strategy, state, saturation
 *   5: proof */
#define SCHEMA_VERSION 5

#define SCHEMA_RUN                                                                            \
    "CREATE TABLE run (\n"                                                                    \
    "  id INTEGER PRIMARY KEY CHECK (id = 1), -- one run a file\n"                            \
    "  seed_text TEXT NOT NULL,       -- the seed as it was typed\n"                          \
    "  seed TEXT NOT NULL,            -- the number it stands for, 0x and 16 digits\n"        \
    "  revision TEXT NOT NULL,        -- of the program\n"                                    \
    "  build TEXT NOT NULL,           -- compiler and options\n"                              \
    "  suite TEXT NOT NULL,           -- file of the suite\n"                                 \
    "  plan_digest TEXT NOT NULL,     -- of suite, scenarios and contract as read\n"          \
    "  contract TEXT NOT NULL,        -- JSON, members as in a history's first line\n"        \
    "  contract_file TEXT,            -- as given on the command line; NULL: the suite's own\n"   \
    "  rounds_asked INTEGER NOT NULL, -- of all shards together\n"                            \
    "  block_rounds INTEGER NOT NULL, -- rounds of a full block\n"                            \
    "  shard INTEGER NOT NULL,        -- from 1\n"                                            \
    "  shards INTEGER NOT NULL CHECK (shard BETWEEN 1 AND shards), -- 1: not sharded\n"       \
    "  jobs INTEGER NOT NULL,         -- worker threads\n"                                    \
    "  started TEXT,                  -- UTC, ISO 8601\n"                                     \
    "  program TEXT,                  -- as it was called; NULL: build/tabquake\n"            \
    "  state TEXT NOT NULL CHECK (state IN ('running', 'finished', 'interrupted')),\n"        \
    "                                 -- 'running' in a file that nobody writes: killed\n"    \
    "  verdict TEXT CHECK (verdict IN ('pass', 'fail', 'unknown')), -- NULL: not judged\n"    \
    "  short INTEGER CHECK (short IN (0, 1)), -- 1: fewer rounds than the contract asks\n"    \
    "  digest TEXT NOT NULL           -- over all rounds so far, 0x and 16 digits\n"          \
    ") STRICT;\n"                                                                             \
    "CREATE TABLE setting (\n"                                                                \
    "  position INTEGER PRIMARY KEY, -- on the command line, from 0\n"                        \
    "  path TEXT NOT NULL,        -- key of contract or scenario that --set changed\n"        \
    "  value TEXT NOT NULL        -- as it was typed\n"                                       \
    ") STRICT;\n"                                                                             \
    "CREATE TABLE scenario (\n"                                                               \
    "  id INTEGER PRIMARY KEY,    -- number in the suite, from 0\n"                           \
    "  name TEXT NOT NULL,        -- from the scenario's file\n"                              \
    "  file TEXT NOT NULL,        -- as the suite names it\n"                                 \
    "  share INTEGER NOT NULL,    -- of the rounds, relative to the other shares\n"           \
    "  rounds INTEGER NOT NULL,   -- run so far\n"                                            \
    "  broken INTEGER NOT NULL,   -- rounds in which an invariant broke\n"                    \
    "  unknown INTEGER NOT NULL   -- rounds that a limit cut short\n"                         \
    ") STRICT;\n"

#define SCHEMA_ROUNDS                                                                         \
    "CREATE TABLE block (\n"                                                                  \
    "  first INTEGER PRIMARY KEY, -- index of the block's first round\n"                      \
    "  rounds INTEGER NOT NULL,   -- that were run: all of it, or it would not be here\n"     \
    "  digest INTEGER NOT NULL    -- sum over its rounds, signed with the same bits\n"        \
    ") STRICT;\n"                                                                             \
    "CREATE TABLE round (\n"                                                                  \
    "  idx INTEGER NOT NULL,      -- index in the run, from 0\n"                              \
    "  why TEXT NOT NULL CHECK (why IN ('broken', 'unknown', 'slow')), -- it was kept\n"      \
    "  scenario INTEGER NOT NULL REFERENCES scenario (id), -- number in the suite\n"          \
    "  seed INTEGER NOT NULL,     -- of the round, signed with the same bits\n"               \
    "  failover_us INTEGER,       -- its longest failover; NULL: it had none\n"               \
    "  course TEXT NOT NULL,      -- how the seed was spent, as replay --course takes it\n"    \
    "  digest INTEGER NOT NULL,   -- of its history, signed with the same bits\n"             \
    "  PRIMARY KEY (why, idx)\n"                                                              \
    ") STRICT, WITHOUT ROWID;\n"                                                              \
    "CREATE TABLE finding (\n"                                                                \
    "  invariant TEXT NOT NULL,   -- its name\n"                                              \
    "  idx INTEGER NOT NULL,      -- index of the round\n"                                    \
    "  verdict TEXT NOT NULL CHECK (verdict IN ('broken', 'unknown')),\n"                     \
    "                             -- unknown: with a reason that is worth keeping\n"          \
    "  scenario INTEGER NOT NULL REFERENCES scenario (id), -- number in the suite\n"          \
    "  seed INTEGER NOT NULL,     -- of the round, signed with the same bits\n"               \
    "  witness_a INTEGER,         -- the observations that contradict each other,\n"          \
    "  witness_b INTEGER,         -- by number; NULL: none is named\n"                        \
    "  reason TEXT,               -- one clause in plain words\n"                             \
    "  course TEXT NOT NULL,      -- of the round, as replay --course takes it\n"              \
    "  PRIMARY KEY (invariant, idx)\n"                                                        \
    ") STRICT, WITHOUT ROWID;\n"

#define SCHEMA_SUMS                                                                           \
    "CREATE TABLE counter (\n"                                                                \
    "  name TEXT PRIMARY KEY,     -- as in oracle/tally.h\n"                                  \
    "  value INTEGER NOT NULL     -- sum over all blocks\n"                                   \
    ") STRICT, WITHOUT ROWID;\n"                                                              \
    "CREATE TABLE invariant (\n"                                                              \
    "  name TEXT PRIMARY KEY,     -- as in the oracle\n"                                      \
    "  broken INTEGER NOT NULL,   -- rounds in which it was violated\n"                       \
    "  held INTEGER NOT NULL,     -- rounds in which it was exercised and held\n"             \
    "  unknown INTEGER NOT NULL,  -- rounds that could not tell\n"                            \
    "  uniform_broken INTEGER NOT NULL, -- of the uniformly drawn rounds\n"                   \
    "  uniform_held INTEGER NOT NULL -- the same, held\n"                                     \
    ") STRICT, WITHOUT ROWID;\n"                                                              \
    "CREATE TABLE strategy (\n"                                                               \
    "  name TEXT PRIMARY KEY,     -- how rounds were spent\n"                                 \
    "  rounds INTEGER NOT NULL,   -- so many\n"                                               \
    "  broken INTEGER NOT NULL    -- of them, in which an invariant broke\n"                  \
    ") STRICT, WITHOUT ROWID;\n"                                                              \
    "CREATE TABLE state (\n"                                                                  \
    "  id INTEGER PRIMARY KEY,    -- an abstract state, as oracle/abstract.c numbers them\n"  \
    "  first INTEGER NOT NULL     -- index of the first round that reached it\n"              \
    ") STRICT;\n"                                                                             \
    "CREATE VIEW saturation AS -- distinct abstract states after so many rounds\n"            \
    "  SELECT first + 1 AS rounds, max(n) AS states FROM\n"                                   \
    "    (SELECT first, row_number() OVER (ORDER BY first) AS n FROM state)\n"                \
    "  GROUP BY first ORDER BY first;\n"                                                      \
    "CREATE TABLE histogram (\n"                                                              \
    "  id INTEGER PRIMARY KEY,    -- for bucket\n"                                            \
    "  name TEXT NOT NULL UNIQUE, -- failover, raw, cold, hold, or dimension:value\n"         \
    "  max_us INTEGER NOT NULL    -- largest value seen\n"                                    \
    ") STRICT;\n"                                                                             \
    "CREATE TABLE bucket (\n"                                                                 \
    "  histogram INTEGER NOT NULL REFERENCES histogram (id), -- whose\n"                      \
    "  bucket INTEGER NOT NULL,   -- number; the view latency gives its upper edge\n"         \
    "  count INTEGER NOT NULL,    -- values in it\n"                                          \
    "  PRIMARY KEY (histogram, bucket)\n"                                                     \
    ") STRICT, WITHOUT ROWID;\n"                                                              \
    "CREATE VIEW latency AS -- histograms with the upper edge of each bucket in us\n"         \
    "  SELECT h.name, CASE WHEN b.bucket < 1024 THEN b.bucket\n"                              \
    "    ELSE ((1025 + b.bucket % 1024) << (b.bucket / 1024 - 1)) - 1 END AS upto_us, b.count\n" \
    "  FROM bucket b JOIN histogram h ON h.id = b.histogram;\n"                               \
    "CREATE TABLE fault (\n"                                                                  \
    "  name TEXT PRIMARY KEY,     -- as in scenario files\n"                                  \
    "  planned INTEGER NOT NULL,  -- times it was planned\n"                                  \
    "  effective_rounds INTEGER NOT NULL -- rounds in which it changed something\n"           \
    ") STRICT, WITHOUT ROWID;\n"                                                              \
    "CREATE TABLE cell (\n"                                                                   \
    "  fault TEXT NOT NULL,       -- its name\n"                                              \
    "  phase TEXT NOT NULL,       -- of the leader when the fault took effect\n"              \
    "  hits INTEGER NOT NULL,     -- effective ones\n"                                        \
    "  PRIMARY KEY (fault, phase)\n"                                                          \
    ") STRICT, WITHOUT ROWID;\n"

#define SCHEMA_JUDGEMENT                                                                      \
    "CREATE TABLE condition (\n"                                                              \
    "  position INTEGER PRIMARY KEY, -- in the table that the gate prints, from 0\n"          \
    "  name TEXT NOT NULL,        -- of the condition\n"                                      \
    "  says TEXT NOT NULL,        -- a few plain words\n"                                     \
    "  threshold TEXT NOT NULL,   -- from the contract\n"                                     \
    "  value TEXT NOT NULL,       -- that was measured\n"                                     \
    "  bound95 TEXT NOT NULL,     -- how far the value may be from the truth\n"               \
    "  verdict TEXT NOT NULL CHECK (verdict IN ('pass', 'fail', 'unknown')),\n"               \
    "                             -- of this condition\n"                                     \
    "  judged INTEGER NOT NULL CHECK (judged IN (0, 1)) -- 0: shown only\n"                   \
    ") STRICT;\n"                                                                             \
    "CREATE TABLE failure_group (\n"                                                         \
    "  position INTEGER PRIMARY KEY, -- by invariant, then by first failure, from 0\n"        \
    "  name TEXT NOT NULL UNIQUE, -- invariant/fault+fault; to compare runs by\n"             \
    "  invariant TEXT NOT NULL,   -- that breaks\n"                                           \
    "  faults TEXT NOT NULL,      -- that suffice, sorted, joined with +; empty: none\n"      \
    "  reduced INTEGER NOT NULL CHECK (reduced IN (0, 1)), -- 0: no script of it fails\n"     \
    "  failures INTEGER NOT NULL, -- of those that were looked at\n"                          \
    "  idx INTEGER NOT NULL,      -- round of the first, in finding\n"                        \
    "  tabs INTEGER NOT NULL,     -- of the minimal scenario\n"                               \
    "  operations INTEGER NOT NULL, -- that it submits\n"                                     \
    "  calm INTEGER NOT NULL CHECK (calm IN (0, 1)), -- 1: it needs no seed\n"                \
    "  script TEXT NOT NULL       -- the minimal scenario, as a file\n"                       \
    ") STRICT;\n"                                                                             \
    "CREATE TABLE mutant (\n"                                                                 \
    "  position INTEGER PRIMARY KEY, -- in the order in which they ran\n"                     \
    "  name TEXT NOT NULL,        -- of the mutant\n"                                         \
    "  invariant TEXT NOT NULL,   -- that has to catch it\n"                                  \
    "  caught INTEGER NOT NULL CHECK (caught IN (0, 1)), -- by that invariant\n"              \
    "  rounds INTEGER NOT NULL,   -- until it was caught, or that were run\n"                 \
    "  budget INTEGER NOT NULL,   -- rounds that it may take\n"                               \
    "  also TEXT NOT NULL         -- other invariants that fired, by name\n"                  \
    ") STRICT;\n"                                                                             \
    "CREATE TABLE proof (\n"                                                                  \
    "  name TEXT PRIMARY KEY,     -- of what the gate tried beside the rounds\n"              \
    "  value INTEGER NOT NULL     -- how many, or 0 and 1\n"                                  \
    ") STRICT, WITHOUT ROWID;\n"                                                              \
    "CREATE TABLE performance (\n"                                                            \
    "  name TEXT PRIMARY KEY,     -- seconds, rounds_per_s, events_per_s, speedup\n"          \
    "  value REAL NOT NULL        -- in the unit of its name\n"                               \
    ") STRICT, WITHOUT ROWID;\n"

#endif

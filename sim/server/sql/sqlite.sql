-- What SQLite says its own way; see ledger.sql. IMMEDIATE takes the write lock before the first
-- read: a plain BEGIN would read first, and two that then write would have read the same row.

-- name: connect
pragma journal_mode = wal;
pragma synchronous = normal;

-- name: drop
drop table if exists fence_ledger;
drop table if exists fence_claim;
drop table if exists outbox_task;

-- name: begin
begin immediate;

-- name: lock
select id from fence_ledger;

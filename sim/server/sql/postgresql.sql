-- What PostgreSQL says its own way; see ledger.sql. READ COMMITTED is enough, because the row of
-- the ledger is locked before anything is read: those who wait for it see what the one before
-- them committed.

-- name: connect
set client_min_messages = warning;

-- name: drop
drop table if exists fence_ledger, fence_claim, outbox_task;

-- name: begin
begin isolation level read committed;

-- name: lock
select id from fence_ledger for update;

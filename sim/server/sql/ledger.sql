-- The fence ledger as SQL: one row that says who leads, the claims that were answered, and the
-- outbox. SQLite (3.35 and later) and PostgreSQL run the same statements; `sqlite.sql` and
-- `postgresql.sql` beside this file have the little in which they differ.
--
-- Every request is one transaction. It begins with `begin`, which waits for the others, then
-- `expire`, then its own statements; times are microseconds of one clock, read after the wait.
-- What a write depends on stands in its own WHERE, so that a write that nobody may make changes no
-- row, and the reads after it only say why. A fence is (incarnation, epoch, generation).

-- name: schema
create table fence_ledger (
    id integer primary key check (id = 1),
    incarnation bigint not null,
    epoch bigint not null,
    generation bigint not null,
    held boolean not null,
    expired boolean not null,           -- the last lease ran out and was not released
    closed boolean not null,            -- an incident: no client leads in this epoch
    server_holds boolean not null,
    partition_key bigint not null,      -- the storage partition that leads
    protocol bigint not null,           -- of the page that leads; older ones are refused
    lease_end bigint not null,
    renewals bigint not null,
    renewals_at_claim bigint not null,
    permits bigint not null,
    permit_tab bigint not null,         -- who has the last permit to steal; 0: nobody
    permit_until bigint not null,
    no_permit_before bigint not null,
    place bigint not null               -- the outbox's cursor
);
create table fence_claim (
    claim bigint primary key,           -- drawn by the page: told again, answered again
    incarnation bigint not null,
    epoch bigint not null,
    generation bigint not null
);
create table outbox_task (
    op bigint primary key,
    state text not null check (state in ('queued', 'taken', 'acked', 'done')),
    incarnation bigint not null,        -- the owner's fence
    epoch bigint not null,
    generation bigint not null,
    unreconciled boolean not null,      -- an earlier owner may have sent its effect
    protocol bigint not null
);

-- name: first-row
insert into fence_ledger values
    (1, :incarnation, 1, 0, false, false, false, false, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

-- What ran out is over before anything else looks at it.
-- name: expire
update fence_ledger set held = false, expired = true
where held and not server_holds and lease_end <= :now;

-- Why a write changed nothing.
-- name: state
select incarnation, epoch, generation, held, closed, expired, protocol, lease_end, renewals,
       held and not server_holds as page_leads,
       permits, permit_tab, permit_until, no_permit_before
from fence_ledger;

-- name: claim-known
select incarnation, epoch, generation from fence_claim where claim = :claim;

-- name: claim
update fence_ledger
set generation = generation + 1, held = true, expired = false, server_holds = false,
    partition_key = :partition, protocol = :protocol, lease_end = :now + :ttl,
    renewals_at_claim = renewals, permit_tab = 0, permit_until = 0
where not closed and protocol <= :protocol
  and (not held or server_holds or partition_key = :partition)
returning incarnation, epoch, generation;

-- name: claim-kept
insert into fence_claim values (:claim, :incarnation, :epoch, :generation);

-- Each open task gets its new owner in the same transaction.
-- name: hand-over
update outbox_task
set incarnation = :incarnation, epoch = :epoch, generation = :generation,
    unreconciled = (state = 'taken')
where state in ('taken', 'acked');

-- name: left-open
select op from outbox_task
where incarnation = :incarnation and epoch = :epoch and generation = :generation
  and (state = 'acked' or (state = 'taken' and unreconciled))
order by op limit 8;

-- name: renew
update fence_ledger set renewals = renewals + 1, lease_end = :now + :ttl
where held and not closed and protocol <= :protocol
  and incarnation = :incarnation and epoch = :epoch and generation = :generation
  and (renewals = renewals_at_claim or renewals = :acked)
returning renewals;

-- name: release
update fence_ledger set held = false
where held and not closed and protocol <= :protocol
  and incarnation = :incarnation and epoch = :epoch and generation = :generation
returning generation;

-- name: submit
insert into outbox_task values (:op, 'queued', 0, 0, 0, false, :protocol)
on conflict (op) do nothing;

-- Taken before by the same fence: its answer was lost.
-- name: taken-before
select min(t.op) from outbox_task t, fence_ledger l
where t.state in ('taken', 'acked')
  and l.held and not l.closed and l.protocol <= :protocol
  and l.incarnation = :incarnation and l.epoch = :epoch and l.generation = :generation
  and t.incarnation = l.incarnation and t.epoch = l.epoch and t.generation = l.generation
having count(*) > 0;

-- name: take
update outbox_task
set state = 'taken', unreconciled = false,
    incarnation = :incarnation, epoch = :epoch, generation = :generation
where op = (select min(op) from outbox_task where state = 'queued' and protocol <= :protocol)
  and exists (select 1 from fence_ledger l
              where l.held and not l.closed and l.protocol <= :protocol
                and l.incarnation = :incarnation and l.epoch = :epoch
                and l.generation = :generation)
returning op;

-- name: any-queued
select op from outbox_task where state = 'queued' limit 1;

-- name: ack
update outbox_task set state = 'acked'
where op = :op and state in ('taken', 'acked')
  and incarnation = :incarnation and epoch = :epoch and generation = :generation
  and exists (select 1 from fence_ledger l
              where l.held and not l.closed and l.protocol <= :protocol
                and l.incarnation = :incarnation and l.epoch = :epoch
                and l.generation = :generation)
returning op;

-- name: seen
update outbox_task set unreconciled = false
where op = :op and state = 'taken'
  and incarnation = :incarnation and epoch = :epoch and generation = :generation
  and exists (select 1 from fence_ledger l
              where l.held and not l.closed and l.protocol <= :protocol
                and l.incarnation = :incarnation and l.epoch = :epoch
                and l.generation = :generation)
returning op;

-- name: delete
update outbox_task set state = 'done'
where op = :op and state = 'acked'
  and incarnation = :incarnation and epoch = :epoch and generation = :generation
  and exists (select 1 from fence_ledger l
              where l.held and not l.closed and l.protocol <= :protocol
                and l.incarnation = :incarnation and l.epoch = :epoch
                and l.generation = :generation)
returning op;

-- name: place
update fence_ledger set place = :op
where held and not closed and protocol <= :protocol
  and incarnation = :incarnation and epoch = :epoch and generation = :generation
  and exists (select 1 from outbox_task t
              where t.op = :op and t.state in ('taken', 'acked', 'done')
                and t.incarnation = :incarnation and t.epoch = :epoch
                and t.generation = :generation)
returning place;

-- name: task
select state = 'done', state = 'taken',
       state in ('taken', 'acked')
       and incarnation = :incarnation and epoch = :epoch and generation = :generation
from outbox_task where op = :op;

-- One permit at a time, and only after a lease ran out that nobody released.
-- name: permit
update fence_ledger
set permits = permits + 1, permit_tab = :tab, permit_until = :now + :permitTtl
where expired and not closed and permit_until <= :now and no_permit_before <= :now
returning permits;

-- The old owner may renew before anybody gets a permit.
-- name: restarted
update fence_ledger set no_permit_before = :now + :permitGrace;

-- name: advance-epoch
update fence_ledger
set epoch = epoch + 1, closed = true, server_holds = true,
    generation = generation + 1, held = true, expired = false, renewals_at_claim = renewals
returning incarnation, epoch, generation;

-- name: reopen
update fence_ledger set closed = false;

-- Each time the event log was replaced by an older state, e.g. after a failover or a restore. `common_events` is the
-- number of events that the log has in common with the audit chain, and `lost_events` the number of chained events that
-- the log no longer contains.
create table audit.log_rewinds (
  incarnation bigint primary key,
  detected_at timestamptz not null default now(),
  common_events bigint not null,
  common_position text collate "C" not null,
  lost_events bigint not null
);

-- The hashes and log entries of lost events, as evidence.
create table audit.lost_event_hashes (like audit.event_hashes, incarnation bigint not null references audit.log_rewinds);
create table audit.lost_log_entries (like audit.log_entries, incarnation bigint not null references audit.log_rewinds);

-- Allows the changes of `audit.set_aside`, and no others.
create or replace function audit.refuse_change() returns trigger language plpgsql as $$
begin
  if current_setting('audit.sets_aside', true) = 'on' and tg_op = 'DELETE' then
    return null;
  end if;
  raise exception 'What is logged is never changed or removed';
end
$$;

-- Moves the hashes of all events after the first `common` events, and the log entries from number `lost_entry` on, to
-- the tables of lost events. Fails if a daily root contains one of these entries. Returns the incarnation of the log.
create function audit.set_aside(common bigint, common_at text, lost_entry bigint) returns bigint language plpgsql as $$
declare
  next_incarnation bigint;
  block audit.event_hashes;
  chained bigint;
begin
  lock table audit.event_hashes, audit.log_entries, audit.daily_roots in exclusive mode;
  if exists (select from audit.daily_roots where last >= lost_entry) then
    raise exception 'The root of a past day contains entries of lost events';
  end if;
  select coalesce(max(first + cardinality(positions) - 1), 0) into chained from audit.event_hashes;
  select coalesce(max(incarnation), 0) + 1 into next_incarnation from audit.log_rewinds;
  insert into audit.log_rewinds (incarnation, common_events, common_position, lost_events)
    values (next_incarnation, common, common_at, chained - common);

  perform set_config('audit.sets_aside', 'on', true);
  select * into block from audit.event_hashes where first <= common order by first desc limit 1;
  insert into audit.lost_event_hashes select h.*, next_incarnation from audit.event_hashes h where first > common;
  delete from audit.event_hashes where first > common;
  if block.first + cardinality(block.positions) - 1 > common then
    insert into audit.lost_event_hashes values (
      common + 1, block.positions[common - block.first + 2 :],
      substring(block.hashes from ((common - block.first + 1) * 32 + 1)::integer), next_incarnation);
    delete from audit.event_hashes where first = block.first;
    insert into audit.event_hashes values (
      block.first, block.positions[: common - block.first + 1],
      substring(block.hashes for ((common - block.first + 1) * 32)::integer));
  end if;
  insert into audit.lost_log_entries select e.*, next_incarnation from audit.log_entries e where number >= lost_entry;
  delete from audit.log_entries where number >= lost_entry;
  perform set_config('audit.sets_aside', 'off', true);
  return next_incarnation;
end
$$;

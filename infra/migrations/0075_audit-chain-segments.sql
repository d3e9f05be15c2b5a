-- The segments of the audit chain after the first one. A segment begins when the event log was replaced by an older
-- state. Its first event is chained to SHA-256 of `start_hash` and the hash of the event before it. If a later segment
-- begins at the same event or before it, the chain has no event of the segment.
create table audit.chain_segments (
  number bigint primary key,
  incarnation bigint not null unique references audit.log_rewinds,
  -- The number of the first event of the segment in the chain.
  first bigint not null,
  -- The number of the last event of the segment before, and its hash. The log may have lost this event.
  previous_last bigint not null,
  previous_hash bytea not null,
  start_hash bytea not null
);
create trigger segments_are_permanent before update or delete or truncate on audit.chain_segments
  for each statement execute function audit.refuse_change();

-- The numbers of the last segment at the times when the chain began with the first event again. After a move to another
-- event store and after a restore of a backup, all hashes are computed again, because they contain positions.
create table audit.chain_starts (segments bigint primary key);

-- Moves the hashes of all events after the first `common` events, and the log entries from number `lost_entry` on, to
-- the tables of lost events, and begins a new segment of the chain. Fails if a daily root contains one of these
-- entries. Returns the incarnation of the log.
create or replace function audit.set_aside(common bigint, common_at text, lost_entry bigint) returns bigint
language plpgsql as $$
declare
  next_incarnation bigint;
  next_segment bigint;
  block audit.event_hashes;
  chained bigint;
  last_hash bytea;
begin
  lock table audit.event_hashes, audit.log_entries, audit.daily_roots in exclusive mode;
  if exists (select from audit.daily_roots where last >= lost_entry) then
    raise exception 'The root of a past day contains entries of lost events';
  end if;
  select first + cardinality(positions) - 1, substring(hashes from octet_length(hashes) - 31)
    into chained, last_hash from audit.event_hashes order by first desc limit 1;
  chained := coalesce(chained, 0);
  -- A segment without an event yet ends where it begins.
  select start_hash into last_hash from (
    select last_hash as start_hash, 0::bigint as number where last_hash is not null
    union all
    select s.start_hash, s.number from audit.chain_segments s
     where s.first = chained + 1
       and not exists (select from audit.chain_segments t where t.number > s.number and t.first <= s.first)
  ) as ends order by number desc limit 1;
  last_hash := coalesce(last_hash, decode(repeat('00', 32), 'hex'));
  select coalesce(max(incarnation), 0) + 1 into next_incarnation from audit.log_rewinds;
  insert into audit.log_rewinds (incarnation, common_events, common_position, lost_events)
    values (next_incarnation, common, common_at, chained - common);
  select coalesce(max(number), 1) + 1 into next_segment from audit.chain_segments;
  insert into audit.chain_segments (number, incarnation, first, previous_last, previous_hash, start_hash)
    values (next_segment, next_incarnation, common + 1, chained, last_hash,
            sha256(convert_to('audit chain segment ' || next_segment || ' after ', 'UTF8') || last_hash));

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

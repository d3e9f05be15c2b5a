-- The hash of every event, chained to the hash of the previous event, so that a change is detected. A row contains
-- the hashes of events that were read together.
create table audit.event_hashes (
  -- The number of its first event, counted from 1 over the whole store.
  first bigint primary key,
  -- The positions of its events in order, and their concatenated SHA-256 hashes, 32 bytes each.
  positions text[] collate "C" not null,
  hashes bytea not null,
  check (octet_length(hashes) = 32 * cardinality(positions))
);

-- The moderation log: actions of staff, reports and rules. Each entry contains the hash of the previous one.
create table audit.log_entries (
  number bigint primary key,
  event_id uuid not null unique,
  -- The day of the entry in UTC: never before the day of the previous entry.
  day date not null,
  type text collate "C" not null,
  actor_id text collate "C",
  entry json not null,
  hash bytea not null
);
create index on audit.log_entries (day, number);
create index on audit.log_entries (actor_id, number);

-- The root of each past day, which may be published and proves each of the day's entries.
create table audit.daily_roots (
  day date primary key,
  first bigint not null,
  last bigint not null,
  root bytea not null,
  -- The hash of this row and the previous one.
  hash bytea not null
);

create function audit.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'What is logged is never changed or removed';
end
$$;
create trigger hashes_are_permanent before update or delete or truncate on audit.event_hashes for each statement execute function audit.refuse_change();
create trigger entries_are_permanent before update or delete or truncate on audit.log_entries for each statement execute function audit.refuse_change();
create trigger roots_are_permanent before update or delete or truncate on audit.daily_roots for each statement execute function audit.refuse_change();

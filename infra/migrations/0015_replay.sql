-- The progress of rebuilds that an admin has requested. The requests are in the streams projection-{name}.
create table rm.rebuilds (
  projection text primary key,
  rebuild_id text not null,
  version integer not null,
  state text not null check (state in ('running', 'paused', 'checking', 'ready', 'swapping', 'swapped', 'cancelled', 'failed')),
  -- Requested, and not done yet.
  wish text check (wish in ('pause', 'cancel')),
  -- The position of the new tables, which contain everything up to there; null while they are being filled.
  position text collate "C",
  -- The id of the new table, which distinguishes it from another table of the same name.
  table_oid oid,
  has_indexes boolean not null default false,
  events bigint not null default 0,
  events_per_s integer not null default 0,
  -- An estimate from 0 to 1.
  fraction double precision not null default 0,
  left_s integer,
  -- The number of rows that differ, and the first of them: keys and columns, never values.
  differing_rows integer,
  differences jsonb not null default '[]',
  error text,
  requested_by text,
  requested_at timestamptz not null,
  updated_at timestamptz not null default now()
);

-- The tables that a swap has replaced, so that an admin can revert to them.
create table rm.previous_versions (
  projection text primary key,
  version integer not null,
  position text collate "C" not null,
  is_reverting boolean not null default false,
  kept_at timestamptz not null default now()
);

-- Identify a parked event in its stream. Null for events that were parked earlier.
alter table rm.parked_events add column event_id text, add column revision integer;

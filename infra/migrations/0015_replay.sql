-- What is known of projections that are built anew because an admin wants it: what was asked is in the streams projection-{name}; here is how far it has come.
create table rm.rebuilds (
  projection text primary key,
  rebuild_id text not null,
  version integer not null,
  state text not null check (state in ('running', 'paused', 'checking', 'ready', 'swapping', 'swapped', 'cancelled', 'failed')),
  -- Asked for, and not done yet.
  wish text check (wish in ('pause', 'cancel')),
  -- Where the tables beside the live ones stand, with everything up to there written; null while they are being filled.
  position text collate "C",
  -- Which table that is: another one of the same name is not it.
  table_oid oid,
  has_indexes boolean not null default false,
  events bigint not null default 0,
  events_per_s integer not null default 0,
  -- 0 to 1, an estimate.
  fraction double precision not null default 0,
  left_s integer,
  -- Rows that were not the same, and the first of them: keys and columns, never values.
  differing_rows integer,
  differences jsonb not null default '[]',
  error text,
  requested_by text,
  requested_at timestamptz not null,
  updated_at timestamptz not null default now()
);

-- The tables a swap has put aside, so that one may go back to them.
create table rm.previous_versions (
  projection text primary key,
  version integer not null,
  position text collate "C" not null,
  is_reverting boolean not null default false,
  kept_at timestamptz not null default now()
);

-- Finds a set-aside event in its stream. Null for those set aside before.
alter table rm.parked_events add column event_id text, add column revision integer;

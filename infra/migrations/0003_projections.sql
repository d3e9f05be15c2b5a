create schema rm;

-- The progress of each projection and reactor. A projection's row changes in the same transaction as its tables.
create table rm.checkpoints (
  name text primary key,
  version integer not null,
  position text collate "C" not null,
  updated_at timestamptz not null default now()
);

-- Events that a projection could not handle, and the later events of the same stream that wait for them.
create table rm.parked_events (
  projection text not null,
  position text collate "C" not null,
  stream text not null,
  event_type text not null,
  error text,
  parked_at timestamptz not null default now(),
  primary key (projection, position)
);
create index on rm.parked_events (projection, stream);

-- The number of live channel connections of each process. Updated every few seconds and then outdated, so a loss is
-- harmless.
create schema if not exists ops;
create unlogged table ops.live_clients (
  process_id text primary key,
  clients integer not null,
  at timestamptz not null default now()
);

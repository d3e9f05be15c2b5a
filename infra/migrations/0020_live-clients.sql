-- How many connections of the live channel each process has. Written every few seconds, worth nothing once old: nothing is lost with it.
create schema if not exists ops;
create unlogged table ops.live_clients (
  process_id text primary key,
  clients integer not null,
  at timestamptz not null default now()
);

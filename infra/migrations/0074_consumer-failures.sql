-- The failures of consumers of events, such as projections, reactors and the audit chain. A row is deleted when its
-- consumer has run for a while without a failure.
create table ops.consumer_failures (
  -- The name of the duty that fails, e.g. `ad_cards@12` or `audit-chain`.
  name text collate "C" primary key,
  -- The first and the last of these failures, and their number.
  since timestamptz not null default now(),
  last_at timestamptz not null default now(),
  failures bigint not null default 1,
  -- The reason of the last failure, without personal data and secrets.
  cause text not null
);

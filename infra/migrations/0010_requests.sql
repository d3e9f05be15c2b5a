-- Data of the HTTP layer about requests. No row is older than a day. Keys are keyed hashes. A stored response may
-- contain personal data: a reviewer's name and text, or a user that an admin verified.
create schema requests;

-- The count of each key in its window. Not logged: a crash of the server loses the counts, and each count costs
-- little.
-- The counting library determines the column names, and writes the columns by position.
create unlogged table requests.counts (
  key text primary key,
  points integer not null default 0,
  -- Milliseconds since 1970.
  expire bigint
);
create index on requests.counts (expire);

-- The first response for each Idempotency-Key of an account. Without a response, the first request is still running,
-- until `locked_until` at the latest.
create table requests.answers (
  account_id text not null,
  key text not null,
  -- The hash of method, path and body.
  request_hash bytea not null,
  -- The id of the current turn: a request that has lost its turn stores nothing.
  turn uuid not null,
  locked_until timestamptz not null,
  status smallint,
  headers jsonb,
  body bytea,
  expires_at timestamptz not null,
  primary key (account_id, key)
);
create index on requests.answers (expires_at);

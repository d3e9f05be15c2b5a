-- What the HTTP layer remembers of requests. Nothing here outlives a day. Keys are keyed hashes; a kept
-- answer may hold what it answered: a reviewer's name and words, a user an admin verified.
create schema requests;

-- How often each key was counted in its window. Not logged: a crash of the server forgets counts, and each count costs next to nothing.
-- The library that counts names the columns, and writes them by position.
create unlogged table requests.counts (
  key text primary key,
  points integer not null default 0,
  -- Milliseconds since 1970.
  expire bigint
);
create index on requests.counts (expire);

-- The first answer to each Idempotency-Key of an account. Without an answer, the first request is still under way, until `locked_until`.
create table requests.answers (
  account_id text not null,
  key text not null,
  -- Of method, path and body.
  request_hash bytea not null,
  -- Whose turn it is: a request that was overtaken keeps nothing.
  turn uuid not null,
  locked_until timestamptz not null,
  status smallint,
  headers jsonb,
  body bytea,
  expires_at timestamptz not null,
  primary key (account_id, key)
);
create index on requests.answers (expires_at);

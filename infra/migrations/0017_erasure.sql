-- Accounts whose key was retired by an erasure, and the number of their current key. The first key of an account has
-- the account's id. The n-th key has the account's id, a tilde and n. An account without a row uses its first key.
create table auth.key_generations (
  account_id text primary key,
  generation integer not null check (generation > 1)
);

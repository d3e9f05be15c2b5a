-- Accounts whose key was retired by an erasure, and which of their keys is written with now. The first key of an account has its id; the
-- n-th that of the account, a tilde and n. An account without a row writes with its first one.
create table auth.key_generations (
  account_id text primary key,
  generation integer not null check (generation > 1)
);

create schema auth;

-- One wrapped key per account. A row whose key is null stands for an erased person: no new key is ever made for it.
create table auth.data_keys (
  account_id text primary key,
  wrapped_key bytea,
  created_at timestamptz not null default now()
);

-- Sign-ins. Only the hash of a token is kept, so a copy of this table opens no session.
create table auth.sessions (
  token_hash bytea primary key,
  account_id text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index on auth.sessions (account_id);
create index on auth.sessions (expires_at);

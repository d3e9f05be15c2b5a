create schema auth;

-- One wrapped key per account. In a row with a null key, the person was erased: no new key is ever created for it.
create table auth.data_keys (
  account_id text primary key,
  wrapped_key bytea,
  created_at timestamptz not null default now()
);

-- Sign-ins. Only the hash of a token is stored, so a copy of this table does not open a session.
create table auth.sessions (
  token_hash bytea primary key,
  account_id text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index on auth.sessions (account_id);
create index on auth.sessions (expires_at);

-- The secrets that wrap the keys of accounts (SECRET_DATA_KEYS). Each secret is identified by the beginning of its
-- fingerprint, from which the secret cannot be computed. Rows are never deleted, so that a process with an outdated
-- configuration is recognized.
create table auth.data_key_secrets (
  id text primary key check (id ~ '^[0-9a-f]{16}$'),
  first_used_at timestamptz not null default clock_timestamp(),
  -- The time since which no key is wrapped with this secret. New keys are not wrapped with it either.
  replaced_at timestamptz
);
insert into auth.data_key_secrets (id) select left(data_keys, 16) from auth.secrets_in_use;
alter table auth.secrets_in_use drop column data_keys;

-- The id of the secret that wraps the key. It is null in rows of earlier releases and in rows of destroyed keys.
alter table auth.data_keys add column secret_id text;

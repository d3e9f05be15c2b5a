-- The key with which account ids are derived from e-mail addresses. It is wrapped with a secret in SECRET_ACCOUNT_IDS,
-- so that the secret can be replaced and the ids remain. One row, written by the first process that starts.
create table auth.account_id_keys (
  id text primary key check (id = 'current'),
  -- Null in an installation of an earlier release, until its next start: its key is the secret itself.
  wrapped_key bytea,
  -- The id of the secret that wraps the key.
  secret_id text,
  check ((wrapped_key is null) = (secret_id is null))
);
insert into auth.account_id_keys (id)
select 'current' where exists (select from auth.secrets_in_use) or exists (select from auth.data_keys);

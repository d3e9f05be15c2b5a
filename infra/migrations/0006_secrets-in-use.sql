-- The fingerprint of each secret of this installation, never the secret. One row, written by the first process that
-- starts.
create table auth.secrets_in_use (
  is_only_row boolean primary key default true check (is_only_row),
  account_ids text not null,
  data_keys text not null,
  verification_codes text not null
);

-- A service has only the secrets that it uses, so the first process that starts may store fewer than all fingerprints.
-- The first process that has a secret adds its fingerprint.
alter table auth.secrets_in_use
  alter column account_ids drop not null,
  alter column verification_codes drop not null;

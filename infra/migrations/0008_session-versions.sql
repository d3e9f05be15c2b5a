-- The number of password changes of the account when the session was opened. A session with another number is
-- invalid.
-- All existing sessions belong to accounts whose password was never changed.
alter table auth.sessions add column password_version integer not null default 0;

-- How often the account's password had been changed when the session was opened. A session of another count is over.
-- Every session so far is one of an account whose password was never changed.
alter table auth.sessions add column password_version integer not null default 0;

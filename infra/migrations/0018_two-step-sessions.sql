-- The number of times that two-step sign-in had been switched on when a session was opened with a code; 0 if it was
-- opened without a code (decision 0038).
alter table auth.sessions add column two_step_version integer not null default 0;

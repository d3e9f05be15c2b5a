-- The items of a check of published pictures that failed and are compared again (decision 0118).
alter table jobs.picture_checks
  add column failed jsonb not null default '[]',
  -- The time at which they are compared again.
  add column retry_at timestamptz not null default now();

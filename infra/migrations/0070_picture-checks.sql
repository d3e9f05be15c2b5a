-- The progress of the checks of published pictures, so that a check continues after an interruption (decision 0118).
create table jobs.picture_checks (
  name text primary key,
  -- Identifies the list that is compared. A check of another list begins again.
  list_version text not null,
  -- The last compared item. Null before the first one.
  last_item jsonb,
  compared integer not null default 0,
  started_at timestamptz not null default now(),
  ended_at timestamptz
);

create schema jobs;

-- Every background job that is not finished, so that a job that Redis has lost is enqueued again (decision 0074).
create table jobs.unfinished (
  kind text not null,
  job_id text not null,
  -- Contains ids only, like the payload in the queue.
  payload jsonb not null,
  -- The time when the job was first enqueued.
  enqueued_at timestamptz not null default now(),
  -- The time when the job is enqueued again, unless it has finished before.
  check_at timestamptz not null,
  primary key (kind, job_id)
);
create index on jobs.unfinished (check_at);

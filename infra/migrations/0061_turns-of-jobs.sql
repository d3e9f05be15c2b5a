-- The account whose jobs take turns with those of other accounts, and the number of its unfinished jobs of the same kind
-- when the job was enqueued. Null for jobs of no account.
alter table jobs.unfinished
  add column account_id text,
  add column turn integer not null default 0;
create index on jobs.unfinished (account_id) where account_id is not null;

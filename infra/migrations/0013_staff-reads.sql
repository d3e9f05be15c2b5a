create schema audit;

-- The log of personal data that staff have read. Separate from the events, because it is not part of the history of
-- an ad or an account, and is deleted after a year.
create table audit.staff_reads (
  -- A UUID of version 7, so ids are in the order of time.
  id text collate "C" primary key,
  at timestamptz not null default now(),
  staff_id text not null,
  what text not null,
  -- The account or object whose data was read; null for a list.
  subject_id text,
  -- The number of people whose data was in the response.
  people integer not null,
  request_id text not null
);
create index on audit.staff_reads (at);
create index on audit.staff_reads (subject_id, id desc) where subject_id is not null;
create index on audit.staff_reads (staff_id, id desc);

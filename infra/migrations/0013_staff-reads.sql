create schema audit;

-- What staff have read of people's personal data. Apart from the events: it is no part of what happened to an ad or an account, and is kept for a year.
create table audit.staff_reads (
  -- A UUID of version 7: in the order of time.
  id text collate "C" primary key,
  at timestamptz not null default now(),
  staff_id text not null,
  what text not null,
  -- The account or thing it was about; null where it was a list.
  subject_id text,
  -- So many people's data were in the answer.
  people integer not null,
  request_id text not null
);
create index on audit.staff_reads (at);
create index on audit.staff_reads (subject_id, id desc) where subject_id is not null;
create index on audit.staff_reads (staff_id, id desc);

-- The mails to the operator with the second copies of removal requests (decision 0116). Rows contain no personal data.
create table jobs.removal_copies (
  request_id text collate "C" primary key,
  created_at timestamptz not null default now(),
  -- The mail with the copy. Null while the request waits for a mail with several copies.
  mail_id text collate "C",
  claimed_at timestamptz,
  sent_at timestamptz,
  check ((mail_id is null) = (claimed_at is null)),
  check (sent_at is null or mail_id is not null)
);
create index on jobs.removal_copies (created_at, request_id) where sent_at is null;
create index on jobs.removal_copies (claimed_at);

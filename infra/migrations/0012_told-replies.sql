-- The replies of a thread about which each follower with instant mails has been notified: one mail covers the replies
-- `first` to `up_to`.
create table mail.told_replies (
  account_id text not null,
  thread_id text not null,
  first integer not null,
  up_to integer not null,
  -- The time when that mail was begun.
  at timestamptz not null default now(),
  primary key (account_id, thread_id)
);
create index on mail.told_replies (at);

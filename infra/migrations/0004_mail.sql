create schema mail;

-- Mails "sent" by the embedded product, shown at /dev/inbox. The id ensures that a job that runs twice sends once.
create table mail.inbox (
  id text primary key,
  "to" text not null,
  subject text not null,
  text text not null,
  at timestamptz not null default now()
);
create index on mail.inbox (at desc);

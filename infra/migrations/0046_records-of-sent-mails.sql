-- The records of most mails are never deleted (decision 0074). Only the ids of mails about replies contain an account
-- id, and only their records are deleted after some days. This index finds them.
create index on mail.sent (at) where id like 'reply-%' or id like 'digest-%';
drop index mail.sent_at_idx;

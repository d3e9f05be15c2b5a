-- The streams of other people, media, threads and cases that contain data of an account. An erasure reads only these
-- streams and the streams that are named after the account. Filled from the events, so no backup contains it.
create table rm.account_streams (
  account_id text collate "C" not null,
  stream text collate "C" not null,
  -- The first event of the stream that concerns the account. After a failover, the rows of lost events are deleted.
  position text collate "C" not null,
  primary key (account_id, stream)
);
create index on rm.account_streams (position);

-- An erasure destroys all keys of an account.
create index on auth.data_keys (split_part(account_id, '~', 1));
-- An erasure removes the content of stored responses.
create index on requests.answers (expires_at) where body is not null or headers is not null;
-- An erasure removes the records of mails about replies to an account. Their ids contain the account id.
create index on mail.sent (id collate "C") where id like 'reply-%' or id like 'digest-%';

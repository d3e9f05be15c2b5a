-- Erasures for which a running rebuild must compute rows of its new tables again. Only the rebuild knows how far it has
-- applied the events, so the erasure leaves a request here. The rebuild does not start again.
create table rm.rebuild_erasures (
  projection text not null,
  receipt_id text not null,
  account_id text not null,
  row_keys text[] not null,
  own_streams text[] not null,
  other_streams text[] not null,
  is_done boolean not null default false,
  primary key (projection, receipt_id)
);

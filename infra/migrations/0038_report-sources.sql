-- The sources of reports by persons without a verified account, so that earlier reports count for the weight of later
-- ones. A source is a keyed hash of a network, from which the address cannot be read.
create table requests.report_sources (
  report_id text primary key,
  source text not null,
  expires_at timestamptz not null
);
create index on requests.report_sources (source, expires_at);
create index on requests.report_sources (expires_at);

-- What an admin finds with the id of a request. Neither table contains personal data besides ids.

-- Requests with an error response, for a few days.
create table ops.failed_requests (
  request_id text collate "C" not null,
  at timestamptz not null,
  service text not null,
  method text not null,
  -- Without the query and without unknown segments.
  path text not null,
  status smallint not null,
  -- The code of the error response. Null if it is not one of our error responses.
  code text,
  -- The error that the response does not contain, without personal data and secrets.
  cause text,
  duration_ms integer not null
);
create index on ops.failed_requests (request_id);
create index on ops.failed_requests (at);

-- The events of recent requests. After a failover, it may contain events that the log has lost.
create table ops.request_events (
  -- The hash of the correlation id. Different ids can have the same hash.
  correlation bigint not null,
  position text collate "C" not null,
  stream text collate "C" not null,
  revision integer not null,
  event_id uuid not null,
  stored_at timestamptz not null default now(),
  primary key (correlation, position)
);
-- Rows are added in the order of this time, so a small index suffices.
create index on ops.request_events using brin (stored_at);

-- The changes of counts that the shards of a projection have not added to the tables of counts yet. Several shards
-- change the count of the same key, e.g. of a place. Each shard only inserts rows here, so that no shard waits for
-- another one. The rows of a table are added to it, and deleted, in the transaction that holds the checkpoint of the
-- projection.
create table rm.tally_changes (
  tally text not null,
  key text not null,
  change integer not null
);
create index on rm.tally_changes (tally);

-- For each shard of a projection, the event up to which the previous tables contain its events. Null if the projection
-- has no shards.
alter table rm.previous_versions add column shards jsonb;

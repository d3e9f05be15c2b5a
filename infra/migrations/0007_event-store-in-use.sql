-- The event store of this installation. One row, written by the first process that opens the event store, and changed
-- only when the events have moved: a process with another configuration would write to a store that no other process
-- reads.
create table es.store_in_use (
  is_only_row boolean primary key default true check (is_only_row),
  kind text not null check (kind in ('postgres', 'eventstoredb'))
);

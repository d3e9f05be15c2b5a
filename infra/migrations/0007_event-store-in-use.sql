-- Where this installation keeps its events. One row, written by the first process that opens the event store, and changed only when the
-- events have moved: whoever is configured otherwise would write into a store that nobody reads.
create table es.store_in_use (
  is_only_row boolean primary key default true check (is_only_row),
  kind text not null check (kind in ('postgres', 'eventstoredb'))
);

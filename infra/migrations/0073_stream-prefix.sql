-- The beginning of the names of this installation's streams in EventStoreDB. Another prefix would show another log.
alter table es.store_in_use add column stream_prefix text collate "C" not null default '';

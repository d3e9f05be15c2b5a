-- Appends one event to one stream. The lock, the arguments and the outcomes are those of `es.append` (migrations 0001
-- and 0057) with one event, and with `careful` being false. If the stream does not have the expected revision,
-- `es.append` determines the outcome.
--
-- This is the usual append under low load. It takes less time than `es.append`, because its arguments are no arrays,
-- and its result is one row. The lock and the notification are conditions, because an expression takes less time than
-- the statement `perform`. Both functions return a value that is not null.
create function es.append_one(
  to_stream text, expected integer,
  event_id uuid, event_type text, event_version smallint, event_data json, event_meta json,
  out outcome text, out last_revision integer, out last_position bigint
)
language plpgsql volatile
-- These settings have the reasons that are stated in migration 0057.
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
begin
  if pg_advisory_xact_lock(5716233) is null then
    raise exception 'The lock of the event log was not taken';
  end if;

  -- This statement reads a snapshot that was taken after the lock was granted, because the function is volatile.
  insert into es.events as added (position, stream, revision, id, type, version, data, meta)
  select coalesce((select e.position from es.events e order by e.position desc limit 1), 0) + 1,
         to_stream, last.revision + 1, event_id, event_type, event_version, event_data, event_meta
  from (
    select coalesce((select e.revision from es.events e where e.stream = to_stream order by e.revision desc limit 1), -1)
  ) as last (revision)
  where expected in (-2, last.revision)
  returning added.revision, added.position into last_revision, last_position;

  if last_position is null then
    select a.outcome, a.last_revision, a.last_position into outcome, last_revision, last_position
    from es.append(
      array[to_stream], array[1], array[expected], array[1],
      array[event_id], array[event_type], array[event_version], array[event_data], array[event_meta], false
    ) as a;
  elsif pg_notify('es_appended', last_position::text) is not null then
    outcome := 'appended';
  end if;
end
$$;

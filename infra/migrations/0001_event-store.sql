create schema es;

-- The history of all changes. Rows are only added. An erasure destroys the key of a person's data, never a row.
-- Data and meta are json, not jsonb: they are read far more often than searched, and json is returned as it was
-- written.
create table es.events (
  position bigint primary key,
  id uuid not null unique,
  revision integer not null,
  version smallint not null,
  stream text collate "C" not null,
  type text collate "C" not null,
  data json not null,
  meta json not null,
  unique (stream, revision)
);

create function es.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'Events are never changed or removed';
end
$$;

create trigger events_are_permanent before update or delete or truncate on es.events
  for each statement execute function es.refuse_change();

-- Checks if these events were appended before. Returns 'repeated' if all of them are in this stream, in this order,
-- one right after the other; 'id-taken' if only some of them are known; null if none is known.
create function es.find_append(for_stream text, ids uuid[])
returns table (outcome text, last_revision integer, last_position bigint)
language sql stable
-- Uses the index for each id, whatever the planner estimates from the table's size.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
  select
    case
      when count(e.id) = 0 then null
      when count(e.id) = cardinality(ids)
        and bool_and(e.stream = for_stream)
        and count(distinct e.position - given.n) = 1 then 'repeated'
      else 'id-taken'
    end,
    max(e.revision), max(e.position)
  from unnest(ids) with ordinality as given (id, n)
  left join es.events e on e.id = given.id
$$;

-- Appends to many streams in one transaction. A rejected append does not affect the others.
--
-- The lock is taken first. Only its holder assigns positions until its transaction has ended, so positions become
-- visible in their own order: after a reader has read position N, no lower position appears.
-- Each statement below reads a snapshot that was taken after the lock was granted, because the function is volatile.
--
-- streams   the distinct streams of this call
-- slots     for each append: the index of its stream in `streams`, from 1
-- expected  for each append: the expected last revision of the stream, -1 for an empty stream, -2 for any revision
-- sizes     for each append: the number of its events, which follow in the arrays below; each id must be unique there
-- careful   checks every append for a repetition, not only those whose expected revision is wrong.
--           A call without it that contains a known id fails with unique_violation, and writes nothing.
--
-- One row per append, in order:
--   appended     with the revision and position of its last event
--   repeated     the same events were appended before; revision and position as returned then
--   conflict     with the actual revision of the stream
--   id-taken     some of its ids belong to other events
create function es.append(
  streams text[], slots integer[], expected integer[], sizes integer[],
  ids uuid[], types text[], versions smallint[], datas json[], metas json[], careful boolean
) returns table (outcome text, last_revision integer, last_position bigint)
language plpgsql volatile
-- A plan from the time when the table was small must not remain as a sequential scan.
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  heads integer[];
  head integer;
  head_position bigint;
  next_position bigint;
  first_event integer := 1;
  is_expected boolean;
  event_positions bigint[] := '{}';
  event_revisions integer[] := '{}';
  event_streams text[] := '{}';
begin
  perform pg_advisory_xact_lock(5716233);

  select coalesce(max(e.position), 0) into head_position from es.events e;
  next_position := head_position;

  select array_agg(coalesce(last.revision, -1) order by s.slot) into heads
  from unnest(streams) with ordinality as s (stream, slot)
  left join lateral (
    select e.revision from es.events e where e.stream = s.stream order by e.revision desc limit 1
  ) as last on true;

  for a in 1 .. cardinality(slots) loop
    head := heads[slots[a]];
    is_expected := expected[a] in (-2, head);
    outcome := null;

    if careful or not is_expected then
      select f.outcome, f.last_revision, f.last_position into outcome, last_revision, last_position
      from es.find_append(streams[slots[a]], ids[first_event : first_event + sizes[a] - 1]) as f;
    end if;

    if outcome is null and is_expected then
      for n in 1 .. sizes[a] loop
        next_position := next_position + 1;
        head := head + 1;
        event_positions := array_append(event_positions, next_position);
        event_revisions := array_append(event_revisions, head);
        event_streams := array_append(event_streams, streams[slots[a]]);
      end loop;
      heads[slots[a]] := head;
      outcome := 'appended';
      last_revision := head;
      last_position := next_position;
    else
      event_positions := event_positions || array_fill(null::bigint, array[sizes[a]]);
      event_revisions := event_revisions || array_fill(null::integer, array[sizes[a]]);
      event_streams := event_streams || array_fill(null::text, array[sizes[a]]);
      if outcome is null then
        outcome := 'conflict';
        last_revision := head;
      end if;
    end if;

    first_event := first_event + sizes[a];
    return next;
  end loop;

  if next_position > head_position then
    insert into es.events (position, stream, revision, id, type, version, data, meta)
    select e.position, e.stream, e.revision, e.id, e.type, e.version, e.data, e.meta
    from unnest(event_positions, event_streams, event_revisions, ids, types, versions, datas, metas)
      as e (position, stream, revision, id, type, version, data, meta)
    where e.position is not null;
    perform pg_notify('es_appended', next_position::text);
  end if;
end
$$;

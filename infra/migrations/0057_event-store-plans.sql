-- Replaces the function of migration 0001, whose comment describes the arguments and results.
-- A call with one event that is not `careful`, which is the usual case under low load, first tries a single insert. It
-- writes the event only if the stream has the expected revision. Otherwise, and for all other calls, the statements
-- after it are used.
create or replace function es.append(
  streams text[], slots integer[], expected integer[], sizes integer[],
  ids uuid[], types text[], versions smallint[], datas json[], metas json[], careful boolean
) returns table (outcome text, last_revision integer, last_position bigint)
language plpgsql volatile
-- While a table is small, Postgres plans a sequential scan. Such a plan must not be used after the table has grown.
set enable_seqscan = off
set enable_bitmapscan = off
-- Without this setting, Postgres would plan each statement again in each call, which takes longer than running it. The
-- reason is that Postgres assumes ten elements in an unknown array. A plan for the actual, shorter arrays then always
-- has a lower estimated cost.
set plan_cache_mode = force_generic_plan
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

  if cardinality(ids) = 1 and cardinality(slots) = 1 and not careful then
    insert into es.events as added (position, stream, revision, id, type, version, data, meta)
    select coalesce((select max(e.position) from es.events e), 0) + 1,
           streams[1], last.revision + 1, ids[1], types[1], versions[1], datas[1], metas[1]
    from (select coalesce((select max(e.revision) from es.events e where e.stream = streams[1]), -1)) as last (revision)
    where expected[1] in (-2, last.revision)
    returning added.revision, added.position into last_revision, last_position;
    if found then
      outcome := 'appended';
      perform pg_notify('es_appended', last_position::text);
      return next;
      return;
    end if;
  end if;

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

-- Returns at most `most` events between two positions in order. If `only_types` is not null, returns only events of
-- these types. Each row contains up to `row_size` events, with one JSON array per column. With one row per event, the
-- driver is far slower. With one JSON array per event, Postgres is slower.
create function es.read(after_position bigint, until_position bigint, most integer, only_types text[], row_size integer)
returns table (
  positions json, streams json, revisions json, ids json, types json, versions json, datas json, metas json
)
language plpgsql stable
-- The events are read in the order of the index, and only as many as are returned. Before a new or restored table has
-- statistics, Postgres would read and sort all events between the positions for each page.
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return query
  select json_agg(e.position::text), json_agg(e.stream), json_agg(e.revision), json_agg(e.id),
         json_agg(e.type), json_agg(e.version), json_agg(e.data), json_agg(e.meta)
  from (
    select all_events.*, row_number() over (order by all_events.position) as n
    from es.events all_events
    where all_events.position > after_position and all_events.position <= until_position
      and (only_types is null or all_events.type = any (only_types))
    order by all_events.position limit most
  ) as e
  group by (e.n - 1) / row_size order by min(e.position);
end
$$;

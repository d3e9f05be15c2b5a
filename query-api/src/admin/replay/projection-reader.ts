import type { Position, PreviousVersionView, ProjectionView, RebuildView } from '@alpenglow/domain';
import { nameOfStored, storedNameOf } from '@alpenglow/infra';
import type { Dependencies } from '../../dependencies.ts';
import { measureLags } from '../../lags.ts';

/**
 * The SQL condition that selects the checkpoints of projections. Only projections have a table with their name. Other
 * consumers of events have none.
 */
const IS_PROJECTION = `to_regclass('rm.' || quote_ident(c.name)) is not null`;
/** The maximum number of table rows that are counted exactly. For larger tables, the number of rows is estimated. */
const MAX_COUNTED_rows = 10_000;

interface ProjectionRow {
  readonly name: string;
  readonly version: number;
  readonly position: Position;
  readonly hasLostEvents: boolean;
  readonly estimate: number;
  readonly parked: number;
  readonly waiting: number;
  readonly rebuild: StoredRebuild | null;
  readonly previous: PreviousVersionView | null;
}

interface StoredRebuild extends Omit<RebuildView, 'requestedAt' | 'updatedAt'> {
  readonly requestedAt: string;
  readonly updatedAt: string;
}

const PROJECTIONS = `
  select c.name, c.version, c.position, c.lost_position is not null as "hasLostEvents",
         coalesce(t.reltuples, -1)::float8 as estimate, coalesce(p.parked, 0)::int as parked,
         coalesce(p.waiting, 0)::int as waiting,
         case when r.projection is not null then json_build_object(
           'id', r.rebuild_id, 'state', r.state, 'wish', r.wish, 'events', r.events,
           'eventsPerSecond', r.events_per_s, 'fraction', r.fraction, 'secondsLeft', r.left_s,
           'differingRows', r.differing_rows, 'error', r.error, 'requestedBy', r.requested_by,
           'requestedAt', r.requested_at, 'updatedAt', r.updated_at) end as rebuild,
         case when v.projection is not null then json_build_object(
           'version', v.version, 'position', v.position, 'isReverting', v.is_reverting, 'keptAt', v.kept_at)
         end as previous
    from rm.checkpoints c
    left join pg_class t on t.oid = to_regclass('rm.' || quote_ident(c.name))
    left join rm.rebuilds r on r.projection = c.name
    left join rm.previous_versions v on v.projection = c.name
    left join (
      select projection, count(*) filter (where error is not null) as parked,
             count(*) filter (where error is null) as waiting
        from rm.parked_events group by 1) p on p.projection = c.name
   where ${IS_PROJECTION} order by c.name`;

/** Creates an object that reads the state of projections, e.g. how many events they are behind. */
export function createProjectionReader({ pool, store }: Dependencies<'pool' | 'store'>) {
  /**
   * Counts or estimates the rows in the table of a projection. The projection name may be inserted into the SQL text,
   * because a table with this name exists.
   */
  async function countRows({
    name,
    estimate,
  }: ProjectionRow): Promise<Pick<ProjectionView, 'rows' | 'rowsAreEstimated'>> {
    if (estimate > MAX_COUNTED_rows) return { rows: Math.round(estimate), rowsAreEstimated: true };
    const { rows } = await pool.query<{ counted: number }>(
      `select count(*)::int as counted from (select from rm."${name}" limit ${MAX_COUNTED_rows + 1}) t`,
    );
    const counted = rows[0]?.counted ?? 0;
    return { rows: counted, rowsAreEstimated: counted > MAX_COUNTED_rows };
  }

  return {
    /** Lists the projections, sorted by name. */
    async list(): Promise<readonly ProjectionView[]> {
      const { rows } = await pool.query<ProjectionRow>(PROJECTIONS);
      const { hasLostEvents, lagOf } = await measureLags(store, await store.readHead(), rows);
      const views: ProjectionView[] = [];
      for (const row of rows) {
        const name = nameOfStored(pool, row.name);
        // Another build runs and reads this version.
        if (name === null) continue;
        const { version, position, parked, waiting, rebuild, previous } = row;
        views.push({
          name,
          version,
          position,
          lag: lagOf(row),
          hasLostEvents: hasLostEvents(row),
          ...(await countRows(row)),
          parkedEvents: parked,
          waitingEvents: waiting,
          rebuild: rebuild && {
            ...rebuild,
            requestedAt: toIso(rebuild.requestedAt),
            updatedAt: toIso(rebuild.updatedAt),
          },
          previous: previous && { ...previous, keptAt: toIso(previous.keptAt) },
        });
      }
      return views;
    },
    async isKnown(name: string): Promise<boolean> {
      return (
        (
          await pool.query(`select from rm.checkpoints c where c.name = $1 and ${IS_PROJECTION}`, [
            storedNameOf(pool, name),
          ])
        ).rowCount === 1
      );
    },
  };
}

/** Converts a time in JSON from Postgres to UTC. Postgres writes times in JSON in the time zone of its session. */
function toIso(time: string): string {
  return new Date(time).toISOString();
}

import type { EventStore, Position, PreviousVersionView, ProjectionView, RebuildView } from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';

export interface ProjectionReader {
  /** By name. */
  list(): Promise<readonly ProjectionView[]>;
  isKnown(name: string): Promise<boolean>;
}

/** Reactors and others have checkpoints, too, and no table. */
const IS_PROJECTION = `to_regclass('rm.' || quote_ident(c.name)) is not null`;
const MAX_LAG_events = 1_000;
/** Tables with more rows than these are not counted but estimated. */
const MAX_COUNTED_rows = 10_000;

interface ProjectionRow {
  readonly name: string;
  readonly version: number;
  readonly position: Position;
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
  select c.name, c.version, c.position, coalesce(t.reltuples, -1)::float8 as estimate, coalesce(p.parked, 0)::int as parked, coalesce(p.waiting, 0)::int as waiting,
         case when r.projection is not null then json_build_object(
           'id', r.rebuild_id, 'state', r.state, 'wish', r.wish, 'events', r.events, 'eventsPerSecond', r.events_per_s, 'fraction', r.fraction, 'secondsLeft', r.left_s,
           'differingRows', r.differing_rows, 'error', r.error, 'requestedBy', r.requested_by, 'requestedAt', r.requested_at, 'updatedAt', r.updated_at) end as rebuild,
         case when v.projection is not null then json_build_object('version', v.version, 'position', v.position, 'isReverting', v.is_reverting, 'keptAt', v.kept_at) end as previous
    from rm.checkpoints c
    left join pg_class t on t.oid = to_regclass('rm.' || quote_ident(c.name))
    left join rm.rebuilds r on r.projection = c.name
    left join rm.previous_versions v on v.projection = c.name
    left join (select projection, count(*) filter (where error is not null) as parked, count(*) filter (where error is null) as waiting from rm.parked_events group by 1) p on p.projection = c.name
   where ${IS_PROJECTION} order by c.name`;

/** Reads how projections stand. */
export function createProjectionReader({
  pool,
  store,
}: {
  readonly pool: Pool;
  readonly store: EventStore;
}): ProjectionReader {
  /** Projections mostly stand at the same place, so that what lies beyond it is read once for all of them. */
  async function lagsOf(rows: readonly ProjectionRow[]): Promise<ReadonlyMap<Position, number>> {
    const head = await store.head();
    const lagging = new Set(rows.map(({ position }) => position).filter((position) => position < head));
    return new Map(
      await Promise.all(
        [...lagging].map(
          async (position) =>
            [position, (await store.readAll({ after: position, limit: MAX_LAG_events })).length] as const,
        ),
      ),
    );
  }

  /** `name` is one that this database has a table of. */
  async function rowsOf({ name, estimate }: ProjectionRow): Promise<Pick<ProjectionView, 'rows' | 'rowsAreEstimated'>> {
    if (estimate > MAX_COUNTED_rows) return { rows: Math.round(estimate), rowsAreEstimated: true };
    const { rows } = await pool.query<{ counted: number }>(
      `select count(*)::int as counted from (select from rm."${name}" limit ${MAX_COUNTED_rows + 1}) t`,
    );
    const counted = rows[0]?.counted ?? 0;
    return { rows: counted, rowsAreEstimated: counted > MAX_COUNTED_rows };
  }

  return {
    async list() {
      const { rows } = await pool.query<ProjectionRow>(PROJECTIONS);
      const lags = await lagsOf(rows);
      const views: ProjectionView[] = [];
      for (const row of rows) {
        const { name, version, position, parked, waiting, rebuild, previous } = row;
        views.push({
          name,
          version,
          position,
          lag: lags.get(position) ?? 0,
          ...(await rowsOf(row)),
          parkedEvents: parked,
          waitingEvents: waiting,
          rebuild: rebuild && {
            ...rebuild,
            requestedAt: isoOf(rebuild.requestedAt),
            updatedAt: isoOf(rebuild.updatedAt),
          },
          previous: previous && { ...previous, keptAt: isoOf(previous.keptAt) },
        });
      }
      return views;
    },
    async isKnown(name) {
      return (
        (await pool.query(`select from rm.checkpoints c where c.name = $1 and ${IS_PROJECTION}`, [name])).rowCount === 1
      );
    },
  };
}

/** As Postgres writes a time in JSON, with its own zone. */
function isoOf(time: string): string {
  return new Date(time).toISOString();
}

import {
  comparePositions,
  definitionOf,
  type EventStore,
  type Position,
  type RebuildState,
  type RecordedEvent,
  type ReplayStanding,
} from '@alpenglow/domain';
import type { Pool } from 'pg';

/** An event a projection has set aside, as far as commands want to know it. */
export interface KnownParkedEvent {
  readonly eventId: string;
  readonly position: Position;
  /** The account it is about; null where it is about none, or cannot be told. */
  readonly subjectId: string | null;
}

/** What the command side may ask of projections: how far the projectors are with what was asked of them, which no stream can tell. */
export interface ReplayDirectory {
  /** Null where there is no such projection. */
  standingOf(projection: string): Promise<ReplayStanding | null>;
  /** Null where the projection has set nothing aside there. */
  parkedAt(projection: string, position: Position): Promise<KnownParkedEvent | null>;
}

const PAGE_events = 500;
/** Reactors and others have checkpoints, too, and no table. */
const IS_PROJECTION = `to_regclass('rm.' || quote_ident(c.name)) is not null`;

export function createReplayDirectory({
  pool,
  store,
}: {
  readonly pool: Pool;
  readonly store: Pick<EventStore, 'readStream'>;
}): ReplayDirectory {
  return {
    async standingOf(projection) {
      const { rows } = await pool.query<{ rebuildId: string | null; state: RebuildState; isReverting: boolean | null }>(
        `select r.rebuild_id as "rebuildId", r.state, p.is_reverting as "isReverting"
           from rm.checkpoints c left join rm.rebuilds r on r.projection = c.name left join rm.previous_versions p on p.projection = c.name
          where c.name = $1 and ${IS_PROJECTION}`,
        [projection],
      );
      const [row] = rows;
      if (!row) return null;
      const { rebuildId, state, isReverting } = row;
      return {
        rebuild: rebuildId === null ? null : { rebuildId, state },
        previous: isReverting === null ? null : { isReverting },
      };
    },
    async parkedAt(projection, position) {
      const { rows } = await pool.query<{ stream: string; revision: number | null }>(
        'select stream, revision from rm.parked_events where projection = $1 and position = $2',
        [projection, position],
      );
      const [row] = rows;
      const event = row ? await findEvent(store, row.stream, position, row.revision) : null;
      return event && { eventId: event.id, position, subjectId: subjectIn(event) };
    },
  };
}

/** The event of a stream at a position; null without one. `revision` is where it stands: null looks the stream through. */
export async function findEvent(
  store: Pick<EventStore, 'readStream'>,
  stream: string,
  position: Position,
  revision: number | null,
): Promise<RecordedEvent | null> {
  for (let from = revision ?? 0; ; from += PAGE_events) {
    const page = await store.readStream(stream, { from, limit: revision === null ? PAGE_events : 1 });
    const found = page.find((event) => event.position === position);
    if (found) return found;
    const last = page.at(-1);
    if (revision !== null || !last || page.length < PAGE_events || comparePositions(last.position, position) > 0)
      return null;
  }
}

function subjectIn({ type, data }: RecordedEvent): string | null {
  try {
    return definitionOf(type)?.subjectOf(data) ?? null;
  } catch {
    // What it holds is no event of this type: that may be why it was set aside.
    return null;
  }
}

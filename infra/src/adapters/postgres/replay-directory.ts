import {
  comparePositions,
  findEventDefinition,
  type EventStore,
  type Position,
  type RebuildState,
  type RecordedEvent,
  type ReplayStatus,
  type StreamId,
} from '@alpenglow/domain';
import type { Pool } from 'pg';
import { storedNameOf } from './read-model-tables.ts';

/**
 * A parked event, which is an event that a projection could not handle and has stored for later. Contains the fields
 * that commands need.
 */
export interface ParkedEventInfo {
  readonly eventId: string;
  readonly position: Position;
  /** The id of the account that the event is about. Null if the event is about no account or its data is unreadable. */
  readonly subjectId: string | null;
}

/**
 * Finds the state of rebuilds of projections, and the parked events, for commands. The projectors store this data in
 * tables, because no event stream contains it.
 */
export type ReplayDirectory = ReturnType<typeof createReplayDirectory>;

const PAGE_events = 500;
/**
 * SQL condition that a checkpoint belongs to a projection. Other consumers of events, such as reactors, have a
 * checkpoint but no table.
 */
const IS_PROJECTION = `to_regclass('rm.' || quote_ident(c.name)) is not null`;

export function createReplayDirectory({
  pool,
  store,
}: {
  readonly pool: Pool;
  readonly store: Pick<EventStore, 'readStream'>;
}) {
  return {
    /**
     * Returns the state of a projection's rebuild and of its previous version, or null if the projection is unknown.
     */
    async findState(projection: string): Promise<ReplayStatus | null> {
      const { rows } = await pool.query<{ rebuildId: string | null; state: RebuildState; isReverting: boolean | null }>(
        `select r.rebuild_id as "rebuildId", r.state, p.is_reverting as "isReverting"
           from rm.checkpoints c
           left join rm.rebuilds r on r.projection = c.name
           left join rm.previous_versions p on p.projection = c.name
          where c.name = $1 and ${IS_PROJECTION}`,
        [storedNameOf(pool, projection)],
      );
      const [row] = rows;
      if (!row) return null;
      const { rebuildId, state, isReverting } = row;
      return {
        rebuild: rebuildId === null ? null : { rebuildId, state },
        previous: isReverting === null ? null : { isReverting },
      };
    },
    /** Returns the event that the projection has parked at this position, or null if there is none. */
    async findParkedEvent(projection: string, position: Position): Promise<ParkedEventInfo | null> {
      const { rows } = await pool.query<{ stream: StreamId; revision: number | null }>(
        'select stream, revision from rm.parked_events where projection = $1 and position = $2',
        [storedNameOf(pool, projection), position],
      );
      const [row] = rows;
      const event = row ? await findEventAt(store, row.stream, position, row.revision) : null;
      return event && { eventId: event.id, position, subjectId: subjectIn(event) };
    },
  };
}

/**
 * Returns the event of a stream at a position in the log, or null if there is none. `revision` is the revision of the
 * event. If it is null, the whole stream is searched.
 */
export async function findEventAt(
  store: Pick<EventStore, 'readStream'>,
  stream: StreamId,
  position: Position,
  revision: number | null,
): Promise<RecordedEvent | null> {
  for (let from = revision ?? 0; ; from += PAGE_events) {
    const page = await store.readStream(stream, { from, limit: revision === null ? PAGE_events : 1 });
    const event = page.find((candidate) => candidate.position === position);
    if (event) return event;
    const last = page.at(-1);
    if (revision !== null || !last || page.length < PAGE_events || comparePositions(last.position, position) > 0)
      return null;
  }
}

function subjectIn({ type, data }: RecordedEvent): string | null {
  try {
    return findEventDefinition(type)?.getSubjectId(data) ?? null;
  } catch {
    // The data of the event does not match its event type, so the account is unknown. The mismatch may also be the
    // reason why the event was parked.
    return null;
  }
}

import {
  findEventDefinition,
  type ParkedEventView,
  type Position,
  type RecordedEvent,
  type StreamId,
} from '@alpenglow/domain';
import { findEventAt, storedNameOf } from '@alpenglow/infra';
import type { Dependencies } from '../../dependencies.ts';
import { createPage, type PageQuery } from '../../paging.ts';

interface ParkedRow {
  readonly position: Position;
  readonly stream: StreamId;
  readonly revision: number | null;
  readonly type: string;
  readonly error: string | null;
  readonly parked_at: Date;
}

const ERROR_MAX = 1_000;
/**
 * The SQL expressions by which parked events are sorted. Times are cut to milliseconds and slashes are replaced,
 * because a page cursor can contain only times in milliseconds and ids without a slash.
 */
const PARKED_AT = `date_trunc('milliseconds', parked_at)`;
const PLACE_ID = `replace(position, '/', '-')`;

/**
 * Creates an object that reads parked events, i.e. events that a projection could not handle. The returned events omit
 * their personal fields.
 */
export function createParkedEventReader({ pool, store }: Dependencies<'pool' | 'store'>) {
  return {
    /** Lists the parked events of a projection, in the order in which they were parked. */
    async list(projection: string, { after, limit }: PageQuery) {
      const { rows } = await pool.query<ParkedRow>(
        `select position, stream, revision, event_type as type, error, ${PARKED_AT} as parked_at from rm.parked_events
          where projection = $1 and ($2::timestamptz is null or (${PARKED_AT}, ${PLACE_ID}) > ($2, $3))
          order by ${PARKED_AT}, ${PLACE_ID} limit $4`,
        [storedNameOf(pool, projection), after?.key ?? null, after?.id ?? null, limit + 1],
      );
      const page = createPage(rows, limit, (row) => [row.parked_at, row.position.replace('/', '-')]);
      const events: ParkedEventView[] = [];
      for (const { position, stream, revision, type, error, parked_at: parkedAt } of page.rows) {
        events.push({
          position,
          stream,
          type,
          error: error?.slice(0, ERROR_MAX) ?? null,
          parkedAt: parkedAt.toISOString(),
          event: await readEvent(stream, position, revision),
        });
      }
      return { events, nextCursor: page.nextCursor };
    },
  };

  async function readEvent(
    stream: StreamId,
    position: Position,
    revision: number | null,
  ): Promise<ParkedEventView['event']> {
    const recorded = await findEventAt(store, stream, position, revision);
    return recorded && removePersonalData(recorded);
  }
}

function removePersonalData({ id, type, version, revision, meta, data }: RecordedEvent): ParkedEventView['event'] {
  const definition = findEventDefinition(type);
  // For an unknown type of event, the personal fields are also unknown, so no field is shown.
  const fields = definition ? Object.entries((data ?? {}) as Readonly<Record<string, unknown>>) : [];
  const isPersonal = ([name]: readonly [string, unknown]) => definition !== null && name in definition.personalFields;
  return {
    id,
    version,
    revision,
    at: meta.at,
    actor: meta.actor.kind === 'account' ? meta.actor.accountId : meta.actor.name,
    data: Object.fromEntries(fields.filter((field) => !isPersonal(field))),
    sealed: fields.filter(isPersonal).map(([name]) => name),
  };
}

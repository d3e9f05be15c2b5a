import {
  definitionOf,
  type EventStore,
  type ParkedEventView,
  type Position,
  type RecordedEvent,
} from '@alpenglow/domain';
import { findEvent, type Pool } from '@alpenglow/infra';
import { pageOf, type PageQuery } from '../page-query.ts';

export interface ParkedEventReader {
  /** What a projection has set aside, in the order in which it was. */
  list(
    projection: string,
    query: Pick<PageQuery, 'after' | 'limit'>,
  ): Promise<{ readonly events: readonly ParkedEventView[]; readonly nextCursor: string | null }>;
}

interface ParkedRow {
  readonly position: Position;
  readonly stream: string;
  readonly revision: number | null;
  readonly type: string;
  readonly error: string | null;
  readonly parked_at: Date;
}

const ERROR_MAX = 1_000;
/** Cursors are of milliseconds, and of characters that no position needs. */
const PARKED_AT = `date_trunc('milliseconds', parked_at)`;
const PLACE_ID = `replace(position, '/', '-')`;

/** Reads events that were set aside, without anything in them that identifies a person. */
export function createParkedEventReader({
  pool,
  store,
}: {
  readonly pool: Pool;
  readonly store: EventStore;
}): ParkedEventReader {
  return {
    async list(projection, { after, limit }) {
      const { rows } = await pool.query<ParkedRow>(
        `select position, stream, revision, event_type as type, error, ${PARKED_AT} as parked_at from rm.parked_events
          where projection = $1 and ($2::timestamptz is null or (${PARKED_AT}, ${PLACE_ID}) > ($2, $3))
          order by ${PARKED_AT}, ${PLACE_ID} limit $4`,
        [projection, after?.at ?? null, after?.id ?? null, limit + 1],
      );
      const page = pageOf(rows, limit, (row) => ({
        at: row.parked_at.toISOString(),
        id: row.position.replace('/', '-'),
      }));
      const events: ParkedEventView[] = [];
      for (const { position, stream, revision, type, error, parked_at: parkedAt } of page.rows) {
        events.push({
          position,
          stream,
          type,
          error: error?.slice(0, ERROR_MAX) ?? null,
          parkedAt: parkedAt.toISOString(),
          event: await eventAt(stream, position, revision),
        });
      }
      return { events, nextCursor: page.nextCursor };
    },
  };

  async function eventAt(
    stream: string,
    position: Position,
    revision: number | null,
  ): Promise<ParkedEventView['event']> {
    const recorded = await findEvent(store, stream, position, revision);
    return recorded && withoutPersonalData(recorded);
  }
}

function withoutPersonalData({ id, type, version, revision, meta, data }: RecordedEvent): ParkedEventView['event'] {
  const definition = definitionOf(type);
  // What cannot be told apart is not shown at all.
  const fields = definition ? Object.entries((data ?? {}) as Readonly<Record<string, unknown>>) : [];
  const isPersonal = ([name]: readonly [string, unknown]) => definition !== null && name in definition.personal;
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

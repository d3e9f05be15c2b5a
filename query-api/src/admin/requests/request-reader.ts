import {
  account,
  comparePositions,
  listing,
  parseStreamId,
  REFERENCE_characters,
  thread,
  type Position,
  type RecordedEvent,
  type RequestView,
} from '@alpenglow/domain';
import {
  findFailedRequestIds,
  findFailedRequests,
  findFailingConsumers,
  findRequestEvents,
  nameOfStored,
  READ_MODELS,
  toTraceId,
} from '@alpenglow/infra';
import type { Dependencies } from '../../dependencies.ts';
import { readNames } from '../../read-names.ts';

type RequestEventView = RequestView['events'][number];

const READ_MODEL_NAMES: ReadonlySet<string> = new Set(READ_MODELS.map(({ name }) => name));
const MAX_EVENTS = 100;
const MAX_ERROR_characters = 1_000;

/** A request with its events and failures, and the ids of the accounts whose data it contains. */
export interface FoundRequest {
  readonly request: RequestView;
  /** The accounts whose data the events have changed. */
  readonly ownerIds: readonly string[];
  /** The accounts that have caused the events. */
  readonly actorIds: readonly string[];
}

/** The state of the consumers of events. */
interface Consumers {
  /** The read models, and the other consumers that fail. */
  readonly checkpoints: readonly { readonly name: string; readonly position: Position; readonly isFailing: boolean }[];
}

/**
 * Creates the reader that finds what is known about a request: its error responses, its events, and how far each
 * consumer of events has handled them.
 */
export function createRequestReader({ pool, sealedStore }: Dependencies<'pool' | 'sealedStore'>) {
  async function readConsumers(): Promise<Consumers> {
    const failing = await findFailingConsumers(pool);
    const { rows } = await pool.query<{ name: string; position: Position }>({
      name: 'request-checkpoints',
      // A checkpoint of a shard has a `#`. That of its projection is at the slowest shard.
      text: `select name, position from rm.checkpoints where name not like '%#%' order by name`,
    });
    const failingNames = new Set(failing.map(({ name }) => name));
    const checkpoints = rows.flatMap(({ name: stored, position }) => {
      const name = nameOfStored(pool, stored);
      if (name === null) return [];
      const isFailing = failingNames.has(name);
      // The checkpoint of another consumer, such as a reactor, moves only with events that concern it. So it can be
      // before an event although there is nothing to do.
      return isFailing || READ_MODEL_NAMES.has(name) ? [{ name, position, isFailing }] : [];
    });
    return { checkpoints };
  }

  async function readParked(positions: readonly Position[]) {
    const { rows } = await pool.query<{ name: string; position: Position; error: string | null }>({
      name: 'request-parked',
      text: 'select projection as name, position, error from rm.parked_events where position = any($1) order by 1',
      values: [positions],
    });
    return rows.flatMap(({ name: stored, position, error }) => {
      const name = nameOfStored(pool, stored);
      return name === null ? [] : [{ name, position, error: error?.slice(0, MAX_ERROR_characters) ?? null }];
    });
  }

  /** Returns the unfinished jobs of events. A job of an event has the id of the event. */
  async function readJobs(eventIds: readonly string[]) {
    const { rows } = await pool.query<{ kind: string; eventId: string; enqueuedAt: Date }>({
      name: 'request-jobs',
      text: `select kind, job_id as "eventId", enqueued_at as "enqueuedAt" from jobs.unfinished
              where job_id = any($1) order by kind`,
      values: [eventIds],
    });
    return rows;
  }

  async function toEventViews(events: readonly RecordedEvent[]): Promise<readonly RequestEventView[]> {
    if (events.length === 0) return [];
    const [consumers, parked, jobs, names] = await Promise.all([
      readConsumers(),
      readParked(events.map(({ position }) => position)),
      readJobs(events.map(({ id }) => id)),
      readNames(pool, actorsOf(events)),
    ]);
    return events.map(({ id, type, stream, revision, position, meta }) => {
      const behind = consumers.checkpoints.filter((one) => comparePositions(one.position, position) < 0);
      const { actor, at, causationId } = meta;
      return {
        id,
        type,
        stream,
        revision,
        position,
        at,
        actor:
          actor.kind === 'account'
            ? { kind: actor.kind, id: actor.accountId, name: names.get(actor.accountId) ?? null }
            : { kind: actor.kind, id: actor.name, name: null },
        causationId,
        handled: consumers.checkpoints.length - behind.length,
        pending: behind.map(({ name, isFailing }) => ({ name, isFailing })),
        parked: parked.filter((one) => one.position === position).map(({ name, error }) => ({ name, error })),
        jobs: jobs
          .filter(({ eventId }) => eventId === id)
          .map(({ kind, enqueuedAt }) => ({ kind, enqueuedAt: enqueuedAt.toISOString() })),
      };
    });
  }

  /**
   * Returns the accounts whose data events have changed. As in histories, it is the account of its own stream and of
   * the ads, and the author of a thread. Other events name the account in their data.
   */
  async function findOwners(events: readonly RecordedEvent[]): Promise<readonly string[]> {
    const owners = new Set<string>();
    for (const { stream, data } of events) {
      const ownerId = parseStreamId(account, stream) ?? parseStreamId(listing, stream) ?? accountIn(data);
      if (ownerId !== null) owners.add(ownerId);
    }
    const threads = new Set(events.flatMap(({ stream }) => (parseStreamId(thread, stream) === null ? [] : [stream])));
    for (const stream of threads) {
      const [first] = await sealedStore.readStream(stream, { from: 0, limit: 1 });
      const authorId = accountIn(first?.data);
      if (authorId !== null) owners.add(authorId);
    }
    return [...owners];
  }

  return {
    /** Finds a request by its id, or by the beginning of its id that error messages show. */
    async find(searched: string): Promise<FoundRequest> {
      const begun = searched.length === REFERENCE_characters ? await findFailedRequestIds(pool, searched) : [];
      const id = begun.length === 1 && begun[0] !== undefined ? begun[0] : searched;
      const ids = [...new Set([searched, ...begun].flatMap(listSpellings))];
      const [failed, events] = await Promise.all([
        findFailedRequests(pool, ids),
        findRequestEvents({ pool, store: sealedStore }, ids, MAX_EVENTS),
      ]);
      const failures = failed.map(({ requestId: _, at, ...rest }) => ({ ...rest, at: at.toISOString() }));
      return {
        request: { id, traceId: toTraceId(id), failures, events: [...(await toEventViews(events))] },
        ownerIds: await findOwners(events),
        actorIds: actorsOf(events),
      };
    },
  };
}

/** Returns the account that the data of an event names, or null. */
function accountIn(data: unknown): string | null {
  const { accountId, ownerId } = (data ?? {}) as { readonly accountId?: unknown; readonly ownerId?: unknown };
  return [accountId, ownerId].find((id) => typeof id === 'string') ?? null;
}

const actorsOf = (events: readonly RecordedEvent[]): readonly string[] => [
  ...new Set(events.flatMap(({ meta: { actor } }) => (actor.kind === 'account' ? [actor.accountId] : []))),
];

/** Returns an id, and if it is a UUID or a trace id, also the other one, because both have the same digits. */
function listSpellings(id: string): readonly string[] {
  const digits = id.replaceAll('-', '').toLowerCase();
  if (!/^[0-9a-f]{32}$/u.test(digits)) return [id];
  const uuid = digits.replace(/^(.{8})(.{4})(.{4})(.{4})/u, '$1-$2-$3-$4-');
  return [...new Set([id, digits, uuid])];
}

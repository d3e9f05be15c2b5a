import { EventStoreUnavailable, type EventStore, type Position, type ResponseOf } from '@alpenglow/domain';
import {
  createOperationRouter,
  findFailingConsumers,
  getCloseSignal,
  nameOfStored,
  type FailingConsumer,
  type Pool,
} from '@alpenglow/infra';
import type { Request } from 'express';
import { sendUncached } from './send-uncached.ts';
import type { Dependencies } from './dependencies.ts';
import { measureLags } from './lags.ts';

type SyncDependencies = Dependencies<'pool' | 'store' | 'progress' | 'authentication'>;

const CATCH_UP_ms = 5_000;
/** The lags in responses for visitors are rounded down to a multiple of this number of events. */
const PUBLIC_LAG_STEP_events = 100;
/**
 * The SQL condition that selects the checkpoints of projections. The checkpoints of reactors, of the live relay and of
 * shards are excluded, because these are not read models.
 */
const IS_PROJECTION = `name not like 'reactor-%' and name not like 'relay-%' and name not like '%#%'`;

interface SyncStatus {
  readonly response: ResponseOf<'getSyncStatus'>;
  /** The names of the read models with effects of lost events. */
  readonly lost: ReadonlySet<string>;
}

/**
 * Creates a function that reads the position of the last event, the lag of each projection, and which consumers of
 * events fail. A read model with effects of lost events is never live (decision 0070). While the event store cannot be
 * reached, the position of the last event is null, no read model is live, and all lags are 0 (R-7.101).
 */
export function createSyncStatus({
  pool,
  store,
}: Pick<SyncDependencies, 'pool' | 'store'>): () => Promise<ResponseOf<'getSyncStatus'>> {
  const read = createStatusReader({ pool, store });
  return async () => (await read()).response;
}

function createStatusReader({ pool, store }: Pick<SyncDependencies, 'pool' | 'store'>): () => Promise<SyncStatus> {
  return async () => {
    const failing = await findFailingConsumers(pool);
    const before = await readHeadUnlessUnavailable(store);
    const { rows } = await pool.query<{ name: string; position: Position; hasLostEvents: boolean }>({
      name: 'sync-status',
      text: `select name, position, lost_position is not null as "hasLostEvents"
               from rm.checkpoints where ${IS_PROJECTION} order by name`,
    });
    const { head, hasLostEvents, lagOf } = before === null ? UNMEASURED : await measureLags(store, before, rows);
    const lost = new Set<string>();
    const projections = withNames(pool, rows).map((row) => {
      const { name, position } = row;
      if (hasLostEvents(row)) lost.add(name);
      const lag = lagOf(row);
      const failure = toFailure(failing.find((one) => one.isReadModel && one.name === name));
      const state = head !== null && lag === 0 && !lost.has(name) ? ('live' as const) : ('catching up' as const);
      return { name, position, lag, state, cause: null, since: null, ...failure };
    });
    // The other consumers that fail: reactors, the audit chain and so on, and read models that are built for the first
    // time, which have no checkpoint yet and are therefore not among the projections.
    const listed = new Set(projections.map(({ name }) => name));
    const consumers = failing.flatMap((one) => {
      const failure = toFailure(one);
      return failure && !(one.isReadModel && listed.has(one.name)) ? [{ name: one.name, ...failure }] : [];
    });
    return { response: { success: true, data: { head, projections, consumers } }, lost };
  };
}

/** Stands in for the result of `measureLags` while the event store cannot be read. */
const UNMEASURED = {
  head: null,
  hasLostEvents: (row: { readonly hasLostEvents: boolean }): boolean => row.hasLostEvents,
  lagOf: (): number => 0,
};

/** Returns the position of the last event. Returns null if the event store cannot be reached. */
async function readHeadUnlessUnavailable(store: Pick<EventStore, 'readHead'>): Promise<Position | null> {
  try {
    return await store.readHead();
  } catch (error) {
    if (error instanceof EventStoreUnavailable) return null;
    throw error;
  }
}

/** Returns the fields of the response that describe the failure of a consumer, or null if it does not fail. */
function toFailure(failing: FailingConsumer | undefined) {
  return failing ? { state: 'failing' as const, cause: failing.cause, since: failing.since.toISOString() } : null;
}

/**
 * Returns the routes `/sync/*`, which report how far the read models are behind the event log (R-7.33 to R-7.35).
 * `catchUp_ms` is the maximum time for which `POST /sync/force` waits for the read models.
 */
export function syncRoutes(
  { pool, store, progress, authentication }: SyncDependencies,
  { catchUp_ms = CATCH_UP_ms } = {},
) {
  const router = createOperationRouter();
  const readStatus = createStatusReader({ pool, store });

  const isAdmin = async (req: Request) => (await authentication.findPrincipal(req))?.user.isAdmin ?? false;

  router.on('getSyncStatus', async (req, res) => {
    const maySeePositions = await isAdmin(req);
    const { response, lost } = await readStatus();
    const isUnknown = response.data.head === null;
    const isLate = (projection: ProjectionStatus) => isUnknown || isFarBehind(projection) || lost.has(projection.name);
    sendUncached(res, maySeePositions ? response : withoutPositions(response, isLate));
  });

  router.on('forceSync', async (req, res) => {
    const maySeePositions = await isAdmin(req);
    const head = await store.readHead();
    const signal = getCloseSignal(res);
    const { rows } = await pool.query<{ name: string }>(`select name from rm.checkpoints where ${IS_PROJECTION}`);
    const late = new Set<string>();
    await Promise.all(
      withNames(pool, rows).map(async ({ name }) => {
        if (!(await progress.waitFor(name, head, signal, catchUp_ms))) late.add(name);
      }),
    );
    const { response, lost } = await readStatus();
    const isLate = ({ name }: ProjectionStatus) => late.has(name) || lost.has(name);
    sendUncached(res, maySeePositions ? response : withoutPositions(response, isLate));
  });

  return router;
}

/**
 * Replaces the names under which read models are stored by their names. Omits the versions of read models that only
 * other builds read.
 */
function withNames<Row extends { readonly name: string }>(pool: Pool, rows: readonly Row[]): readonly Row[] {
  return rows.flatMap((row) => {
    const name = nameOfStored(pool, row.name);
    return name === null ? [] : [{ ...row, name }];
  });
}

type ProjectionStatus = ResponseOf<'getSyncStatus'>['data']['projections'][number];

/** Returns the state that visitors see. A failure is shown, and `isLate` decides between the other states. */
function publicStateOf({ state }: ProjectionStatus, isLate: boolean): ProjectionStatus['state'] {
  if (state === 'failing') return state;
  return isLate ? 'catching up' : 'live';
}

const isFarBehind = ({ lag }: ProjectionStatus) => lag >= PUBLIC_LAG_STEP_events;

/**
 * Returns the response for visitors, without positions and causes of failures, and with coarse lags (R-7.34). A
 * position or an exact lag that changes would show that a request has stored an event. `isLate` decides the state of
 * each read model.
 */
function withoutPositions(
  { data, ...response }: ResponseOf<'getSyncStatus'>,
  isLate: (projection: ProjectionStatus) => boolean,
): ResponseOf<'getSyncStatus'> {
  const projections = data.projections.map((projection) => ({
    name: projection.name,
    position: null,
    lag: Math.floor(projection.lag / PUBLIC_LAG_STEP_events) * PUBLIC_LAG_STEP_events,
    state: publicStateOf(projection, isLate(projection)),
    cause: null,
    since: projection.since,
  }));
  const consumers = data.consumers.map((consumer) => ({ ...consumer, cause: null }));
  return { ...response, data: { head: null, projections, consumers } };
}

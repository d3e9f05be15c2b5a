import { setTimeout as pause } from 'node:timers/promises';
import { comparePositions, type EventStore, type Position } from '@alpenglow/domain';
import {
  ADVANCED_CHANNEL,
  asErased,
  doneAt,
  goOnWithErasures,
  KEY_AGE_ms,
  type CommandHandler,
  type DataKeys,
  type ErasureWork,
  type Logger,
  type Pool,
  type PoolClient,
} from '@alpenglow/infra';
import { readCheckpoint } from '../checkpoints.ts';
import type { Projection } from '../projection.ts';
import { forgetVersionsBeside } from '../replay/forget-beside.ts';
import { inReadModelTransaction } from '../transaction.ts';
import { rowsOf, type FoundOf } from './persons-rows.ts';
import { skippedEventsOf } from '../skipped-events.ts';
import { refold, replaceRows, type Refolded, type SetAside } from './refold.ts';

/** The name of the duty. */
export const PURGES = 'purge-read-models';

export interface PurgeDependencies {
  readonly pool: Pool;
  /** The events as they are kept: personal data sealed. */
  readonly sealedStore: EventStore;
  readonly dataKeys: DataKeys;
  readonly commands: CommandHandler;
  readonly log: Logger;
}

const LOOK_EVERY_ms = 1_000;
/** After so long nobody opens anything with a key that was destroyed, nor is about to keep one that was just looked up. */
const KEYS_ARE_GONE_AFTER_ms = KEY_AGE_ms + 1_000;
const CATCH_UP_POLL_ms = 100;
/** What goes on for longer is left to the next round. */
const CATCH_UP_ms = 5 * 60_000;

/** Purges the read models of everybody who is being erased, as soon as their keys are destroyed, until `signal` aborts. Rejects when the database fails, and is then run again by its leader. */
export async function runPurges(
  deps: PurgeDependencies,
  projections: readonly Projection[],
  signal: AbortSignal,
): Promise<void> {
  const steps = { read_models_purged: purgeWork(deps, projections) };
  while (!signal.aborted) {
    await goOnWithErasures(deps, steps, signal);
    await pause(LOOK_EVERY_ms, undefined, { signal }).catch(() => undefined);
  }
}

/** The step of an erasure that makes every row of a read model what a rebuild would make of it now. */
export function purgeWork(deps: PurgeDependencies, projections: readonly Projection[]): ErasureWork {
  return async (person, signal) => {
    if (Date.now() - Date.parse(doneAt(person, 'keys_destroyed')) < KEYS_ARE_GONE_AFTER_ms) return 'later';
    await purge(person.accountId, projections, deps, signal);
    return 'done';
  };
}

/**
 * Folds every row with something of this person anew, in every projection. What is being built beside the live tables, and what a swap has put aside, is thrown away:
 * it may hold what was readable when it was begun. Whoever was building begins anew.
 */
async function purge(
  accountId: string,
  projections: readonly Projection[],
  deps: PurgeDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { pool, sealedStore } = deps;
  const found = await rowsOf(accountId, projections, sealedStore, signal);
  const aside = await setAside(pool, sealedStore, projections);
  const head = await sealedStore.head();
  // Then no runner has yet to write what it opened with a key that is gone.
  await untilAllReached(pool, projections, head, signal);
  const refolded = await refold(found.keys, aside, null, head, deps, signal);
  for (const projection of projections) {
    signal.throwIfAborted();
    await inReadModelTransaction(pool, (client) =>
      purgeProjection(client, projection, { found, aside, refolded }, deps, signal),
    );
  }
}

interface Findings {
  readonly found: FoundOf;
  readonly aside: SetAside;
  readonly refolded: Refolded;
}

async function purgeProjection(
  client: PoolClient,
  projection: Projection,
  { found, aside, refolded }: Findings,
  deps: PurgeDependencies,
  signal: AbortSignal,
): Promise<void> {
  // First: the runner, a rebuild that is swapped in and one that is taken back lock this row before any table, too.
  const { rows } = await client.query<{ position: Position }>(
    'select position from rm.checkpoints where name = $1 for update',
    [projection.name],
  );
  const [checkpoint] = rows;
  if (!checkpoint) throw new Error(`Projection ${projection.name} has no checkpoint`);
  const keys = found.keys.get(projection) ?? new Set<string>();
  // What has happened since is folded on; a swap that was taken back has the table stand where it stood before.
  const base = comparePositions(checkpoint.position, refolded.position) < 0 ? null : refolded;
  const rowsNow = await refold(new Map([[projection, keys]]), aside, base, checkpoint.position, deps, signal);
  await replaceRows(client, projection, 'live', keys, rowsNow);
  await forgetVersionsBeside(client, projection);
  const quoted = [...(aside.get(projection)?.parked ?? [])].filter((position) => found.positions.has(position));
  await client.query(
    `update rm.parked_events set error = 'The event could not be handled' where projection = $1 and position = any($2) and error is not null`,
    [projection.name, quoted],
  );
  await client.query('select pg_notify($1, $2)', [ADVANCED_CHANNEL, `${projection.name}:${checkpoint.position}`]);
}

/** Events that are in no row: set aside, or left out for good. */
async function setAside(
  pool: Pool,
  store: Pick<EventStore, 'readStream'>,
  projections: readonly Projection[],
): Promise<SetAside> {
  const { rows } = await pool.query<{ projection: string; position: Position }>(
    'select projection, position from rm.parked_events',
  );
  // Why somebody left an event out is sealed, and does not matter here.
  const readable: typeof store = { readStream: async (...asked) => (await store.readStream(...asked)).map(asErased) };
  const found = projections.map(async (projection) => {
    const parked = new Set(rows.filter((row) => row.projection === projection.name).map(({ position }) => position));
    return [projection, { parked, skipped: await skippedEventsOf(readable, projection.name) }] as const;
  });
  return new Map(await Promise.all(found));
}

async function untilAllReached(
  pool: Pool,
  projections: readonly Projection[],
  head: Position,
  signal: AbortSignal,
): Promise<void> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(CATCH_UP_ms)]);
  for (const { name } of projections) {
    for (;;) {
      const checkpoint = await readCheckpoint(pool, name);
      if (checkpoint && comparePositions(checkpoint.position, head) >= 0) break;
      await pause(CATCH_UP_POLL_ms, undefined, { signal: inTime });
    }
  }
}

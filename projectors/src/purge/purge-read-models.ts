import { setTimeout as pause } from 'node:timers/promises';
import { comparePositions, type EventStore, type Position } from '@alpenglow/domain';
import {
  CHECKPOINT_CHANNEL,
  replacePersonalData,
  completedAt,
  continueErasures,
  KEY_CACHE_AGE_ms,
  waitUnlessAborted,
  type ErasureWork,
  type Pool,
  type PoolClient,
} from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { lockCheckpoint, readCheckpoint } from '../checkpoints/checkpoints.ts';
import type { Projection } from '../projection.ts';
import { dropOtherVersions } from '../versions/drop-unused-versions.ts';
import { resolveProjections } from '../versions/versions.ts';
import type { Reaction } from '../reactors/reactions.ts';
import { dropOtherBuilds } from '../replay/drop-other-builds.ts';
import { inReadModelTransaction } from '../read-model-transaction.ts';
import { latestOf, readShardMarks } from '../shards/shards.ts';
import { mergeTallies } from '../tallies.ts';
import { endParkedEvents } from './end-parked-events.ts';
import { findPersonalRows } from './personal-rows.ts';
import { readSkippedEventIds } from '../skipped-events.ts';
import { refoldRows, writeRefoldedRows, type ExcludedEvents } from './refold.ts';

/**
 * The name of the duty, a background task of one process, that removes personal data of erased accounts from the read
 * models.
 */
export const PURGE_DUTY = 'purge-read-models';

type PurgeDependencies = Dependencies<'pool' | 'sealedStore' | 'dataKeys' | 'commands' | 'log'>;

const POLL_ms = 1_000;
/**
 * The time after which no process uses a destroyed encryption key. By then, cached keys have expired, and running
 * lookups of keys have ended.
 */
const KEYS_UNUSED_AFTER_ms = KEY_CACHE_AGE_ms + 1_000;
const CATCH_UP_POLL_ms = 100;
/**
 * The maximum time to wait until the projections have caught up. After this time, the step of the erasure fails and is
 * repeated later.
 */
const CATCH_UP_TIMEOUT_ms = 5 * 60_000;

/**
 * Removes personal data from the read models for all accounts that are being erased, until `signal` aborts. An account
 * is handled after its encryption keys were destroyed. The parked events of the account are then readable, so they are
 * retried. Rejects if the database fails. The duty is then started again.
 */
export async function runPurges(
  deps: PurgeDependencies,
  projections: readonly Projection[],
  reactions: readonly Reaction[],
  signal: AbortSignal,
): Promise<void> {
  const steps = { read_models_purged: createPurgeStep(deps, projections, reactions) };
  while (!signal.aborted) {
    await continueErasures(deps, steps, signal);
    await waitUnlessAborted(POLL_ms, signal);
  }
}

/**
 * Returns the step of an erasure that removes the personal data of the account from the read models. After this step,
 * every row is identical to the row that a rebuild creates. The step returns "later" while a process may still use a
 * destroyed encryption key, or while a process of another build runs or reads another version of a read model, or has
 * done so in the last 15 minutes, or while a backing service fails that a parked reaction needs. The tables of versions
 * that no process uses are dropped.
 */
export function createPurgeStep(
  deps: PurgeDependencies,
  projections: readonly Projection[],
  reactions: readonly Reaction[] = [],
): ErasureWork {
  return async (person, signal) => {
    if (Date.now() - Date.parse(completedAt(person, 'keys_destroyed')) < KEYS_UNUSED_AFTER_ms) return 'later';
    // A version that is built after this check contains no data of the account, because its keys are destroyed.
    if (!(await dropOtherVersions(deps.pool, projections))) return 'later';
    const resolved = await resolveProjections(deps.pool, projections);
    if ((await endParkedEvents(person.accountId, resolved, reactions, deps, signal)) === 'later') return 'later';
    await purge(person.accountId, resolved, deps, signal);
    return 'done';
  };
}

/**
 * Computes all rows with personal data of the account again, in every projection. The events then no longer provide
 * this data, because its encryption keys are destroyed. Drops the `rebuild` and `previous` tables, because they may
 * contain older personal data of the account. Running rebuilds start again.
 */
async function purge(
  accountId: string,
  projections: readonly Projection[],
  deps: PurgeDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { pool, sealedStore } = deps;
  const personal = await findPersonalRows(accountId, projections, sealedStore, signal);
  const excluded = await readExcludedEvents(pool, sealedStore, projections);
  const head = await sealedStore.readHead();
  // After this wait, no projection writes data that was decrypted with a destroyed key.
  await waitUntilAllReach(pool, projections, head, signal);
  const refolded = await refoldRows(personal.keys, excluded, null, head, deps, signal);
  for (const projection of projections) {
    signal.throwIfAborted();
    // The event store records that this step is done. The rows must therefore not return after a crash of Postgres.
    await inReadModelTransaction(pool, (client) => purgeProjection(client, projection), { isDurable: true });
  }

  async function purgeProjection(client: PoolClient, projection: Projection): Promise<void> {
    // The checkpoint row is locked before any table. All code that applies events or swaps tables uses the same order,
    // which prevents deadlocks.
    const checkpoint = await lockCheckpoint(client, projection);
    if (!checkpoint) throw new Error(`Projection ${projection.name} has no checkpoint`);
    const keys = personal.keys.get(projection) ?? new Set<string>();
    // The events between the recomputed rows and the checkpoint are applied to these rows. If a swap of tables was
    // reverted in the meantime, the checkpoint may be at an earlier position than the rows. In this case, the rows are
    // computed again from the first event.
    const base = comparePositions(checkpoint.position, refolded.position) < 0 ? null : refolded;
    const rowKeys = new Map([[projection, keys]]);
    const shards = await readShardMarks(client, projection);
    const until = shards ? latestOf(shards).position : checkpoint.position;
    const currentRows = await refoldRows(rowKeys, excluded, base, until, deps, signal, shards);
    await writeRefoldedRows({ client, projection, build: 'live' }, keys, currentRows);
    await mergeTallies(client, projection);
    await dropOtherBuilds(client, projection);
    const personalPositions = [...(excluded.get(projection)?.parked ?? [])].filter((position) =>
      personal.positions.has(position),
    );
    await client.query(
      `update rm.parked_events set error = 'The event could not be handled'
      where projection = $1 and position = any($2) and error is not null`,
      [projection.name, personalPositions],
    );
    await client.query('select pg_notify($1, $2)', [CHECKPOINT_CHANNEL, `${projection.name}:${checkpoint.position}`]);
  }
}

/** Returns the parked and the skipped events of each projection. No row contains the data of these events. */
async function readExcludedEvents(
  pool: Pool,
  store: Pick<EventStore, 'readStream'>,
  projections: readonly Projection[],
): Promise<ExcludedEvents> {
  const { rows } = await pool.query<{ projection: string; position: Position }>(
    'select projection, position from rm.parked_events',
  );
  // The stored reason for skipping an event is encrypted. The reason is not needed here, so a placeholder replaces it
  // without decryption.
  const readable: typeof store = {
    readStream: async (...args) => (await store.readStream(...args)).map(replacePersonalData),
  };
  const excluded = projections.map(async (projection) => {
    const parked = new Set(rows.filter((row) => row.projection === projection.name).map(({ position }) => position));
    return [projection, { parked, skipped: await readSkippedEventIds(readable, projection) }] as const;
  });
  return new Map(await Promise.all(excluded));
}

async function waitUntilAllReach(
  pool: Pool,
  projections: readonly Projection[],
  head: Position,
  signal: AbortSignal,
): Promise<void> {
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(CATCH_UP_TIMEOUT_ms)]);
  for (const { name } of projections) {
    for (;;) {
      const checkpoint = await readCheckpoint(pool, name);
      if (checkpoint && comparePositions(checkpoint.position, head) >= 0) break;
      await pause(CATCH_UP_POLL_ms, undefined, { signal: timeout });
    }
  }
}

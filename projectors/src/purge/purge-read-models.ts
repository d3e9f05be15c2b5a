import { comparePositions, type Position } from '@alpenglow/domain';
import {
  continueErasures,
  createErasureSlots,
  mayUseDestroyedKeys,
  pollUntil,
  waitUnlessAborted,
  withPersonalData,
  type ErasedPerson,
  type ErasureWork,
  type Pool,
} from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { readCheckpoint } from '../checkpoints/checkpoints.ts';
import type { Projection } from '../projection.ts';
import { removeRebuildErasures } from '../rebuild/rebuild-erasures.ts';
import { dropOtherVersions } from '../versions/drop-unused-versions.ts';
import { resolveProjections } from '../versions/versions.ts';
import type { Reaction } from '../reactors/reactions.ts';
import { endParkedEvents } from './end-parked-events.ts';
import { findPersonalRows } from './personal-rows.ts';
import { createPersonalTables } from './personal-tables.ts';
import { readSkippedEventIds } from '../skipped-events.ts';

/**
 * The name of the duty, a background task of one process, that removes personal data of erased accounts from the read
 * models.
 */
export const PURGE_DUTY = 'purge-read-models';

type PurgeDependencies = Dependencies<'pool' | 'sealedStore' | 'dataKeys' | 'commands' | 'log'>;

const POLL_ms = 1_000;
/**
 * The maximum number of purges that use the database at the same time. Each one uses two connections of the pool, and
 * the projection whose checkpoint it has locked waits with a further one.
 */
const PURGES_AT_ONCE = 2;
/**
 * The maximum time to wait until the projections have caught up. After this time, the step of the erasure is repeated
 * later, so that other erasures continue.
 */
const CATCH_UP_TIMEOUT_ms = 5_000;

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
  const inSlot = createErasureSlots(PURGES_AT_ONCE);
  return async (person, signal) => {
    if (await mayUseDestroyedKeys(deps.pool, person.accountId)) return 'later';
    return inSlot(async () => {
      // A version that is built after this check contains no data of the account, because its keys are destroyed.
      if (!(await dropOtherVersions(deps.pool, projections))) return 'later';
      const resolved = await resolveProjections(deps.pool, projections);
      if ((await endParkedEvents(person.accountId, resolved, reactions, deps, signal)) === 'later') return 'later';
      return purge(person, resolved, deps, signal);
    }, signal);
  };
}

/**
 * Computes all rows with personal data of the account again, in every projection. The events then no longer provide
 * this data, because its encryption keys are destroyed. Then verifies the rows. Reads only the streams with data of the
 * account. Running rebuilds continue. Returns `later` while a projection is behind, or while a running rebuild has not
 * computed its rows again. Throws if a row still contains data of the account.
 */
async function purge(
  person: ErasedPerson,
  projections: readonly Projection[],
  deps: PurgeDependencies,
  signal: AbortSignal,
): Promise<'done' | 'later'> {
  const { pool, sealedStore } = deps;
  const tables = await openPersonalTables(person, projections, deps, signal);
  const head = await sealedStore.readHead();
  // After this wait, no projection writes data that was decrypted with a destroyed key.
  if (!(await haveAllReached(pool, tables.projections, head, signal))) return 'later';
  if ((await tables.purge(head)) === 'later') return 'later';
  await removeParkedErrors(pool, tables.positions);
  const remains = await tables.findRemains(head);
  if (remains.length > 0) throw new Error(`Tables still contain data of an erased account: ${remains.join(', ')}`);
  await removeRebuildErasures(pool, person.accountId);
  return 'done';
}

/**
 * Verifies that the read models contain no data of an erased account. Returns the names of the tables that still do.
 * Rejects if `signal` aborts.
 */
export async function findRemainingRows(
  person: Pick<ErasedPerson, 'accountId' | 'receiptId'>,
  declared: readonly Projection[],
  deps: Pick<PurgeDependencies, 'pool' | 'sealedStore' | 'dataKeys'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const tables = await openPersonalTables(person, await resolveProjections(deps.pool, declared), deps, signal);
  return tables.findRemains(await deps.sealedStore.readHead());
}

async function openPersonalTables(
  person: Pick<ErasedPerson, 'accountId' | 'receiptId'>,
  projections: readonly Projection[],
  { pool, sealedStore, dataKeys }: Pick<PurgeDependencies, 'pool' | 'sealedStore' | 'dataKeys'>,
  signal: AbortSignal,
) {
  const personal = await findPersonalRows(person.accountId, projections, { pool, sealedStore }, signal);
  const store = withPersonalData(sealedStore, dataKeys);
  const affected = [...personal.keys.keys()];
  const skipped = new Map(
    await Promise.all(
      affected.map(async (projection) => [projection, await readSkippedEventIds(store, projection)] as const),
    ),
  );
  const tables = createPersonalTables({ pool, store, person, personal, skipped, signal });
  return { ...tables, projections: affected, positions: personal.positions };
}

/** Replaces the stored errors of parked events with data of the account, because an error may quote the data. */
async function removeParkedErrors(pool: Pool, positions: ReadonlySet<Position>): Promise<void> {
  // All consumers are included. Those without rows of the account may have parked its events, too.
  await pool.query(
    `update rm.parked_events set error = 'The event could not be handled'
      where position = any($1) and error is not null`,
    [[...positions]],
  );
}

/** Waits up to 5 s until these projections have reached `head`. Returns false if one has not. */
async function haveAllReached(
  pool: Pool,
  projections: readonly Projection[],
  head: Position,
  signal: AbortSignal,
): Promise<boolean> {
  const reached = await pollUntil(
    async () => {
      signal.throwIfAborted();
      for (const { name } of projections) {
        const checkpoint = await readCheckpoint(pool, name);
        if (!checkpoint || comparePositions(checkpoint.position, head) < 0) return null;
      }
      return true;
    },
    { timeout_ms: CATCH_UP_TIMEOUT_ms, signal },
  );
  return reached === true;
}

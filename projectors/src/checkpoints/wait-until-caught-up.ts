import { setTimeout as pause } from 'node:timers/promises';
import { comparePositions, type Position } from '@alpenglow/domain';
import { isTransient, storedNameOf, type Pool } from '@alpenglow/infra';
import type { Checkpoint } from './checkpoints.ts';
import type { Projection } from '../projection.ts';
import { PROJECTIONS } from '../projections/index.ts';

const POLL_ms = 50;

/**
 * Resolves when every projection has handled all events up to `head` in the version that the statements of `pool` use,
 * and contains no effects of lost events. Until then, the read models may lack recent changes. Rejects if `signal`
 * aborts.
 */
export async function waitUntilCaughtUp(
  pool: Pool,
  head: Position,
  signal: AbortSignal,
  projections: readonly Projection[] = PROJECTIONS,
): Promise<void> {
  for (;;) {
    const current = await readCheckpoints(pool);
    const isCurrent = projections.every(({ name, version }) =>
      current.some(
        (row) =>
          row.name === storedNameOf(pool, name) &&
          row.version === version &&
          row.lostPosition === null &&
          comparePositions(row.position, head) >= 0,
      ),
    );
    if (isCurrent) return;
    await pause(POLL_ms, undefined, { signal });
  }
}

/**
 * Returns the checkpoints of all event consumers. Returns an empty list while Postgres does not respond, for example
 * during a busy rebuild.
 */
async function readCheckpoints(pool: Pool): Promise<readonly (Checkpoint & { readonly name: string })[]> {
  try {
    const text = 'select name, version, position, lost_position as "lostPosition" from rm.checkpoints';
    return (await pool.query<Checkpoint & { name: string }>(text)).rows;
  } catch (error) {
    if (isTransient(error)) return [];
    throw error;
  }
}

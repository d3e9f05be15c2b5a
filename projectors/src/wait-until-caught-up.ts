import { setTimeout as pause } from 'node:timers/promises';
import { comparePositions, type Position } from '@alpenglow/domain';
import { isTransient, type Pool } from '@alpenglow/infra';
import type { Checkpoint } from './checkpoints.ts';
import { PROJECTIONS } from './projections/index.ts';

const POLL_ms = 50;

/**
 * Resolves when every projection has the version of this build and has handled all events up to `head`. Until then, the
 * read models may lack columns or recent changes. Rejects if `signal` aborts.
 */
export async function waitUntilCaughtUp(pool: Pool, head: Position, signal: AbortSignal): Promise<void> {
  for (;;) {
    const current = await readCheckpoints(pool);
    const isCurrent = PROJECTIONS.every(({ name, version }) =>
      current.some((row) => row.name === name && row.version === version && comparePositions(row.position, head) >= 0),
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
    return (await pool.query<Checkpoint & { name: string }>('select name, version, position from rm.checkpoints')).rows;
  } catch (error) {
    if (isTransient(error)) return [];
    throw error;
  }
}

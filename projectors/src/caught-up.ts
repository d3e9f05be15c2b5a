import { setTimeout as pause } from 'node:timers/promises';
import { comparePositions, type Position } from '@alpenglow/domain';
import { isPassing, type Pool } from '@alpenglow/infra';
import type { Checkpoint } from './checkpoints.ts';
import { PROJECTIONS } from './projections/index.ts';

const POLL_ms = 50;

/** Resolves once every projection is of this build's version and has reached `head`; until then, reads may miss columns or events. Rejects on abort. */
export async function waitUntilCaughtUp(pool: Pool, head: Position, signal: AbortSignal): Promise<void> {
  for (;;) {
    const standing = await checkpoints(pool);
    const isCurrent = PROJECTIONS.every(({ name, version }) =>
      standing.some((row) => row.name === name && row.version === version && comparePositions(row.position, head) >= 0),
    );
    if (isCurrent) return;
    await pause(POLL_ms, undefined, { signal });
  }
}

/** None while Postgres, busy with the rebuild itself perhaps, does not answer. */
async function checkpoints(pool: Pool): Promise<readonly (Checkpoint & { readonly name: string })[]> {
  try {
    return (await pool.query<Checkpoint & { name: string }>('select name, version, position from rm.checkpoints')).rows;
  } catch (error) {
    if (isPassing(error)) return [];
    throw error;
  }
}

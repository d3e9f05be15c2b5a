import { comparePositions, type Position } from '@alpenglow/domain';
import { isTransient, storedNameOf, waitForReadModels, type Pool, type WaitOptions } from '@alpenglow/infra';
import type { Checkpoint } from './checkpoints.ts';
import type { Projection } from '../projection.ts';
import { PROJECTIONS } from '../projections/index.ts';

/**
 * Resolves when every projection has handled all events up to `head` in the version that the statements of `pool` use,
 * and contains no effects of lost events. Until then, the read models may lack recent changes. Rejects as
 * `waitForReadModels`.
 */
export async function waitUntilCaughtUp(
  pool: Pool,
  head: Position,
  waitOptions: WaitOptions,
  projections: readonly Projection[] = PROJECTIONS,
): Promise<void> {
  await waitForReadModels(async () => {
    const current = await readCheckpoints(pool);
    return projections.flatMap(({ name, version }) => {
      const found = current.find((row) => row.name === storedNameOf(pool, name) && row.version === version);
      if (!found) return [`${name} version ${version} (no process has filled it yet)`];
      if (found.lostPosition !== null) return [`${name} version ${version} (is rebuilt without lost events)`];
      return comparePositions(found.position, head) < 0 ? [`${name} version ${version} (lacks recent events)`] : [];
    });
  }, waitOptions);
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

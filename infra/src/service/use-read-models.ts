import { setTimeout as pause } from 'node:timers/promises';
import { comparePositions, START_POSITION, type Position } from '@alpenglow/domain';
import type { Pool } from '../adapters/postgres/pool.ts';
import { readLiveVersions, useStoredTables, type LiveVersion } from '../adapters/postgres/read-model-tables.ts';
import { isTransient } from '../http/errors.ts';
import type { ReadModel } from '../read-models/index.ts';
import { waitForReadModels, type WaitOptions } from './wait-for-read-models.ts';

const POLL_ms = 50;

/**
 * Waits until the versions `readModels` are live and contain at least the events up to `head` that other versions of
 * the same read models contained at the beginning. A visitor whose requests change from one version to the other
 * therefore never misses rows. All statements of `pool` then use the tables of these versions. In a new installation,
 * in which no read model is live, resolves at once, because the tables will have the names without a version. Rejects
 * like `waitForReadModels`.
 */
export async function useReadModels(
  pool: Pool,
  readModels: readonly ReadModel[],
  { head, ...waitOptions }: WaitOptions & { readonly head: Position },
): Promise<void> {
  const { signal } = waitOptions;
  const atBegin = await waitForLiveVersions(pool, signal);
  if (!atBegin.some((live) => readModels.some(({ name }) => name === live.name))) return;
  const required = new Map<string, Position>();
  for (const { name, position } of atBegin) {
    const reached = comparePositions(position, head) < 0 ? position : head;
    if (comparePositions(reached, required.get(name) ?? START_POSITION) > 0) required.set(name, reached);
  }
  let used: { readonly readModel: ReadModel; readonly storedName: string }[] = [];
  await waitForReadModels(async () => {
    const live = await waitForLiveVersions(pool, signal);
    used = [];
    return readModels.flatMap((readModel) => {
      const { name, version } = readModel;
      const found = live.find((one) => one.name === name && one.version === version);
      if (!found) return [`${name} version ${version} (no process has filled it yet)`];
      if (comparePositions(found.position, required.get(name) ?? START_POSITION) < 0)
        return [`${name} version ${version} (lacks recent events)`];
      used.push({ readModel, storedName: found.storedName });
      return [];
    });
  }, waitOptions);
  useStoredTables(pool, used);
}

/** Reads the live versions. Repeats the query while Postgres does not respond, for example during a busy rebuild. */
async function waitForLiveVersions(pool: Pool, signal: AbortSignal): Promise<readonly LiveVersion[]> {
  for (;;) {
    try {
      return await readLiveVersions(pool);
    } catch (error) {
      if (!isTransient(error)) throw error;
    }
    await pause(POLL_ms, undefined, { signal });
  }
}

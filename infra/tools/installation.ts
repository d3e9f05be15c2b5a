import path from 'node:path';
import type { BlobStore } from '@alpenglow/domain';
import {
  createLogger,
  createPool,
  eventStoreKind,
  openBlobStore,
  readConfig,
  refuseOtherEventStore,
  RESTORE_MARK_TABLE,
  type Closing,
  type Config,
  type Pool,
} from '../src/index.ts';
import { APPLICATION_NAME, openDatabase } from './database.ts';
import { openStore, type OpenStore } from './stores.ts';
import type { ToolOptions } from './tool.ts';

/** Everything an installation keeps, as the environment names it. */
export interface Installation {
  readonly config: Config;
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly pool: Pool;
  readonly events: OpenStore;
  readonly blobs: BlobStore;
}

const POOL_SIZE = 3;

/** Opens an installation; `closing` closes it. With `isCopy`, appends are fast and end with `events.flush`. */
export async function openInstallation(
  { env, rootDir, ownsDataDir }: ToolOptions,
  closing: Closing,
  { isCopy = false } = {},
): Promise<Installation> {
  const config = readConfig(env);
  const dataDir = path.resolve(rootDir, config.dataDir);
  const database = await openDatabase(config.databaseUrl, dataDir, ownsDataDir);
  closing.add(() => database.close());
  const pool = createPool({
    connectionString: database.url,
    max: POOL_SIZE,
    applicationName: APPLICATION_NAME,
    statementTimeout_ms: 0,
  });
  closing.add(() => pool.end());
  // A store that was moved away from is still there, and would be read without a word.
  if (!isCopy) await refuseOtherEventStore(pool, eventStoreKind(config.eventStoreUrl));
  return {
    config,
    dataDir,
    databaseUrl: database.url,
    pool,
    events: await openStore(config.eventStoreUrl ?? database.url, { closing, isCopy }),
    blobs: await openBlobStore({ config, dataDir, log: createLogger('warn'), onStop: closing.add }, { isNeeded: true }),
  };
}

/** Whether a database has our tables, and whether a restore into it has not ended. */
export async function lookAt(pool: Pool): Promise<{ readonly isOurs: boolean; readonly isBeingRestored: boolean }> {
  const { rows } = await pool.query<{ ours: boolean; restoring: boolean }>(
    `select to_regclass('rm.checkpoints') is not null as ours, to_regclass($1) is not null as restoring`,
    [RESTORE_MARK_TABLE],
  );
  return { isOurs: rows[0]?.ours === true, isBeingRestored: rows[0]?.restoring === true };
}

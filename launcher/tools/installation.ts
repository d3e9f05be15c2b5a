import path from 'node:path';
import type { BlobStore } from '@alpenglow/domain';
import {
  configuredEventStore,
  createLogger,
  openBlobStore,
  readConfig,
  requireSameEventStore,
  RESTORE_MARKER_TABLE,
  type ResourceStack,
  type Config,
  type Pool,
} from '@alpenglow/infra';
import { openDatabase, openToolPool } from './database.ts';
import { openStore, type OpenStore } from './stores.ts';
import type { ToolOptions } from './tool.ts';

/** An opened installation of the product, with the stores that the environment variables select. */
export interface Installation {
  readonly config: Config;
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly pool: Pool;
  readonly events: OpenStore;
  readonly blobs: BlobStore;
}

const POOL_SIZE = 3;

/**
 * Opens an installation. `closing` closes it again. With `isCopy`, appends return before the events are on the disk.
 * They are faster, but the caller must call `events.flush` at the end.
 */
export async function openInstallation(
  { env, rootDir, ownsDataDir }: ToolOptions,
  closing: ResourceStack,
  { isCopy = false } = {},
): Promise<Installation> {
  const config = readConfig(env);
  const dataDir = path.resolve(rootDir, config.dataDir);
  const database = await openDatabase(config.databaseUrl, dataDir, ownsDataDir);
  closing.add(() => database.close());
  const pool = openToolPool(database.url, POOL_SIZE, closing);
  // Throws an error if the configured event store is not the store that the installation uses. After a switch to
  // another store, the old store still exists.
  if (!isCopy) await requireSameEventStore(pool, configuredEventStore(config));
  return {
    config,
    dataDir,
    databaseUrl: database.url,
    pool,
    events: await openStore(config.eventStoreUrl ?? database.url, {
      closing,
      isCopy,
      streamPrefix: config.eventStoreStreamPrefix,
    }),
    blobs: await openBlobStore({ config, dataDir, log: createLogger('warn'), onStop: closing.add }, { isNeeded: true }),
  };
}

/**
 * Returns whether a database contains the tables of the product, and whether a restore of a backup into it is
 * incomplete.
 */
export async function inspectDatabase(
  pool: Pool,
): Promise<{ readonly isOurs: boolean; readonly isBeingRestored: boolean }> {
  const { rows } = await pool.query<{ ours: boolean; restoring: boolean }>(
    `select to_regclass('rm.checkpoints') is not null as ours, to_regclass($1) is not null as restoring`,
    [RESTORE_MARKER_TABLE],
  );
  return { isOurs: rows[0]?.ours === true, isBeingRestored: rows[0]?.restoring === true };
}

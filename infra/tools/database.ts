import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from '../src/index.ts';
import { findRunningPostgres, startEmbeddedPostgres } from '../embedded/postgres.ts';
import { ToolError } from './tool.ts';

/** What tools call their connections to the database, so that they can be told from those of services. */
export const APPLICATION_NAME = 'alpenglow-tool';
/** How long a connection that was closed may still be listed. */
const GONE_WITHIN_ms = 3_000;
const LOOK_EVERY_ms = 100;

/**
 * For a server that takes in a great deal and does nothing else. Checkpoints come seldom, since each makes the pages written after it go to
 * the log whole; recovery after a crash still takes seconds.
 */
const BULK_SETTINGS = { max_wal_size: '1GB', checkpoint_timeout: '15min' } as const;

export interface OpenDatabase {
  readonly url: string;
  /** Whether it is the tool's own for the time being: no service is at work on it. */
  readonly isOwn: boolean;
  close(): Promise<void>;
}

/**
 * The configured database; else the embedded one, which is started for the time being where nobody else is about to, with `isBulk` for
 * taking in a great deal.
 */
export async function openDatabase(
  configured: string | null,
  dataDir: string,
  ownsDataDir: boolean,
  { isBulk = false } = {},
): Promise<OpenDatabase> {
  const running = configured ?? (await findRunningPostgres(dataDir));
  if (running !== null) return { url: running, isOwn: false, close: () => Promise.resolve() };
  if (!ownsDataDir) throw new ToolError('Alpenglow is just starting; try again in a moment.');
  const postgres = await startEmbeddedPostgres({ dataDir, ...(isBulk && { settings: BULK_SETTINGS }) });
  return { url: postgres.connectionString, isOwn: true, close: () => postgres.stop() };
}

/** Throws `ToolError` when services of the product are connected to this database; one that is just closing gets a moment. */
export async function refuseWhileServicesRun(pool: Pool): Promise<void> {
  const deadline_ms = Date.now() + GONE_WITHIN_ms;
  for (;;) {
    const { rows } = await pool.query<{ name: string }>(
      `select distinct application_name as name from pg_stat_activity
        where datname = current_database() and application_name like 'alpenglow%' and application_name <> $1 order by 1`,
      [APPLICATION_NAME],
    );
    if (rows.length === 0) return;
    if (Date.now() > deadline_ms)
      throw new ToolError(
        `Services of the product are at work on this database (${rows.map(({ name }) => name).join(', ')}). Stop them first.`,
      );
    await pause(LOOK_EVERY_ms);
  }
}

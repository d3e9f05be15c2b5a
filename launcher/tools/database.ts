import { setTimeout as pause } from 'node:timers/promises';
import { createPool, type Pool, type ResourceStack } from '@alpenglow/infra';
import { findRunningPostgres, startEmbeddedPostgres } from '../postgres/index.ts';
import { ToolError } from './tool.ts';

/** Application name of the tools in their database connections. It distinguishes them from services. */
export const APPLICATION_NAME = 'alpenglow-tool';
/**
 * Maximum time to wait until services are disconnected. Postgres may still list a connection shortly after it was
 * closed.
 */
const CLOSE_LIMIT_ms = 3_000;
const CHECK_INTERVAL_ms = 100;

/**
 * Postgres settings for writing a large amount of data. Checkpoints are rare, because after each checkpoint Postgres
 * writes many full pages to the write-ahead log. Crash recovery still takes only seconds.
 */
const BULK_SETTINGS = { max_wal_size: '1GB', checkpoint_timeout: '15min' } as const;

export interface OpenDatabase {
  readonly url: string;
  /** True if the tool has started the database server itself. In that case, no service is using it. */
  readonly isOwn: boolean;
  close(): Promise<void>;
}

/**
 * Opens the configured database. If no database is configured, opens the embedded database and starts it if necessary.
 * `isBulk` selects settings for a large amount of new data. Throws `ToolError` if another process is starting the
 * embedded database.
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

/** Opens a connection pool for a tool. Statements have no time limit. `closing` closes the pool. */
export function openToolPool(connectionString: string, max: number, closing: ResourceStack): Pool {
  const pool = createPool({ connectionString, max, applicationName: APPLICATION_NAME, statementTimeout_ms: 0 });
  closing.add(() => pool.end());
  return pool;
}

/**
 * Throws `ToolError` if services of the product are connected to this database. Before that, waits up to 3 s, because
 * the services may be closing their connections.
 */
export async function requireStoppedServices(pool: Pool): Promise<void> {
  const deadline_ms = Date.now() + CLOSE_LIMIT_ms;
  for (;;) {
    const { rows } = await pool.query<{ name: string }>(
      `select distinct application_name as name from pg_stat_activity
        where datname = current_database() and application_name like 'alpenglow%' and application_name <> $1
        order by 1`,
      [APPLICATION_NAME],
    );
    if (rows.length === 0) return;
    if (Date.now() > deadline_ms)
      throw new ToolError(
        'Services of the product are using this database ' +
          `(${rows.map(({ name }) => name).join(', ')}). Stop them first.`,
      );
    await pause(CHECK_INTERVAL_ms);
  }
}

import { readdir } from 'node:fs/promises';
import { limitSilence } from './lock-session.ts';
import { withClient } from './pool.ts';

const MIGRATIONS_TABLE = 'pgmigrations';
const APPLICATION_NAME = 'alpenglow-migrate';
/** This table exists while `npm run restore` fills a database. */
export const RESTORE_MARKER_TABLE = 'public.restore_under_way';

export interface MigrateOptions {
  readonly migrationsDir: string;
  /** True if the caller is the restore command itself. */
  readonly isRestore?: boolean;
}

/**
 * Applies the SQL files of `migrationsDir` to a database, all in one transaction. Processes that call this at the same
 * time wait for each other. Throws without any change if a file fails. Throws within 20 s if Postgres does not respond,
 * but a running migration has no time limit. Also throws if the database is being restored, because every service calls
 * this at its start.
 */
export async function migrate(
  connectionString: string,
  { migrationsDir, isRestore = false }: MigrateOptions,
): Promise<void> {
  if (await isUpToDate(connectionString, migrationsDir, isRestore)) return;
  const { runner } = await import('node-pg-migrate');
  // With its own connection, the runner would neither wait until the connection is closed nor handle its error events.
  await withClient(
    { connectionString, applicationName: APPLICATION_NAME, statementTimeout_ms: 0 },
    async (dbClient) => {
      // The runner takes a lock. If this machine is lost, the next process must not wait for the lock for hours.
      await limitSilence(dbClient);
      await runner({
        dbClient,
        dir: migrationsDir,
        direction: 'up',
        migrationsTable: MIGRATIONS_TABLE,
        advisoryLockMode: 'wait',
        singleTransaction: true,
        log: () => undefined,
      });
    },
  );
}

/**
 * Checks if the database is up to date. Loading the migration library takes a noticeable part of a start, so it is
 * loaded only if necessary.
 */
async function isUpToDate(connectionString: string, migrationsDir: string, isRestore: boolean): Promise<boolean> {
  const files = (await readdir(migrationsDir)).filter((file) => file.endsWith('.sql'));
  return withClient({ connectionString, applicationName: APPLICATION_NAME }, async (client) => {
    const { rows: tables } = await client.query<{ found: boolean; restoring: boolean }>(
      'select to_regclass($1) is not null as found, to_regclass($2) is not null as restoring',
      [`public.${MIGRATIONS_TABLE}`, RESTORE_MARKER_TABLE],
    );
    if (tables[0]?.restoring === true && !isRestore) {
      throw new Error(
        'A backup is being restored into this database, or its restore was interrupted. ' +
          'Finish it with the same npm run restore, or start with an empty database.',
      );
    }
    if (tables[0]?.found !== true) return false;
    const { rows } = await client.query<{ name: string }>(`select name from public.${MIGRATIONS_TABLE}`);
    const done = new Set(rows.map((row) => `${row.name}.sql`));
    return files.every((file) => done.has(file));
  });
}

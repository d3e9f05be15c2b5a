import { readdir } from 'node:fs/promises';
import { Client } from 'pg';
import { connectionSettings } from './pool.ts';

const MIGRATIONS_TABLE = 'pgmigrations';
const APPLICATION_NAME = 'alpenglow-migrate';
/** Is there for as long as `npm run restore` fills a database. */
export const RESTORE_MARK_TABLE = 'public.restore_under_way';

export interface MigrateOptions {
  readonly migrationsDir: string;
  /** Whether it is the restore itself that asks. */
  readonly isRestore?: boolean;
}

/**
 * Brings a database's tables up to date with the SQL files of `migrationsDir`, all in one transaction. Any number of
 * processes may call this at once: they wait for each other. Throws when a file fails, and nothing is changed then;
 * within 20 s, when Postgres does not answer at all. Once begun, a migration takes as long as it takes.
 * Every service begins with this, so it also throws on a database that is being restored.
 */
export async function migrate(
  connectionString: string,
  { migrationsDir, isRestore = false }: MigrateOptions,
): Promise<void> {
  if (await isUpToDate(connectionString, migrationsDir, isRestore)) return;
  const { runner } = await import('node-pg-migrate');
  await runner({
    databaseUrl: connectionSettings({ connectionString, applicationName: APPLICATION_NAME, statementTimeout_ms: 0 }),
    dir: migrationsDir,
    direction: 'up',
    migrationsTable: MIGRATIONS_TABLE,
    advisoryLockMode: 'wait',
    singleTransaction: true,
    log: () => undefined,
  });
}

/** The migration library takes a noticeable part of a warm start to load, so this looks first whether it is needed at all. */
async function isUpToDate(connectionString: string, migrationsDir: string, isRestore: boolean): Promise<boolean> {
  const files = (await readdir(migrationsDir)).filter((file) => file.endsWith('.sql'));
  const client = new Client(connectionSettings({ connectionString, applicationName: APPLICATION_NAME }));
  // One that breaks between two questions says so by an event too; the next question tells.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ found: boolean; restoring: boolean }>(
      'select to_regclass($1) is not null as found, to_regclass($2) is not null as restoring',
      [`public.${MIGRATIONS_TABLE}`, RESTORE_MARK_TABLE],
    );
    if (tables[0]?.restoring === true && !isRestore) {
      throw new Error(
        'A backup is being restored into this database, or that was broken off. Finish it with the same npm run restore, or begin with an empty database.',
      );
    }
    if (tables[0]?.found !== true) return false;
    const { rows } = await client.query<{ name: string }>(`select name from public.${MIGRATIONS_TABLE}`);
    const done = new Set(rows.map((row) => `${row.name}.sql`));
    return files.every((file) => done.has(file));
  } finally {
    await client.end();
  }
}

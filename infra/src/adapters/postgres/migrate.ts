import { readdir } from 'node:fs/promises';
import { Client } from 'pg';

const MIGRATIONS_TABLE = 'pgmigrations';

/**
 * Brings a database's tables up to date with the SQL files of `migrationsDir`, all in one transaction. Any number of
 * processes may call this at once: they wait for each other. Throws when a file fails, and nothing is changed then.
 */
export async function migrate(connectionString: string, { migrationsDir }: { readonly migrationsDir: string }): Promise<void> {
  if (await isUpToDate(connectionString, migrationsDir)) return;
  const { runner } = await import('node-pg-migrate');
  await runner({
    databaseUrl: connectionString,
    dir: migrationsDir,
    direction: 'up',
    migrationsTable: MIGRATIONS_TABLE,
    advisoryLockMode: 'wait',
    singleTransaction: true,
    log: () => undefined,
  });
}

/** The migration library takes a noticeable part of a warm start to load, so this looks first whether it is needed at all. */
async function isUpToDate(connectionString: string, migrationsDir: string): Promise<boolean> {
  const files = (await readdir(migrationsDir)).filter((file) => file.endsWith('.sql'));
  const client = new Client({ connectionString, application_name: 'alpenglow-migrate' });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ found: boolean }>('select to_regclass($1) is not null as found', [`public.${MIGRATIONS_TABLE}`]);
    if (tables[0]?.found !== true) return false;
    const { rows } = await client.query<{ name: string }>(`select name from public.${MIGRATIONS_TABLE}`);
    const done = new Set(rows.map((row) => `${row.name}.sql`));
    return files.every((file) => done.has(file));
  } finally {
    await client.end();
  }
}

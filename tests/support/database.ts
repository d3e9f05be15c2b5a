import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { migrate, migrateJobs } from '@alpenglow/infra';
import { Client } from 'pg';

export const MIGRATIONS_DIR = path.resolve(import.meta.dirname, '../../infra/migrations');

export interface TestDatabase {
  readonly connectionString: string;
  /** Ends every connection to the database and removes it. */
  drop(): Promise<void>;
}

/** A new, empty database on the server `TEST_POSTGRES_URL` names, which the test run starts. */
export function createTestDatabase(): Promise<TestDatabase> {
  return createDatabase(null);
}

/** A new database with the product's tables and no rows: a copy, which takes a fraction of the time of the migrations. */
export async function createMigratedDatabase(): Promise<TestDatabase> {
  return createDatabase(
    await templateDatabase('migrated', (connectionString) =>
      migrate(connectionString, { migrationsDir: MIGRATIONS_DIR }),
    ),
  );
}

/** A new database with the product's tables and those of the job queue, and no rows: a copy. */
export async function createWorkDatabase(): Promise<TestDatabase> {
  return createDatabase(
    await templateDatabase('work', async (connectionString) => {
      await migrate(connectionString, { migrationsDir: MIGRATIONS_DIR });
      await migrateJobs(connectionString);
    }),
  );
}

/** A new database with the tables of the job queue and no jobs: a copy. */
export async function createJobsDatabase(): Promise<TestDatabase> {
  return createDatabase(await templateDatabase('jobs', migrateJobs));
}

/** A new database that is a copy of a template. */
export function copyDatabase(template: string): Promise<TestDatabase> {
  return createDatabase(template);
}

/**
 * The name of a database that every worker of this run can copy. The first worker that needs it creates it; the others wait.
 * `fill` must leave no connection open.
 */
export async function templateDatabase(
  purpose: string,
  fill: (connectionString: string) => Promise<void>,
): Promise<string> {
  const run = process.env['TEST_RUN_ID'];
  if (run === undefined) throw new Error('TEST_RUN_ID is not set: run this through the test runner');
  const name = `template_${purpose}_${run}`;
  await administer(async (client) => {
    await client.query('select pg_advisory_lock(hashtext($1))', [name]);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount !== 0) return;
    // A worker that dies while it fills the database leaves the draft, and the next one starts again.
    const draft = `${name}_draft`;
    await client.query(`drop database if exists ${draft} with (force)`);
    await client.query(`create database ${draft}`);
    await fill(urlOf(draft));
    await client.query(`alter database ${draft} with allow_connections false`);
    await client.query(`alter database ${draft} rename to ${name}`);
  });
  return name;
}

async function createDatabase(template: string | null): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer((client) =>
    client.query(`create database ${name}${template === null ? '' : ` template ${template}`}`),
  );
  return {
    connectionString: urlOf(name),
    drop: () => administer(async (client) => void (await client.query(`drop database ${name} with (force)`))),
  };
}

function serverUrl(): string {
  const server = process.env['TEST_POSTGRES_URL'];
  if (server === undefined)
    throw new Error('TEST_POSTGRES_URL is not set: run this through the test runner, which starts a Postgres');
  return server;
}

function urlOf(database: string): string {
  const url = new URL(serverUrl());
  url.pathname = `/${database}`;
  return url.href;
}

async function administer<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: serverUrl() });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

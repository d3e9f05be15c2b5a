import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { createPool, migrate, migrateJobs, type Pool } from '@alpenglow/infra';
import { Client, Pool as PgPool } from 'pg';

export const MIGRATIONS_DIR = path.resolve(import.meta.dirname, '../../infra/migrations');

export interface TestDatabase {
  readonly connectionString: string;
  /** Closes every connection to the database and deletes the database. */
  drop(): Promise<void>;
}

/** Creates an empty database on the server at `TEST_POSTGRES_URL`. */
export function createTestDatabase(): Promise<TestDatabase> {
  return createDatabase(null);
}

/**
 * Creates a database with the tables of the product and no rows. Copies a template database, which is faster than
 * running the migrations.
 */
export async function createMigratedDatabase(): Promise<TestDatabase> {
  return createDatabase(
    await templateDatabase('migrated', (connectionString) =>
      migrate(connectionString, { migrationsDir: MIGRATIONS_DIR }),
    ),
  );
}

/**
 * Creates a database with the tables of the product and of the job queue, and no rows. It is copied from a
 * template.
 */
export async function createWorkDatabase(): Promise<TestDatabase> {
  return createDatabase(
    await templateDatabase('work', async (connectionString) => {
      await migrate(connectionString, { migrationsDir: MIGRATIONS_DIR });
      await migrateJobs(connectionString);
    }),
  );
}

/** Creates a database with the tables of the job queue and no jobs. It is copied from a template. */
export async function createJobsDatabase(): Promise<TestDatabase> {
  return createDatabase(await templateDatabase('jobs', migrateJobs));
}

/** Creates a database as a copy of a template. */
export function copyDatabase(template: string): Promise<TestDatabase> {
  return createDatabase(template);
}

/** Names of the templates that exist, or that this worker creates or waits for. */
const templates = new Map<string, Promise<string>>();

/**
 * Returns the name of a template database that all workers of this test run can copy. The first worker creates the
 * template with `fill`, and the other workers wait for it. `fill` must close its connections.
 */
export function templateDatabase(purpose: string, fill: (connectionString: string) => Promise<void>): Promise<string> {
  const run = process.env['TEST_RUN_ID'];
  if (run === undefined) throw new Error('TEST_RUN_ID is not set. Run the tests with `npm test`');
  const name = `template_${purpose}_${run}`;
  const existing = templates.get(name);
  if (existing !== undefined) return existing;
  const template = createTemplate(name, fill);
  templates.set(name, template);
  template.catch(() => templates.delete(name));
  return template;
}

/** Creates a template unless it exists. Uses its own connection, because the lock belongs to the connection. */
async function createTemplate(name: string, fill: (connectionString: string) => Promise<void>): Promise<string> {
  const client = new Client({ connectionString: serverUrl() });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock(hashtext($1))', [name]);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount !== 0) return name;
    // If a worker is killed in `fill`, an incomplete draft remains. The next worker deletes this draft and starts
    // again.
    const draft = `${name}_draft`;
    await client.query(`drop database if exists ${draft} with (force)`);
    await client.query(`create database ${draft}`);
    await fill(urlOf(draft));
    await client.query(`alter database ${draft} with allow_connections false`);
    await client.query(`alter database ${draft} rename to ${name}`);
    return name;
  } finally {
    await client.end();
  }
}

async function createDatabase(template: string | null): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  // A copy of the files needs less processor time than the default, which writes all pages to the write-ahead log.
  await administer(`create database ${name}${template === null ? '' : ` template ${template} strategy file_copy`}`);
  return {
    connectionString: urlOf(name),
    drop: () => administer(`drop database ${name} with (force)`),
  };
}

function serverUrl(): string {
  const server = process.env['TEST_POSTGRES_URL'];
  if (server === undefined)
    throw new Error('TEST_POSTGRES_URL is not set. Run the tests with `npm test`, which starts Postgres');
  return server;
}

function urlOf(database: string): string {
  const url = new URL(serverUrl());
  url.pathname = `/${database}`;
  return url.href;
}

/** One connection for each server. A connection costs about as much processor time as the copy of a database. */
const administrators = new Map<string, PgPool>();

async function administer(sql: string): Promise<void> {
  const connectionString = serverUrl();
  let pool = administrators.get(connectionString);
  if (pool === undefined) {
    pool = new PgPool({ connectionString, max: 1, idleTimeoutMillis: 60_000, allowExitOnIdle: true });
    // The pool replaces a lost connection.
    pool.on('error', () => undefined);
    administrators.set(connectionString, pool);
  }
  await pool.query(sql);
}

/**
 * Creates a connection pool for a test. Its `end` resolves only after the server has closed all connections. Dropping
 * the database earlier would break a connection, and this error would end the test run.
 */
export function createTestPool(connectionString: string, max = 10): Pool {
  return createPool({ connectionString, applicationName: 'alpenglow-test', statementTimeout_ms: 0, max });
}

import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

export interface TestDatabase {
  readonly connectionString: string;
  /** Ends every connection to the database and removes it. */
  drop(): Promise<void>;
}

/** A new, empty database on the server `TEST_POSTGRES_URL` names, which the test run starts. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = process.env['TEST_POSTGRES_URL'];
  if (server === undefined) throw new Error('TEST_POSTGRES_URL is not set: run this through the test runner, which starts a Postgres');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    connectionString: url.href,
    drop: () => administer(server, `drop database ${name} with (force)`),
  };
}

async function administer(server: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

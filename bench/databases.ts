import type { Pool } from '@alpenglow/infra';
import { Client } from 'pg';
import { createTestPool } from '../tests/support/database.ts';

/** Calls `work` with a pool of one connection to a database, and closes it afterwards. */
export async function withPool<T>(databaseUrl: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = createTestPool(databaseUrl, 1);
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

/** Creates a database on the server of `url`, and drops it when `work` has ended. */
export async function withDatabase<T>(
  url: string,
  work: (connectionString: string) => Promise<T>,
  name = 'bench',
): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const own = new URL(url);
  own.pathname = `/${name}`;
  try {
    await client.query(`create database ${name}`);
    return await work(own.href);
  } finally {
    await client.query(`drop database if exists ${name} with (force)`);
    await client.end();
  }
}

import { Client } from 'pg';

/** Creates the database `bench` on the server of `url`, and drops it when `work` has ended. */
export async function withDatabase<T>(url: string, work: (connectionString: string) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const own = new URL(url);
  own.pathname = '/bench';
  try {
    await client.query('create database bench');
    return await work(own.href);
  } finally {
    await client.query('drop database if exists bench with (force)');
    await client.end();
  }
}

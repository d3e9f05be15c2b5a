import { Client } from 'pg';

/** A database of its own, named `bench`, on the server of `url`, for as long as `work` takes. */
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

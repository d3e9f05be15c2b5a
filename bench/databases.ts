import { Client } from 'pg';

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

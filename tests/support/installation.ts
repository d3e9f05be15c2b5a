import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';

/** What an installation holds, for comparing two of them. */
export interface Contents {
  /** Every event without its position, in order, as the database has it. */
  readonly events: readonly string[];
  /** Every read model: table → its rows in the order of their keys, each as text. */
  readonly readModels: Readonly<Record<string, readonly string[]>>;
  /** Projection → version and position. */
  readonly checkpoints: Readonly<Record<string, string>>;
  readonly keys: readonly string[];
  readonly views: readonly string[];
}

/** Tables of the schema `rm` that are about the work of projectors, not read models. */
const BOOKKEEPING = ['checkpoints', 'parked_events'];

export async function query<Row extends object = Record<string, string>>(databaseUrl: string, sql: string, values: unknown[] = []): Promise<readonly Row[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

export async function contentsOf(databaseUrl: string): Promise<Contents> {
  const lines = async (sql: string) => (await query<{ line: string }>(databaseUrl, sql)).map(({ line }) => line);
  const tables = await lines(`select table_name as line from information_schema.tables where table_schema = 'rm' order by 1`);
  const readModels: Record<string, readonly string[]> = {};
  for (const table of tables.filter((name) => !BOOKKEEPING.includes(name))) readModels[table] = await lines(`select t::text as line from rm.${table} t order by 1`);
  const checkpoints = await query<{ name: string; at: string }>(databaseUrl, `select name, version || ' at ' || position as at from rm.checkpoints where name not like 're%'`);
  return {
    events: await lines(`select concat_ws('|', stream, revision, id, type, version, data::text, meta::text) as line from es.events order by position`),
    readModels,
    checkpoints: Object.fromEntries(checkpoints.map(({ name, at }) => [name, at])),
    keys: await lines('select t::text as line from auth.data_keys t order by 1'),
    views: await lines('select t::text as line from stats.ad_views t order by 1'),
  };
}

/** Every file below a folder by its path from there, half-written ones aside. */
export async function filesBelow(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.parentPath.includes('~incoming')) continue;
    const file = path.join(entry.parentPath, entry.name);
    files.set(path.relative(folder, file), await readFile(file));
  }
  return files;
}

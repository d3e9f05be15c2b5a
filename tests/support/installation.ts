import { createHash } from 'node:crypto';
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

/** So many lines of a table say enough. */
const TOLD = 5;

/** Tables of the schema `rm` that are about the work of projectors, not read models. */
const BOOKKEEPING = ['checkpoints', 'parked_events', 'previous_versions', 'rebuilds'];

export async function query<Row extends object = Record<string, string>>(
  databaseUrl: string,
  sql: string,
  values: unknown[] = [],
): Promise<readonly Row[]> {
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
  const tables = await lines(
    `select table_name as line from information_schema.tables where table_schema = 'rm' order by 1`,
  );
  const readModels: Record<string, readonly string[]> = {};
  for (const table of tables.filter((name) => !BOOKKEEPING.includes(name)))
    readModels[table] = await lines(`select t::text as line from rm.${table} t order by 1`);
  const checkpoints = await query<{ name: string; at: string }>(
    databaseUrl,
    `select name, version || ' at ' || position as at from rm.checkpoints where name not like 're%'`,
  );
  return {
    events: await lines(
      `select concat_ws('|', stream, revision, id, type, version, data::text, meta::text) as line from es.events order by position`,
    ),
    readModels,
    checkpoints: Object.fromEntries(checkpoints.map(({ name, at }) => [name, at])),
    keys: await lines('select t::text as line from auth.data_keys t order by 1'),
    views: await lines('select t::text as line from stats.ad_views t order by 1'),
  };
}

/**
 * The lines that only one of two installations has, by table: none where they hold the same in the same order. `expect` alone would take
 * minutes to say where thousands of lines differ.
 */
export function differencesOf(
  found: Contents,
  wanted: Contents,
): Readonly<Record<string, { readonly missing: readonly string[]; readonly more: readonly string[] }>> {
  const tables = [...new Set([...tablesOf(found).keys(), ...tablesOf(wanted).keys()])];
  return Object.fromEntries(
    tables.flatMap((table) => {
      const [here, there] = [found, wanted].map((one) => tablesOf(one).get(table) ?? []) as [
        readonly string[],
        readonly string[],
      ];
      if (JSON.stringify(here) === JSON.stringify(there)) return [];
      const [known, due] = [new Set(here), new Set(there)];
      return [
        [
          table,
          {
            missing: there.filter((line) => !known.has(line)).slice(0, TOLD),
            more: here.filter((line) => !due.has(line)).slice(0, TOLD),
          },
        ],
      ];
    }),
  );
}

function tablesOf({ readModels, checkpoints, ...others }: Contents): ReadonlyMap<string, readonly string[]> {
  return new Map([
    ...Object.entries(others),
    ...Object.entries(readModels),
    [
      'checkpoints',
      Object.entries(checkpoints)
        .map(([name, at]) => `${name}: ${at}`)
        .sort(),
    ],
  ]);
}

/** The digest of every file below a folder by its path from there, half-written ones aside. */
export async function filesBelow(folder: string): Promise<Readonly<Record<string, string>>> {
  const files: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.parentPath.includes('~incoming')) continue;
    const file = path.join(entry.parentPath, entry.name);
    files[path.relative(folder, file)] = digestOf(await readFile(file));
  }
  return files;
}

/** What bytes are known by: of two files that differ, `expect` would compare each byte. */
export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

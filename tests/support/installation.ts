import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { READ_MODELS } from '@alpenglow/infra';
import { Client } from 'pg';

/** Data of an installation that must be equal in a restored installation. */
export interface InstallationContents {
  /** Every event as text, in order and without its position. */
  readonly events: readonly string[];
  /** Rows of each read model table as sorted text. */
  readonly readModels: Readonly<Record<string, readonly string[]>>;
  /** Version of each projection, and its position in the event log. */
  readonly checkpoints: Readonly<Record<string, string>>;
  readonly keys: readonly string[];
  readonly views: readonly string[];
}

/** Maximum number of lines that are reported for one table. */
const MAX_REPORTED_LINES = 5;

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

export async function readContents(databaseUrl: string): Promise<InstallationContents> {
  const lines = async (sql: string) => (await query<{ line: string }>(databaseUrl, sql)).map(({ line }) => line);
  const tables = await readTablesOfReadModels(databaseUrl);
  const readModels: Record<string, readonly string[]> = {};
  for (const table of tables.filter(isReadModel))
    readModels[table] = await lines(`select t::text as line from rm.${table} t order by 1`);
  const checkpoints = await query<{ name: string; at: string }>(
    databaseUrl,
    `select name, version || ' at ' || position as at from rm.checkpoints where name not like 're%'`,
  );
  return {
    events: await lines(
      `select concat_ws('|', stream, revision, id, type, version, data::text, meta::text) as line
         from es.events
        order by position`,
    ),
    readModels,
    checkpoints: Object.fromEntries(checkpoints.map(({ name, at }) => [name, at])),
    keys: await lines('select t::text as line from auth.data_keys t order by 1'),
    views: await lines('select t::text as line from stats.ad_views t order by 1'),
  };
}

/**
 * Returns the lines that only one of two installations contains, by table. The result is empty if both installations
 * are equal. Comparing the installations with `expect` would take minutes for thousands of lines.
 */
export function differencesOf(
  actual: InstallationContents,
  expected: InstallationContents,
): Readonly<Record<string, { readonly missing: readonly string[]; readonly more: readonly string[] }>> {
  const tables = [...new Set([...tablesOf(actual).keys(), ...tablesOf(expected).keys()])];
  return Object.fromEntries(
    tables.flatMap((table) => {
      const [actualTable, expectedTable] = [actual, expected].map((one) => tablesOf(one).get(table) ?? []) as [
        readonly string[],
        readonly string[],
      ];
      if (JSON.stringify(actualTable) === JSON.stringify(expectedTable)) return [];
      const [actualLines, expectedLines] = [new Set(actualTable), new Set(expectedTable)];
      return [
        [
          table,
          {
            missing: expectedTable.filter((line) => !actualLines.has(line)).slice(0, MAX_REPORTED_LINES),
            more: actualTable.filter((line) => !expectedLines.has(line)).slice(0, MAX_REPORTED_LINES),
          },
        ],
      ];
    }),
  );
}

function tablesOf({
  readModels,
  checkpoints,
  ...others
}: InstallationContents): ReadonlyMap<string, readonly string[]> {
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

/** Returns the names of all tables in the schema of the read models, in alphabetical order. */
export async function readTablesOfReadModels(databaseUrl: string): Promise<readonly string[]> {
  const rows = await query<{ name: string }>(
    databaseUrl,
    `select tablename as name from pg_tables where schemaname = 'rm' order by 1`,
  );
  return rows.map(({ name }) => name);
}

function isReadModel(table: string): boolean {
  // The name of a table of another version or build has a suffix, e.g. `__v2`.
  return READ_MODELS.some(({ tables }) => tables.includes(table.replace(/__.*/u, '')));
}

/**
 * Runs the SQL of docs/backup.md that deletes the read models after a restore of Postgres alone. Throws if the SQL
 * drops a table that belongs to no read model, because no projection would create it again.
 */
export async function deleteReadModels(databaseUrl: string): Promise<void> {
  const document = await readFile(path.resolve(import.meta.dirname, '../../docs/backup.md'), 'utf8');
  const sql = /```sql\n([\s\S]+?)```/u.exec(document)?.[1];
  if (sql === undefined) throw new Error('docs/backup.md contains no SQL');
  const before = await readTablesOfReadModels(databaseUrl);
  await query(databaseUrl, sql);
  const after = await readTablesOfReadModels(databaseUrl);
  const unknown = before.filter((table) => !after.includes(table) && !isReadModel(table));
  if (unknown.length > 0) throw new Error(`These dropped tables belong to no read model: ${unknown.join(', ')}`);
}

/** Returns the digest of each file below a folder, by its relative path. Skips incomplete uploads. */
export async function digestFilesBelow(folder: string): Promise<Readonly<Record<string, string>>> {
  const files: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.parentPath.includes('~incoming')) continue;
    const file = path.join(entry.parentPath, entry.name);
    files[path.relative(folder, file)] = digestOf(await readFile(file));
  }
  return files;
}

/** Returns a digest of bytes. Digests are compared, because `expect` compares large files slowly. */
export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

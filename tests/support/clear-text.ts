import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Pool } from 'pg';

/** Place and value of an occurrence, e.g. `rm.accounts: Xylophona`. */
export type Occurrence = string;

/**
 * Returns the encodings in which a value can occur: lower-case text, hex and base64. Base64 has three variants, because
 * it depends on the offset of the value.
 */
function encodingsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const base64 = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replaceAll('=', '');
    // The first and last base64 characters depend on adjacent bytes, so they are removed.
    return text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
  });
  return [value.toLowerCase(), bytes.toString('hex'), ...base64.map((text) => text.toLowerCase())];
}

/**
 * Searches all rows of all tables for the given values in any of these encodings. With `schemas`, searches only the
 * tables in these.
 */
export async function findInTables(
  pool: Pool,
  values: readonly string[],
  schemas: readonly string[] | null = null,
): Promise<readonly Occurrence[]> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name
       from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')
        and ($1::text[] is null or table_schema = any($1))`,
    [schemas],
  );
  const found: Occurrence[] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query<{ row: string }>(`select t::text as row from ${name} t`);
    found.push(...findInText(name, rows.map(({ row }) => row).join('\n'), values));
  }
  return found;
}

/** Searches the names and contents of all files below a folder for the given values. */
export async function findInFiles(folder: string, values: readonly string[]): Promise<readonly Occurrence[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: Occurrence[] = [];
  for (const entry of entries.filter((dirent) => dirent.isFile())) {
    const file = path.join(entry.parentPath, entry.name);
    // A running product may remove a file after it was listed.
    const content = await readFile(file, 'latin1').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return '';
    });
    found.push(...findInText(file, `${file}\n${content}`, values));
  }
  return found;
}

export function findInText(where: string, text: string, values: readonly string[]): readonly Occurrence[] {
  const everything = text.toLowerCase();
  return values
    .filter((value) => encodingsOf(value).some((encoding) => everything.includes(encoding)))
    .map((value) => `${where}: ${value}`);
}

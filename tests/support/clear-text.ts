import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Pool } from 'pg';

/** Where a value was found, e.g. `rm.accounts: Xylophona`. */
export type Found = string;

/** In every shape in which a value can turn up: as it is, in any case, in base64 at any of its three places, in hex. */
export function shapesOf(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const base64 = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replaceAll('=', '');
    // The characters at its ends are made of its neighbours, too.
    return text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
  });
  return [value.toLowerCase(), bytes.toString('hex'), ...base64.map((text) => text.toLowerCase())];
}

/** Every table of every schema of ours with every value that stands anywhere in one of its rows. */
export async function foundInTables(pool: Pool, values: readonly string[]): Promise<readonly Found[]> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const found: Found[] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query<{ row: string }>(`select t::text as row from ${name} t`);
    found.push(...foundIn(name, rows.map(({ row }) => row).join('\n'), values));
  }
  return found;
}

/** The same of the files below a folder, with their names. */
export async function foundInFiles(folder: string, values: readonly string[]): Promise<readonly Found[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: Found[] = [];
  for (const entry of entries.filter((one) => one.isFile())) {
    const file = path.join(entry.parentPath, entry.name);
    found.push(...foundIn(file, `${file}\n${(await readFile(file)).toString('latin1')}`, values));
  }
  return found;
}

export function foundIn(where: string, text: string, values: readonly string[]): readonly Found[] {
  const everything = text.toLowerCase();
  return values
    .filter((value) => shapesOf(value).some((shape) => everything.includes(shape)))
    .map((value) => `${where}: ${value}`);
}

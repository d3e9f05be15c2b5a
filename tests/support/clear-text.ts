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

/** Returns the values that the text contains in any of these encodings. Upper and lower case are the same. */
export function findInText(where: string, text: string, values: readonly string[]): readonly Occurrence[] {
  const search = searches.get(values) ?? createSearch(values);
  searches.set(values, search);
  const found = search(text.toLowerCase());
  return values.filter((_value, index) => found.has(index)).map((value) => `${where}: ${value}`);
}

/** Returns the indexes of the values that a text contains. */
type Search = (text: string) => ReadonlySet<number>;

/** The same values are searched in many texts. */
const searches = new WeakMap<readonly string[], Search>();

/** Length of the part of a text whose hash is in an index. */
const WINDOW_chars = 8;
/** Number of bits of the index of a window in the table of all windows. */
const TABLE_bits = 20;
/** Factor of the hash, and its power that removes the first character of a window. */
const FACTOR = 0x01000193;
const FIRST_FACTOR = Array.from({ length: WINDOW_chars - 1 }).reduce<number>((power) => Math.imul(power, FACTOR), 1);

/** A text that stands for a value, and the offset of the part of it by which it is found. */
interface Pattern {
  readonly index: number;
  readonly text: string;
  readonly offset: number;
}

/**
 * Creates a search for many values that reads a text once (Rabin and Karp). Each value is recognized by the window that
 * the fewest other values contain. Mail addresses, for example, have the same end.
 */
function createSearch(values: readonly string[]): Search {
  const texts = values.flatMap((value, index) => encodingsOf(value).map((text) => ({ index, text })));
  const short = texts.filter(({ text }) => text.length < WINDOW_chars);
  const long = texts
    .filter(({ text }) => text.length >= WINDOW_chars)
    .map(({ index, text }) => {
      const last = text.length - WINDOW_chars;
      const parts = [0, last >>> 1, last].map((offset) => ({ offset, hash: hashAt(text, offset) }));
      return { index, text, parts };
    });
  const frequency = new Map<number, number>();
  for (const { parts } of long) for (const { hash } of parts) frequency.set(hash, (frequency.get(hash) ?? 0) + 1);
  const patterns = new Map<number, Pattern[]>();
  // Most windows of a text are in no pattern. This table shows it faster than the map.
  const isUsed = new Uint8Array(1 << TABLE_bits);
  for (const { index, text, parts } of long) {
    const rarest = parts.reduce((a, b) => ((frequency.get(b.hash) ?? 0) < (frequency.get(a.hash) ?? 0) ? b : a));
    const same = patterns.get(rarest.hash) ?? [];
    patterns.set(rarest.hash, same);
    same.push({ index, text, offset: rarest.offset });
    isUsed[rarest.hash >>> (32 - TABLE_bits)] = 1;
  }

  return (text) => {
    const found = new Set(short.filter((pattern) => text.includes(pattern.text)).map(({ index }) => index));
    if (text.length < WINDOW_chars) return found;
    let hash = hashAt(text, 0);
    for (let at = 0; ; at += 1) {
      if (isUsed[hash >>> (32 - TABLE_bits)] === 1)
        for (const pattern of patterns.get(hash) ?? [])
          if (text.startsWith(pattern.text, at - pattern.offset)) found.add(pattern.index);
      if (at + WINDOW_chars >= text.length) return found;
      const rest = hash - Math.imul(text.charCodeAt(at), FIRST_FACTOR);
      hash = (Math.imul(rest, FACTOR) + text.charCodeAt(at + WINDOW_chars)) >>> 0;
    }
  };
}

/** Returns the hash of the window of a text at an offset. */
function hashAt(text: string, offset: number): number {
  let hash = 0;
  for (let at = offset; at < offset + WINDOW_chars; at += 1) hash = Math.imul(hash, FACTOR) + text.charCodeAt(at);
  return hash >>> 0;
}

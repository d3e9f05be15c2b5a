import type { Pool, PoolClient } from '@alpenglow/infra';
import { findKeysToLoad, type KeyedEvent } from '../apply-batch.ts';
import type { Build, Projection, Row } from '../projection.ts';
import { loadRows, saveRows } from '../tables.ts';
import { createTallyCollection } from '../tallies.ts';

const CACHE_LIMIT_bytes = 96 * 1024 * 1024;
const ROW_bytes = 500;
/** The number of rows that are written together. Preparing this number of rows takes a few milliseconds. */
const CHUNK_rows = 250;

/** A cached row. Its fields are changed in place, because a new object for every event makes a rebuild slower. */
interface CachedRow {
  readonly key: string;
  /** The row as stored in the table. Null if the table has no row with this key. */
  stored: Row | null;
  row: Row | null;
  /** True if the columns of `Projection.lazyColumns` are not loaded. */
  isPartial: boolean;
  isChanged: boolean;
}

interface RowCacheOptions {
  /** True if the tables are empty. The cache then reads a row only if it has probably written a row with this key. */
  readonly isEmpty: boolean;
  /** The approximate memory of the cached rows. Above this limit, `isFull` returns true. Default: 96 MB. */
  readonly cacheLimit_bytes?: number;
}

/**
 * Creates an empty cache for the rows of tables that no reader uses yet. Events are applied to the cached rows, so a
 * row that many events change is written only once.
 */
export function createRowCache(
  projection: Projection,
  build: Build,
  { isEmpty, cacheLimit_bytes = CACHE_LIMIT_bytes }: RowCacheOptions,
) {
  const cache = new Map<string, CachedRow>();
  const changed: CachedRow[] = [];
  const omittedColumns = projection.lazyColumns?.columns ?? [];
  /** The keys of the rows in the tables. Null if they are not known. */
  let storedKeys = isEmpty ? createKeyFilter() : null;
  let bytes = 0;

  function addEntry(key: string, stored: Row | null, row: Row | null, isPartial: boolean): CachedRow {
    const entry = { key, stored, row, isPartial, isChanged: false };
    cache.set(key, entry);
    bytes += sizeOf(row);
    return entry;
  }

  /** Returns true if the table may have a row with this key that is not in the cache with all its columns. */
  function mayNeedLoad(key: string): boolean {
    const cached = cache.get(key);
    return cached ? cached.isPartial : (storedKeys?.mayContain(key) ?? true);
  }

  async function loadKeys(pool: Pool, { whole, partial }: ReturnType<typeof findKeysToLoad>): Promise<void> {
    const missingWhole = whole.filter(mayNeedLoad);
    const missingPartial = partial.filter((key) => !cache.has(key) && mayNeedLoad(key));
    if (missingWhole.length + missingPartial.length === 0) return;
    const client = await pool.connect();
    try {
      const tables = { client, projection, build };
      const rows = await loadRows(tables, missingWhole);
      for (const key of missingWhole) {
        const stored = rows.get(key) ?? null;
        const cached = cache.get(key);
        if (!cached) {
          addEntry(key, stored, stored, false);
          continue;
        }
        // Events have changed only columns that were already cached. The cached values therefore replace the stored
        // ones.
        cached.row &&= { ...stored, ...cached.row };
        cached.stored = stored;
        cached.isPartial = false;
      }
      const partialRows = await loadRows(tables, missingPartial, omittedColumns);
      for (const key of missingPartial) {
        const stored = partialRows.get(key) ?? null;
        addEntry(key, stored, stored, omittedColumns.length > 0 && stored !== null);
      }
    } finally {
      client.release();
    }
  }

  function clear(): void {
    cache.clear();
    changed.length = 0;
    bytes = 0;
  }

  return {
    get: (key: string): Row | null => cache.get(key)?.row ?? null,
    set(key: string, row: Row | null): void {
      const entry = cache.get(key) ?? addEntry(key, null, row, false);
      entry.row = row;
      if (entry.isChanged) return;
      entry.isChanged = true;
      changed.push(entry);
    },
    /** Loads the rows that these events change, if they are not cached yet. */
    async load(pool: Pool, handled: readonly KeyedEvent[]): Promise<void> {
      if (storedKeys?.isEmpty() !== true) await loadKeys(pool, findKeysToLoad(projection, handled));
    },
    /** Loads all columns of the rows with these keys, if they are not cached yet. */
    async loadWhole(pool: Pool, keys: readonly string[]): Promise<void> {
      if (storedKeys?.isEmpty() !== true) await loadKeys(pool, { whole: keys, partial: [] });
    },
    isFull: (): boolean => bytes > cacheLimit_bytes,
    /**
     * Writes the changed rows and the changes of the counts of rows. Awaits `yieldToOtherWork` before each chunk of
     * rows. Call `markWritten` after the transaction has been committed.
     */
    async write(client: PoolClient, yieldToOtherWork: () => Promise<unknown>): Promise<void> {
      const counts = createTallyCollection(projection);
      let writing: Promise<void> = Promise.resolve();
      // Removed rows are deleted first, because another row may reuse one of their unique values.
      for (const chunk of [
        ...chunksOf(changed.filter(({ row }) => row === null)),
        ...chunksOf(changed.filter(({ row }) => row !== null)),
      ]) {
        const before = new Map<string, Row>();
        const after = new Map<string, Row | null>();
        for (const { key, stored, row } of chunk) {
          if (stored) before.set(key, stored);
          if (stored || row) after.set(key, row);
        }
        counts.add(before, after);
        // This chunk was prepared while the database wrote the previous chunk. The previous write is awaited only here.
        await yieldToOtherWork();
        await writing;
        writing = saveRows({ client, projection, build }, before, after);
        writing.catch(() => undefined);
      }
      await writing;
      await counts.save(client, build);
    },
    markWritten(): void {
      for (const entry of changed) {
        if (entry.row) storedKeys?.add(entry.key);
        entry.stored = entry.row;
        entry.isChanged = false;
      }
      changed.length = 0;
    },
    /** Removes all rows from the cache. All changes must have been written. */
    clear(): void {
      clear();
    },
    /** The same, if changes were not written, or if rows were written without the cache. */
    reset(): void {
      clear();
      storedKeys = null;
    },
  };
}

const FILTER_bits = 2 ** 25;

/**
 * Creates a Bloom filter of row keys. While tables are filled, most events create a row with a new key. Such a key is
 * not in the filter, so no query is needed to find that the table has no row with it. With a million keys, the filter
 * reports fewer than one in a hundred other keys as contained, and with more keys more of them.
 */
function createKeyFilter() {
  let bits: Uint32Array | null = null;
  return {
    isEmpty: () => bits === null,
    add(key: string): void {
      bits ??= new Uint32Array(FILTER_bits / 32);
      for (const bit of bitsOf(key)) bits[bit >>> 5] = (bits[bit >>> 5] ?? 0) | (1 << (bit & 31));
    },
    /** Returns false if the key was not added. May return true for a key that was not added. */
    mayContain: (key: string): boolean =>
      bits !== null && bitsOf(key).every((bit) => ((bits?.[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0),
  };
}

function bitsOf(key: string): readonly number[] {
  // Two hashes like FNV-1a, with different constants.
  let [a, b] = [0x811c9dc5, 0x050c5d1f];
  for (let at = 0; at < key.length; at += 1) {
    const code = key.charCodeAt(at);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b);
  }
  return [(a ^ (a >>> 15)) & (FILTER_bits - 1), (b ^ (b >>> 13)) & (FILTER_bits - 1)];
}

function* chunksOf<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += CHUNK_rows) yield all.slice(from, from + CHUNK_rows);
}

/**
 * Returns the approximate memory of a row in bytes. Only texts and arrays are measured, because they need most of the
 * memory.
 */
function sizeOf(row: Row | null): number {
  let bytes = ROW_bytes;
  for (const column in row) {
    const value = row[column];
    if (typeof value === 'string') bytes += value.length;
    else if (Array.isArray(value)) bytes += value.length * ROW_bytes;
  }
  return bytes;
}

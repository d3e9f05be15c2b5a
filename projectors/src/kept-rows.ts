import type { Pool, PoolClient } from '@alpenglow/infra';
import { wantedOf, type RowTable, type Touching } from './apply-batch.ts';
import type { Build, Projection, Row } from './projection.ts';
import { loadRows, saveRows } from './tables.ts';
import { collectTallies } from './tallies.ts';

const KEPT_bytes = 96 * 1024 * 1024;
const ROW_bytes = 500;
/** Prepared in a few milliseconds. */
const WRITTEN_AT_ONCE = 100;

/** Changed in place: a rebuild asks this of every event there is. */
interface Kept {
  readonly key: string;
  /** As the table holds it; null where it holds none. */
  stored: Row | null;
  row: Row | null;
  /** Without the columns the projection leaves. */
  isPartial: boolean;
  isChanged: boolean;
}

/** Rows of tables nobody reads yet, kept in memory while events are folded into them, so that a row many events change is written once. */
export interface KeptRows extends RowTable {
  /** Fetches from the table what these events touch and is not kept. */
  load(pool: Pool, touching: readonly Touching[]): Promise<void>;
  isFull(): boolean;
  /** Writes what has changed, with its counts, and awaits `stepBack` between chunks; afterwards `settle` says that it was committed. */
  write(client: PoolClient, stepBack: () => Promise<unknown>): Promise<void>;
  settle(): void;
  /** Forgets every row. What was not written is lost. */
  clear(): void;
}

export interface KeepOptions {
  /** The tables hold no row yet, so that none needs to be looked for until rows have been forgotten. */
  readonly isEmpty: boolean;
  /** About what the rows may take up in memory. */
  readonly kept_bytes?: number;
}

export function keepRows(
  projection: Projection,
  build: Build,
  { isEmpty, kept_bytes = KEPT_bytes }: KeepOptions,
): KeptRows {
  const kept = new Map<string, Kept>();
  const changed: Kept[] = [];
  const left = projection.leaves?.columns ?? [];
  let isWhole = isEmpty;
  let bytes = 0;

  function keep(key: string, stored: Row | null, row: Row | null, isPartial: boolean): Kept {
    const one = { key, stored, row, isPartial, isChanged: false };
    kept.set(key, one);
    bytes += sizeOf(row);
    return one;
  }

  return {
    get: (key) => kept.get(key)?.row ?? null,
    set(key, row) {
      const one = kept.get(key) ?? keep(key, null, row, false);
      one.row = row;
      if (one.isChanged) return;
      one.isChanged = true;
      changed.push(one);
    },
    async load(pool, touching) {
      if (isWhole) return;
      const { whole, partial } = wantedOf(projection, touching);
      const unknown = whole.filter((key) => kept.get(key)?.isPartial !== false);
      const unknownParts = partial.filter((key) => !kept.has(key));
      if (unknown.length + unknownParts.length === 0) return;
      await inOneConnection(pool, async (client) => {
        const rows =
          unknown.length > 0 ? await loadRows(client, projection, build, unknown, []) : new Map<string, Row>();
        for (const key of unknown) {
          const stored = rows.get(key) ?? null;
          const known = kept.get(key);
          if (!known) {
            keep(key, stored, stored, false);
            continue;
          }
          // What was left in the table is as it was; of the rest, memory knows better.
          known.row &&= { ...stored, ...known.row };
          known.stored = stored;
          known.isPartial = false;
        }
        const parts =
          unknownParts.length > 0
            ? await loadRows(client, projection, build, unknownParts, left)
            : new Map<string, Row>();
        for (const key of unknownParts) {
          const stored = parts.get(key) ?? null;
          keep(key, stored, stored, left.length > 0 && stored !== null);
        }
      });
    },
    isFull: () => bytes > kept_bytes,
    async write(client, stepBack) {
      const counts = collectTallies(projection);
      let writing: Promise<void> = Promise.resolve();
      // Removed ones go first: another row may have what must be unique of theirs.
      for (const some of [
        ...chunksOf(changed.filter(({ row }) => row === null)),
        ...chunksOf(changed.filter(({ row }) => row !== null)),
      ]) {
        const before = new Map<string, Row>();
        const after = new Map<string, Row | null>();
        for (const { key, stored, row } of some) {
          if (stored) before.set(key, stored);
          if (stored || row) after.set(key, row);
        }
        await counts.add(client, projection, build, before, after);
        // While the database writes one chunk, the next is prepared.
        await stepBack();
        await writing;
        writing = saveRows(client, projection, build, before, after);
        writing.catch(() => undefined);
      }
      await writing;
      await counts.save(client, build);
    },
    settle() {
      for (const one of changed) {
        one.stored = one.row;
        one.isChanged = false;
      }
      changed.length = 0;
    },
    clear() {
      kept.clear();
      changed.length = 0;
      bytes = 0;
      isWhole = false;
    },
  };
}

async function inOneConnection(pool: Pool, work: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await work(client);
  } finally {
    client.release();
  }
}

function* chunksOf<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += WRITTEN_AT_ONCE) yield all.slice(from, from + WRITTEN_AT_ONCE);
}

/** About what a row takes up: nearly all of it are its texts. */
function sizeOf(row: Row | null): number {
  let bytes = ROW_bytes;
  for (const column in row) {
    const value = row[column];
    if (typeof value === 'string') bytes += value.length;
    else if (Array.isArray(value)) bytes += value.length * ROW_bytes;
  }
  return bytes;
}

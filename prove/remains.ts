import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { RecordedEvent } from '@alpenglow/domain';
import { createFileBlobStore, createSealedBlobs, type DataKeys, type Pool } from '@alpenglow/infra';
import { findInFiles, findInTables, findInText, type Occurrence } from '../tests/support/clear-text.ts';

export interface Places {
  readonly pool: Pool;
  /** The keys that remain after the erasures. */
  readonly keys: DataKeys;
  /** The log, decrypted with these keys. */
  readonly log: readonly RecordedEvent[];
  /** Folder of the product with its files and blobs. */
  readonly dataDir: string;
  readonly logFile: string;
}

/**
 * Searches everything that the product stores for texts of erased people: tables, files, the service log, events and
 * blobs. Events and blobs are decrypted with the remaining keys.
 */
export async function findRemains(
  texts: readonly string[],
  { pool, keys, log, dataDir, logFile }: Places,
): Promise<readonly Occurrence[]> {
  return [
    ...(await findInTables(pool, texts)),
    ...(await findInFiles(dataDir, texts)),
    ...findInText('service log', await readFile(logFile, 'latin1'), texts),
    ...findInEvents(log, texts),
    ...(await findInSealedBlobs(path.join(dataDir, 'blobs'), keys, texts)),
  ];
}

/** Searches decrypted events. */
export function findInEvents(log: readonly RecordedEvent[], texts: readonly string[]): readonly Occurrence[] {
  const all = log.map((event) => JSON.stringify(event));
  const found = findInText('events', all.join('\n'), texts);
  // Usually nothing is found. Only otherwise, each event is searched to find out which one it is.
  if (found.length === 0) return [];
  return log.flatMap(({ type, id }, index) => findInText(`${type} ${id}`, all[index] ?? '', texts));
}

/** Searches the encrypted blobs whose keys remain. `findInFiles` searches all others. */
export async function findInSealedBlobs(
  folder: string,
  dataKeys: DataKeys,
  texts: readonly string[],
): Promise<readonly Occurrence[]> {
  const sealed = createSealedBlobs({ blobs: await createFileBlobStore({ root: folder }), dataKeys });
  const found: Occurrence[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const key = path.relative(folder, path.join(entry.parentPath, entry.name));
    // A blob without encryption cannot be decrypted.
    const bytes = await sealed.get(key).catch(() => null);
    if (bytes) found.push(...findInText(`blob ${key}`, bytes.toString('latin1'), texts));
  }
  return found;
}

/** The schemas of the jobs that have not finished, and of the queue in Postgres. */
const JOB_SCHEMAS = ['jobs', 'bullmq'];

/**
 * Searches the names of blobs and the rows of jobs for ids of erased people and of their photos. Unlike texts, these
 * ids may remain elsewhere, e.g. in events.
 */
export async function findLeftovers(
  ids: readonly string[],
  { pool, dataDir }: Pick<Places, 'pool' | 'dataDir'>,
): Promise<readonly Occurrence[]> {
  const blobs = await readdir(path.join(dataDir, 'blobs'), { recursive: true });
  return [...findInText('names of blobs', blobs.join('\n'), ids), ...(await findInTables(pool, ids, JOB_SCHEMAS))];
}

import { stat } from 'node:fs/promises';
import type { KnownImages } from '@alpenglow/domain';
import { ConfigurationError } from '../../config.ts';
import type { Logger } from '../../logger.ts';
import { HashListFault, readHashList, type HashList } from './hash-list.ts';

/** A list that has changed is read again no later than at the first picture after this time. */
const CHECK_EVERY_ms = 60_000;

export interface ListedImagesOptions {
  readonly log: Logger;
  /** Unix time in ms; the clock's unless told. */
  readonly now?: () => number;
}

/** Where the operator has no list: no picture is known. */
export const noKnownImages: KnownImages = { isKnown: () => Promise.resolve(false) };

/**
 * Knows the pictures of a list in a file (`readHashList`), and those that look the same. A list that has changed is read again; one that has become faulty is
 * warned of once, without its contents, and the last good one holds. Throws `ConfigurationError` when the first one is faulty.
 */
export async function openListedImages(
  file: string,
  { log, now = Date.now }: ListedImagesOptions,
): Promise<KnownImages> {
  let version = await versionOf(file);
  let list = await readHashList(file).catch((error: unknown): HashList => {
    throw error instanceof HashListFault
      ? new ConfigurationError(`IMAGE_HASH_LIST: ${error.message}`, { cause: error })
      : error;
  });
  let checkedAt_ms = now();
  let checking: Promise<void> | null = null;

  async function check(): Promise<void> {
    const found = await versionOf(file);
    if (found === version) return;
    // Noted before it is read: what is written meanwhile is another version.
    version = found;
    try {
      list = await readHashList(file);
      log.info({ hashes: list.size }, 'the list of known images was read again');
    } catch (error) {
      if (!(error instanceof HashListFault)) throw error;
      log.warn({ fault: error.message }, 'the list of known images is faulty, the one before holds');
    }
  }

  return {
    async isKnown(hash) {
      if (checking === null && now() - checkedAt_ms >= CHECK_EVERY_ms) {
        checkedAt_ms = now();
        checking = check().finally(() => (checking = null));
      }
      await checking;
      return list.has(hash);
    },
  };
}

/** Another one for another content of the file; null while it cannot be found. */
async function versionOf(file: string): Promise<string | null> {
  const found = await stat(file).catch(() => null);
  return found && `${found.ino} ${found.size} ${found.mtimeMs}`;
}

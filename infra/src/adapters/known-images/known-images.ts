import { stat } from 'node:fs/promises';
import type { KnownImageChecker } from '@alpenglow/domain';
import { ConfigurationError } from '../../service/config.ts';
import type { Logger } from '../../service/logger.ts';
import { HashListError, readHashList, type HashList } from './hash-list.ts';

/**
 * The minimum time between two checks whether the list file has changed. The check runs when an image is compared with
 * the list.
 */
const CHECK_INTERVAL_ms = 60_000;

export interface ImageHashListOptions {
  readonly log: Logger;
  /** Returns the current Unix time in ms. Defaults to the system clock. */
  readonly now?: () => number;
}

/** A checker for installations without a list of known images. Its result is that no image is known. */
export const noKnownImages: KnownImageChecker = { isKnown: () => Promise.resolve(false) };

/**
 * Opens a list of known images from a file of image hashes. An image that is only similar to a listed image also counts
 * as known. The file is read again when it changes. If its new content is invalid, the error is logged once, and the
 * last valid list remains in use. Throws `ConfigurationError` if the content is invalid at the first read.
 */
export async function openImageHashList(
  file: string,
  { log, now = Date.now }: ImageHashListOptions,
): Promise<KnownImageChecker> {
  let version = await versionOf(file);
  let list = await readHashList(file).catch((error: unknown): HashList => {
    throw error instanceof HashListError
      ? new ConfigurationError(`IMAGE_HASH_LIST: ${error.message}`, { cause: error })
      : error;
  });
  let checkedAt_ms = now();
  let checking: Promise<void> | null = null;

  async function check(): Promise<void> {
    const current = await versionOf(file);
    if (current === version) return;
    // The version is stored before the file is read. If the file changes during the read, the next check therefore
    // reads the file again.
    version = current;
    try {
      list = await readHashList(file);
      log.info({ hashes: list.size }, 'list of known images reloaded');
    } catch (error) {
      if (!(error instanceof HashListError)) throw error;
      log.warn({ fault: error.message }, 'list of known images is invalid, the previous one stays in use');
    }
  }

  return {
    async isKnown(hash) {
      if (checking === null && now() - checkedAt_ms >= CHECK_INTERVAL_ms) {
        checkedAt_ms = now();
        checking = check().finally(() => (checking = null));
      }
      await checking;
      return list.has(hash);
    },
  };
}

/** Returns a text that changes whenever the file changes. Returns null if there is no file. */
async function versionOf(file: string): Promise<string | null> {
  const stats = await stat(file).catch(() => null);
  return stats && `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
}

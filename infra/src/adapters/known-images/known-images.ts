import { stat } from 'node:fs/promises';
import type { HashWords } from '@alpenglow/domain';
import { ConfigurationError } from '../../service/config.ts';
import type { Logger } from '../../service/logger.ts';
import { HashListError, readHashList } from './hash-list.ts';
import type { PictureIndex } from './picture-index.ts';

/**
 * The minimum time between two checks whether the list file has changed. The check runs when an image is compared with
 * the list, or when its version is read.
 */
const CHECK_INTERVAL_ms = 60_000;

export interface ImageHashListOptions {
  readonly log: Logger;
  /** Returns the current Unix time in ms. Defaults to the system clock. */
  readonly now?: () => number;
}

/** The operator's list of known images. */
export interface ImageHashList {
  /** Checks whether one of the searched hashes of an image is similar to a hash of the list. */
  isKnown(searched: readonly HashWords[]): Promise<boolean>;
  /** Returns a text that changes with the content of the list. Null without a list. */
  readVersion(): Promise<string | null>;
}

/** The list of installations without a list of known images. It contains no image. */
export const noImageHashList: ImageHashList = {
  isKnown: () => Promise.resolve(false),
  readVersion: () => Promise.resolve(null),
};

/**
 * Opens a list of known images from a file of image hashes. An image that is only similar to a listed image also counts
 * as known. The file is read again when it changes. If its new content is invalid, the error is logged once, and the
 * last valid list remains in use. Throws `ConfigurationError` if the content is invalid at the first read.
 */
export async function openImageHashList(
  file: string,
  { log, now = Date.now }: ImageHashListOptions,
): Promise<ImageHashList> {
  let version = await versionOf(file);
  let list = await readHashList(file).catch((error: unknown): PictureIndex => {
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

  async function readCurrent(): Promise<PictureIndex> {
    if (checking === null && now() - checkedAt_ms >= CHECK_INTERVAL_ms) {
      checkedAt_ms = now();
      checking = check().finally(() => (checking = null));
    }
    await checking;
    return list;
  }

  return {
    isKnown: async (searched) => (await readCurrent()).find(searched) !== null,
    readVersion: async () => (await readCurrent()).digest,
  };
}

/** Returns a text that changes whenever the file changes. Returns null if there is no file. */
async function versionOf(file: string): Promise<string | null> {
  const stats = await stat(file).catch(() => null);
  return stats && `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
}

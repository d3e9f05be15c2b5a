import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  BlobNotFound,
  isTakingDown,
  media,
  moderationCase,
  PHOTO_VARIANT_NAMES,
  photoBlobKeys,
  takePictureOfCaseDown,
  toCaseId,
  videoBlobKeys,
  type BlobStore,
  type CommandHandler,
  type CommandOrigin,
} from '@alpenglow/domain';
import { createEvidenceReader, type StoredMedia } from '../security/media-evidence.ts';
import type { DataKeys } from '../security/personal-data.ts';

export interface StoredFileDependencies {
  readonly blobs: BlobStore;
  readonly dataKeys: DataKeys;
}

/** Returns the SHA-256 digest of bytes in hexadecimal digits. */
export const digestOfBytes = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Returns the SHA-256 digest of a stream in hexadecimal digits. Rejects with the reason of `signal` if it aborts. */
export async function digestOfStream(bytes: Readable, signal: AbortSignal): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of bytes as AsyncIterable<Uint8Array>) {
    signal.throwIfAborted();
    digest.update(chunk);
  }
  return digest.digest('hex');
}

/**
 * Returns the digests of the files of a photo or video that visitors load, also if they are sealed as evidence. Missing
 * files are omitted.
 */
export async function digestsOfStoredFiles(
  deps: StoredFileDependencies,
  { mediaId, kind }: StoredMedia,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const reader = createEvidenceReader(deps);
  const variants = PHOTO_VARIANT_NAMES.map((name) => photoBlobKeys.variant(mediaId, name));
  const digests: string[] = [];
  for (const key of kind === 'photo' ? variants : [videoBlobKeys.playable(mediaId)]) {
    try {
      digests.push(await digestOfStream((await reader.read(key)).bytes, signal));
    } catch (error) {
      if (!(error instanceof BlobNotFound)) throw error;
    }
  }
  return digests;
}

/**
 * Adds the digests of the stored files of a photo or video that a moderator has taken down, because visitors may have
 * saved one of these files. Does nothing if its case does not take it down. Idempotent.
 */
export async function addStoredDigests(
  deps: StoredFileDependencies & { readonly commands: CommandHandler },
  mediaId: string,
  origin: CommandOrigin,
  signal: AbortSignal,
): Promise<void> {
  const { commands } = deps;
  const caseId = toCaseId({ kind: 'media', id: mediaId });
  const { state } = await commands.load(moderationCase, caseId);
  if (state === null || !isTakingDown(state)) return;
  const { state: file } = await commands.load(media, mediaId);
  if (file === null) return;
  await takePictureOfCaseDown(commands, caseId, origin, await digestsOfStoredFiles(deps, file, signal));
}

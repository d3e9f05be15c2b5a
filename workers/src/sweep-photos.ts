import { listing, media, photoBlobs, removeMedia, type BlobStore } from '@alpenglow/domain';
import type { CommandHandler, PhotoDirectory } from '@alpenglow/infra';
import { giveUpPhoto } from './give-up-photo.ts';

/** Longer than any upload takes, so that one still arriving is left alone. */
const MIN_ORIGINAL_AGE_ms = 60 * 60_000;
/** Longer than anybody takes over a form whose photos are uploaded already, and than any job is retried. */
const MIN_PHOTO_AGE_ms = 24 * 60 * 60_000;

export interface SweepDependencies {
  readonly blobs: BlobStore;
  readonly commands: CommandHandler;
  readonly photos: PhotoDirectory;
}

export interface Swept {
  /** Photos rejected because no verdict was ever reached. */
  readonly givenUp: number;
  /** Photos removed because no ad shows them. */
  readonly removed: number;
  /** Originals removed. */
  readonly originals: number;
}

/**
 * Removes what nobody needs of photos: those no verdict was reached on within a day, those no ad shows, and left-over originals. Rejects
 * when `signal` aborts. Done by several processes at once it removes no more than by one.
 */
export async function sweepPhotos(deps: SweepDependencies, now_ms: number, signal: AbortSignal): Promise<Swept> {
  const before = new Date(now_ms - MIN_PHOTO_AGE_ms);
  const unjudged = await deps.photos.unjudged(before);
  for (const { mediaId } of unjudged) {
    signal.throwIfAborted();
    await giveUpPhoto(deps, mediaId);
  }
  const removed = await removeUnused(deps, before, signal);
  return { givenUp: unjudged.length, removed, originals: await sweepOriginals(deps, now_ms, signal) };
}

/** The bytes go first: should the process end in between, the photo is still found as unused and finished with. */
async function removeUnused({ blobs, commands, photos }: SweepDependencies, before: Date, signal: AbortSignal): Promise<number> {
  let removed = 0;
  for (const { mediaId, ownerId } of await photos.unused(before)) {
    signal.throwIfAborted();
    const { state } = await commands.load(listing, ownerId);
    if (state.ad?.photos.includes(mediaId)) continue;
    await blobs.remove(photoBlobs.variants(mediaId));
    await commands.handle(media, mediaId, removeMedia, { actor: { kind: 'system', name: 'sweep-photos' }, correlationId: mediaId });
    removed += 1;
  }
  return removed;
}

/** Originals of uploads whose process was killed before their event was written, and of photos that have their verdict. */
async function sweepOriginals({ blobs, commands }: SweepDependencies, now_ms: number, signal: AbortSignal): Promise<number> {
  const folder = photoBlobs.original('');
  let removed = 0;
  for await (const { key, modifiedAt_ms } of blobs.list(folder)) {
    signal.throwIfAborted();
    if (now_ms - modifiedAt_ms < MIN_ORIGINAL_AGE_ms) continue;
    const { state } = await commands.load(media, key.slice(folder.length));
    if (state?.status === 'processing') continue;
    await blobs.remove(key);
    removed += 1;
  }
  return removed;
}

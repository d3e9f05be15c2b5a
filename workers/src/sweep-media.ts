import { listing, media, originalBlob, person, removeMedia, shownBlobs, type BlobStore } from '@alpenglow/domain';
import type { CommandHandler, EvidenceDirectory, MediaDirectory } from '@alpenglow/infra';
import { giveUpMedia } from './give-up-media.ts';

/** Longer than any upload takes, so that one still arriving is left alone. */
const MIN_ORIGINAL_AGE_ms = 60 * 60_000;
/** Longer than anybody takes over a form whose photos and video are uploaded already, and than any job is retried. */
const MIN_MEDIA_AGE_ms = 24 * 60 * 60_000;

export interface SweepDependencies {
  readonly blobs: BlobStore;
  readonly commands: CommandHandler;
  readonly directory: MediaDirectory;
  readonly evidence: EvidenceDirectory;
}

export interface Swept {
  /** Photos and videos rejected because no verdict was ever reached. */
  readonly givenUp: number;
  /** Photos and videos removed because neither an ad nor an article shows them. */
  readonly removed: number;
  /** Originals removed. */
  readonly originals: number;
}

/**
 * Removes what nobody needs of photos and videos: those no verdict was reached on within a day, those neither an ad nor an article shows, and left-over originals. Rejects
 * when `signal` aborts. Done by several processes at once it removes no more than by one.
 */
export async function sweepMedia(deps: SweepDependencies, now_ms: number, signal: AbortSignal): Promise<Swept> {
  const before = new Date(now_ms - MIN_MEDIA_AGE_ms);
  const unjudged = await deps.directory.unjudged(before);
  for (const { mediaId } of unjudged) {
    signal.throwIfAborted();
    await giveUpMedia(deps, mediaId);
  }
  const removed = await removeUnused(deps, now_ms, before, signal);
  return { givenUp: unjudged.length, removed, originals: await sweepOriginals(deps, now_ms, signal) };
}

/**
 * The bytes go first: should the process end in between, it is still found as unused and finished with. Ads are asked once more, off their events;
 * articles are not, whose read model is never behind by the day a photo is left alone.
 */
async function removeUnused(
  { blobs, commands, directory, evidence }: SweepDependencies,
  now_ms: number,
  before: Date,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0;
  for (const { mediaId, ownerId, kind } of await directory.unused(before)) {
    signal.throwIfAborted();
    // What a court or an authority asks for is kept, wanted or not.
    if ((await commands.load(person, ownerId)).state.heldSince !== null) continue;
    const { state } = await commands.load(listing, ownerId);
    if (state.ad?.photos.includes(mediaId) || state.ad?.video === mediaId) continue;
    // What a case may still be decided by stays until the case is final.
    if (await evidence.isNeeded(ownerId, new Date(now_ms))) continue;
    await blobs.remove(shownBlobs[kind](mediaId));
    await commands.handle(media, mediaId, removeMedia, {
      actor: { kind: 'system', name: 'sweep-media' },
      correlationId: mediaId,
    });
    removed += 1;
  }
  return removed;
}

/** Originals of uploads whose process was killed before their event was written, and of files that have their verdict. */
async function sweepOriginals(
  { blobs, commands }: SweepDependencies,
  now_ms: number,
  signal: AbortSignal,
): Promise<number> {
  const folder = originalBlob('');
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

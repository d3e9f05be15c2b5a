import { listing, media, originalBlobKey, person, publicBlobKeys } from '@alpenglow/domain';
import { removeMedia } from '@alpenglow/domain/deciders';
import type { Dependencies } from './dependencies.ts';
import { rejectFailedMedia } from './reject-failed-media.ts';
import { systemOrigin } from './system-origin.ts';

/** Minimum age of the uploaded original files that are removed. The upload of a younger file may still be running. */
const MIN_ORIGINAL_AGE_ms = 60 * 60_000;
/**
 * Minimum age of the unused photos and videos that are removed. Younger ones may belong to a form that is still open,
 * or their job may be retried.
 */
const MIN_MEDIA_AGE_ms = 24 * 60 * 60_000;

type SweepMediaDependencies = Dependencies<'blobs' | 'commands' | 'mediaDirectory' | 'evidence'>;

/**
 * Removes photos and videos that were not processed within a day, or that no ad and no article uses. Also removes
 * uploaded original files that are not needed anymore. Returns the numbers of removed files. Rejects if `signal`
 * aborts. Several processes may run this function at the same time.
 */
export async function sweepMedia(deps: SweepMediaDependencies, now_ms: number, signal: AbortSignal) {
  const before = new Date(now_ms - MIN_MEDIA_AGE_ms);
  const unjudged = await deps.mediaDirectory.findUnprocessed(before);
  for (const { mediaId } of unjudged) {
    signal.throwIfAborted();
    await rejectFailedMedia(deps, mediaId);
  }
  const removed = await removeUnused(deps, now_ms, before, signal);
  return {
    /** The number of photos and videos that were rejected because their jobs did not finish. */
    givenUp: unjudged.length,
    /** The number of photos and videos that were removed because neither an ad nor an article uses them. */
    removed,
    /** The number of uploaded original files that were removed. */
    originals: await sweepOriginals(deps, now_ms, signal),
  };
}

/**
 * Removes photos and videos that no ad and no article uses. The bytes are removed before the event is written, so the
 * next run completes an interrupted removal. The read model lists the unused files. The ads are then checked again by
 * their events. Articles are not checked again, because the read model never lags by `MIN_MEDIA_AGE_ms`.
 */
async function removeUnused(
  { blobs, commands, mediaDirectory, evidence }: SweepMediaDependencies,
  now_ms: number,
  before: Date,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0;
  for (const { mediaId, ownerId, kind } of await mediaDirectory.findUnused(before)) {
    signal.throwIfAborted();
    // The photos and videos of an account under a legal hold are not removed.
    if ((await commands.load(person, ownerId)).state.heldSince !== null) continue;
    const { state } = await commands.load(listing, ownerId);
    if (state.ad?.photos.includes(mediaId) || state.ad?.video === mediaId) continue;
    // Photos and videos that are evidence in a moderation case are not removed until the case is final.
    if (await evidence.isNeeded(ownerId, new Date(now_ms))) continue;
    await blobs.remove(publicBlobKeys[kind](mediaId));
    await commands.execute(media, mediaId, removeMedia, {}, systemOrigin('sweep-media', mediaId));
    removed += 1;
  }
  return removed;
}

/**
 * Removes uploaded original files that are not needed. Either the upload was interrupted before its event was written,
 * or the file is already ready, rejected or removed.
 */
async function sweepOriginals(
  { blobs, commands }: SweepMediaDependencies,
  now_ms: number,
  signal: AbortSignal,
): Promise<number> {
  const folder = originalBlobKey('');
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

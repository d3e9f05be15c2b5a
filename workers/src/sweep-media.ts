import {
  listing,
  media,
  originalBlobKey,
  PARTIAL_UPLOAD_LIFETIME_ms,
  partialUploadKeys,
  publicBlobKeys,
  toCaseId,
  settleCase,
} from '@alpenglow/domain';
import { removeMedia } from '@alpenglow/domain/deciders';
import { createMediaEvidence } from '@alpenglow/infra';
import { attemptEach, attemptParts } from './attempt-each.ts';
import type { Dependencies } from './dependencies.ts';
import { rejectFailedMedia } from './reject-failed-media.ts';
import { isHeld, withMediaFiles } from './seal-media.ts';
import { systemOrigin } from './system-origin.ts';

/** Minimum age of the uploaded original files that are removed. The upload of a younger file may still be running. */
const MIN_ORIGINAL_AGE_ms = 60 * 60_000;
/**
 * Minimum age of the unused photos and videos that are removed. Younger ones may belong to a form that is still open,
 * or their job may be retried.
 */
const MIN_MEDIA_AGE_ms = 24 * 60 * 60_000;

const TASK = 'sweep-media';

type SweepMediaDependencies = Dependencies<
  'pool' | 'blobs' | 'dataKeys' | 'commands' | 'mediaDirectory' | 'evidence' | 'log'
>;

/**
 * Removes photos and videos that were not processed within a day, or that no ad and no article uses. Also removes
 * uploaded original files that are not needed anymore, and uploads that are not complete after a day. Returns the
 * numbers of removed files. Restores ads that an earlier version hid because of a decision about one file. A file that
 * fails does not stop the others. The promise then rejects with `ItemsFailed` at the end. Rejects at once if `signal`
 * aborts. Several processes may run this function at the same time.
 */
export async function sweepMedia(deps: SweepMediaDependencies, now_ms: number, signal: AbortSignal) {
  const before = new Date(now_ms - MIN_MEDIA_AGE_ms);
  const { log } = deps;
  const counts = {
    /** The number of photos and videos that were rejected because their jobs did not finish. */
    givenUp: 0,
    /** The number of photos and videos that were removed because neither an ad nor an article uses them. */
    removed: 0,
    /** The number of uploaded original files that were removed. */
    originals: 0,
    /** The number of files of incomplete uploads that were removed. */
    partial: 0,
  };
  await attemptParts(
    {
      unprocessed: () => rejectUnprocessed(deps, before, signal, () => (counts.givenUp += 1)),
      unused: () => removeUnused(deps, now_ms, before, signal, () => (counts.removed += 1)),
      originals: () => sweepOriginals(deps, now_ms, signal, () => (counts.originals += 1)),
      partial: () => sweepPartialUploads(deps, now_ms, signal, () => (counts.partial += 1)),
      ads: () => restoreAdsWithoutFiles(deps, signal),
    },
    { task: TASK, log, signal },
  );
  return counts;
}

/** Rejects photos and videos whose jobs did not finish. Calls `onRejected` after each of them. */
async function rejectUnprocessed(
  deps: SweepMediaDependencies,
  before: Date,
  signal: AbortSignal,
  onRejected: () => void,
): Promise<void> {
  await attemptEach(
    await deps.mediaDirectory.findUnprocessed(before),
    async ({ mediaId }) => {
      await rejectFailedMedia(deps, mediaId);
      onRejected();
    },
    { task: TASK, nameOf: ({ mediaId }) => mediaId, log: deps.log, signal },
  );
}

/**
 * Removes photos and videos that no ad and no article uses. Under a legal hold of their owner, their files are sealed
 * as evidence instead. The bytes are removed before the event is written, so the next run completes an
 * interrupted removal. The read model lists the unused files. The ads are then checked again by their events. Articles
 * are not checked again, because the read model never lags by `MIN_MEDIA_AGE_ms`. Calls `onRemoved` after each file.
 */
async function removeUnused(
  deps: SweepMediaDependencies,
  now_ms: number,
  before: Date,
  signal: AbortSignal,
  onRemoved: () => void,
): Promise<void> {
  const { blobs, commands, mediaDirectory, evidence } = deps;
  const sealed = createMediaEvidence(deps);
  type Unused = Awaited<ReturnType<typeof mediaDirectory.findUnused>>[number];
  const removeIfUnused = async ({ mediaId, ownerId, kind }: Unused): Promise<void> => {
    const { state } = await commands.load(listing, ownerId);
    if (state.ad?.photos.includes(mediaId) || state.ad?.video === mediaId) return;
    // Photos and videos that are evidence in a moderation case are not removed until the case is final.
    if (await evidence.isNeeded(ownerId, new Date(now_ms))) return;
    const remove = async () => {
      if (await isHeld(deps, { ownerId })) {
        await sealed.seal({ mediaId, kind }, signal);
      } else {
        await blobs.remove(publicBlobKeys[kind](mediaId));
        await sealed.remove({ mediaId, kind });
      }
      await commands.execute(media, mediaId, removeMedia, {}, systemOrigin('sweep-media', mediaId));
    };
    if (await withMediaFiles(deps, mediaId, remove, signal)) onRemoved();
  };
  await attemptEach(await mediaDirectory.findUnused(before), removeIfUnused, {
    task: TASK,
    nameOf: ({ mediaId }) => mediaId,
    log: deps.log,
    signal,
  });
}

/**
 * Removes uploaded original files that are not needed. Either the upload was interrupted before its event was written,
 * or the file is already ready, rejected or removed. Calls `onRemoved` after each file.
 */
async function sweepOriginals(
  { blobs, commands, log }: SweepMediaDependencies,
  now_ms: number,
  signal: AbortSignal,
  onRemoved: () => void,
): Promise<void> {
  const folder = originalBlobKey('');
  await attemptEach(
    blobs.list(folder),
    async ({ key, modifiedAt_ms }) => {
      if (now_ms - modifiedAt_ms < MIN_ORIGINAL_AGE_ms) return;
      const { state } = await commands.load(media, key.slice(folder.length));
      if (state?.status === 'processing') return;
      await blobs.remove(key);
      onRemoved();
    },
    { task: TASK, nameOf: ({ key }) => key, log, signal },
  );
}

/**
 * Restores ads without the photo or video that a moderator has hidden or removed. Earlier versions hid the
 * whole ad.
 */
async function restoreAdsWithoutFiles(
  { mediaDirectory, commands, log }: SweepMediaDependencies,
  signal: AbortSignal,
): Promise<void> {
  await attemptEach(
    await mediaDirectory.findDecidedInHiddenAds(),
    (mediaId) => settleCase(commands, toCaseId({ kind: 'media', id: mediaId }), systemOrigin(TASK, mediaId)),
    { task: TASK, nameOf: (mediaId) => mediaId, log, signal },
  );
}

/** Removes the files of uploads that are not complete after a day. Calls `onRemoved` after each file. */
async function sweepPartialUploads(
  { blobs, log }: SweepMediaDependencies,
  now_ms: number,
  signal: AbortSignal,
  onRemoved: () => void,
): Promise<void> {
  await attemptEach(
    blobs.list(partialUploadKeys.everything),
    async ({ key, modifiedAt_ms }) => {
      if (now_ms - modifiedAt_ms < PARTIAL_UPLOAD_LIFETIME_ms) return;
      await blobs.remove(key);
      onRemoved();
    },
    { task: TASK, nameOf: ({ key }) => key, log, signal },
  );
}

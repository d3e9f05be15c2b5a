import { media, originalBlobKey, preservedBlobKey, publicBlobKeys } from '@alpenglow/domain';
import { rejectMedia } from '@alpenglow/domain/deciders';
import type { Dependencies } from './dependencies.ts';
import { systemOrigin } from './system-origin.ts';

/**
 * Rejects a photo or video whose job has failed permanently, and removes its bytes. The error code is
 * `PHOTO_NOT_USABLE` for a known illegal picture, `UPLOAD_BROKEN_OFF` for a file that is missing, and
 * `FILE_NOT_READABLE` for all other files. The state of a file that
 * is already ready or rejected does not change. The uploaded original file is removed last, because a periodic task
 * repeats the work while this file exists. If the blob store does not respond, the function rejects without changes,
 * because the job may still succeed later.
 */
export async function rejectFailedMedia(
  { blobs, commands }: Dependencies<'blobs' | 'commands'>,
  mediaId: string,
): Promise<void> {
  const original = await blobs.getInfo(originalBlobKey(mediaId));
  // If the picture was preserved for the authorities, it is a known illegal picture. The job may have ended before it
  // recorded the rejection.
  const isPreserved = (await blobs.getInfo(preservedBlobKey(mediaId))) !== null;
  const code = isPreserved ? 'PHOTO_NOT_USABLE' : original ? 'FILE_NOT_READABLE' : 'UPLOAD_BROKEN_OFF';
  const { state } = await commands.handle(
    media,
    mediaId,
    (known, context) => (known ? rejectMedia({ code }, known, context) : []),
    systemOrigin('give-up-media', mediaId),
  );
  if (state && state.status !== 'ready') await blobs.remove(publicBlobKeys[state.kind](mediaId));
  await blobs.remove(originalBlobKey(mediaId));
}

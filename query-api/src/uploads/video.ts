import { DomainError, media, MEDIA_ID, videoBlobs } from '@alpenglow/domain';
import { Router } from 'express';
import type { UploadedFileDependencies } from './photos.ts';
import { findBlob, sendBlob } from './send-blob.ts';

/** A player takes a video as fast as it plays it, and pauses in between; one that was cut off goes on with a range. */
const MAX_SENDING_ms = 600_000;
/** A video is what somebody handed in, byte for byte: opened as a page, it can neither run nor load anything. */
const HARMLESS = {
  'Content-Disposition': 'inline',
  'Content-Security-Policy': "sandbox; default-src 'none'; media-src 'self'",
};

/**
 * Videos at `/<media id>`, to be mounted at `/uploads/video`, with ranges, so that a player can seek. Only one that has passed
 * the worker is there (product decisions, "Media").
 */
export function videoRoutes({ blobs, commands }: UploadedFileDependencies): Router {
  const router = Router();
  router.get('/:mediaId', async (req, res) => {
    const { mediaId } = req.params;
    if (!MEDIA_ID.test(mediaId)) throw new DomainError('NOT_FOUND');
    const { state } = await commands.load(media, mediaId);
    if (state?.kind !== 'video' || state.status !== 'ready') throw new DomainError('NOT_FOUND');
    const key = videoBlobs.playable(mediaId);
    const found = await findBlob(blobs, key, req);
    if (!found) throw new DomainError('NOT_FOUND');
    await sendBlob(
      blobs,
      {
        key,
        found,
        tag: `${mediaId}-${found.sizeBytes}`,
        contentType: state.contentType,
        maxSending_ms: MAX_SENDING_ms,
        headers: HARMLESS,
      },
      req,
      res,
    );
  });
  return router;
}

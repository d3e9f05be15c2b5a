import { DomainError, media, videoBlobKeys } from '@alpenglow/domain';
import type { RequestHandler } from 'express';
import type { UploadedFileDependencies } from './photos.ts';
import { findBlob, sendBlob } from './send-blob.ts';

/**
 * Maximum duration of a transfer. Players load a video slowly while they play it, and a disconnected player continues
 * with a range request.
 */
const MAX_SENDING_ms = 600_000;
/** Headers that forbid scripts and other files, because the bytes of a video come from a user. */
const SANDBOX_HEADERS = {
  'Content-Disposition': 'inline',
  'Content-Security-Policy': "sandbox; default-src 'none'; media-src 'self'",
};

/**
 * Serves a video and supports ranges, so that players can seek. Only videos that the worker has accepted are
 * served.
 */
export function createVideoHandler({
  blobs,
  commands,
  guard,
  evidence,
}: UploadedFileDependencies): RequestHandler<{ mediaId: string }> {
  return async (req, res) => {
    const { mediaId } = req.params;
    const { cacheControl, isStaff } = await guard(req);
    const source = isStaff ? evidence : blobs;
    const { state } = await commands.load(media, mediaId);
    if (state?.kind !== 'video' || state.status !== 'ready') throw new DomainError('NOT_FOUND');
    const key = videoBlobKeys.playable(mediaId);
    const found = await findBlob(source, key, req);
    if (!found) throw new DomainError('NOT_FOUND');
    await sendBlob(
      source,
      {
        key,
        blob: found,
        tag: `${mediaId}-${found.sizeBytes}`,
        contentType: state.contentType,
        maxSending_ms: MAX_SENDING_ms,
        cacheControl,
        headers: SANDBOX_HEADERS,
      },
      req,
      res,
    );
  };
}

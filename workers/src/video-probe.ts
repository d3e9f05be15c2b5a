import { createReadStream } from 'node:fs';
import {
  MAX_VIDEO_s,
  recordVideoProbe,
  rejectMedia,
  videoBlobs,
  type BlobStore,
  type JobHandler,
  type RejectionCode,
} from '@alpenglow/domain';
import { clearMetadata } from './clear-metadata.ts';
import { judgeMedia, type JudgeDependencies, type Verdict } from './judge-media.ts';
import { withLocalCopy } from './local-copy.ts';
import { NotAVideo, probeVideo } from './probe-video.ts';

/** Cameras and containers count whole frames and blocks of sound: a video cut to 20 s is a little longer. */
const TOLERANCE_s = 0.25;
/** Those whose metadata we know how to clear. */
const CLEARED: ReadonlySet<string> = new Set(['video/mp4', 'video/quicktime']);

const rejected =
  (code: RejectionCode): Verdict =>
  (state) =>
    rejectMedia({ code }, state);

/**
 * Probes an uploaded video, clears from it where it was made, and says that it can be played; or rejects what is no video, or longer
 * than 20 s (product decisions, "Media").
 */
export function videoProbeJob(deps: JudgeDependencies): JobHandler<'video-probe'> {
  const { blobs } = deps;
  return judgeMedia(deps, {
    kind: 'video',
    name: 'video-probe',
    async judge({ mediaId, contentType }, signal) {
      const judge = (key: string) =>
        withLocalCopy(blobs, key, signal, (file) => judgeFile(blobs, { mediaId, contentType, file }, signal));
      // With the original gone, a video is as good as what visitors get: whole, or lost.
      return (
        (await judge(videoBlobs.original(mediaId))) ??
        (await judge(videoBlobs.playable(mediaId))) ??
        rejected('UPLOAD_BROKEN_OFF')
      );
    },
  });
}

async function judgeFile(
  blobs: BlobStore,
  { mediaId, contentType, file }: { mediaId: string; contentType: string; file: string },
  signal: AbortSignal,
): Promise<Verdict> {
  try {
    const facts = await probeVideo(file, contentType, signal);
    if (facts.duration_s > MAX_VIDEO_s + TOLERANCE_s) return rejected('VIDEO_TOO_LONG');
    if (CLEARED.has(contentType)) await clearMetadata(file);
    const { sizeBytes } = await blobs.put(videoBlobs.playable(mediaId), createReadStream(file));
    return (state) => recordVideoProbe({ ...facts, sizeBytes }, state);
  } catch (error) {
    if (error instanceof NotAVideo) return rejected('NOT_A_VIDEO');
    throw error;
  }
}

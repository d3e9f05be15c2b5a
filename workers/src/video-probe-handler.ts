import { createReadStream } from 'node:fs';
import { MAX_VIDEO_s, videoBlobKeys, type BlobStore, type JobHandler } from '@alpenglow/domain';
import { recordVideoProbe } from '@alpenglow/domain/deciders';
import { clearMetadata } from './clear-metadata.ts';
import { createUploadHandler, rejection, type UploadCheckDependencies, type UploadDecision } from './upload-handler.ts';
import { withLocalCopy } from './local-copy.ts';
import { NotAVideo, probeVideo } from './probe-video.ts';

/**
 * Tolerance for a video that was cut to 20 s. The video may be slightly longer, because it contains only whole frames
 * and audio blocks.
 */
const TOLERANCE_s = 0.25;
/** The content types of videos whose metadata can be cleared. */
const CLEARABLE: ReadonlySet<string> = new Set(['video/mp4', 'video/quicktime']);

/**
 * Creates the handler of the job that checks an uploaded video, clears its metadata and records that the video can be
 * played. A file that is not a video or is longer than 20 s is rejected.
 */
export function createVideoProbeHandler(deps: UploadCheckDependencies): JobHandler<'video-probe'> {
  const { blobs } = deps;
  return createUploadHandler(deps, {
    kind: 'video',
    name: 'video-probe',
    async check({ mediaId, contentType }, signal) {
      const judge = (key: string) =>
        withLocalCopy(blobs, key, signal, (file) => judgeFile(blobs, { mediaId, contentType, file }, signal));
      // If the uploaded original file is missing, the playable file is checked instead.
      return (
        (await judge(videoBlobKeys.original(mediaId))) ??
        (await judge(videoBlobKeys.playable(mediaId))) ??
        rejection('UPLOAD_BROKEN_OFF')
      );
    },
  });
}

async function judgeFile(
  blobs: BlobStore,
  { mediaId, contentType, file }: { mediaId: string; contentType: string; file: string },
  signal: AbortSignal,
): Promise<UploadDecision> {
  try {
    const facts = await probeVideo(file, contentType, signal);
    if (facts.duration_s > MAX_VIDEO_s + TOLERANCE_s) return rejection('VIDEO_TOO_LONG');
    if (CLEARABLE.has(contentType)) await clearMetadata(file);
    const { sizeBytes } = await blobs.put(videoBlobKeys.playable(mediaId), createReadStream(file));
    return (state, context) => recordVideoProbe({ ...facts, sizeBytes }, state, context);
  } catch (error) {
    if (error instanceof NotAVideo) return rejection('NOT_A_VIDEO');
    throw error;
  }
}

import { createReadStream } from 'node:fs';
import { MAX_VIDEO_s, videoBlobKeys, type JobHandler, type KnownImageChecker } from '@alpenglow/domain';
import { recordVideoProbe } from '@alpenglow/domain/deciders';
import { cleanVideo, digestOfStream, UnusableFile, type Decoder } from '@alpenglow/infra';
import { createUploadHandler, rejection, type UploadCheckDependencies, type UploadDecision } from './upload-handler.ts';
import { withLocalCopy } from './local-copy.ts';

/**
 * Tolerance for a video that was cut to 20 s. The video may be slightly longer, because it contains only whole frames
 * and audio blocks.
 */
const TOLERANCE_s = 0.25;

export interface VideoProbeDependencies extends UploadCheckDependencies {
  readonly decoder: Decoder;
  readonly knownImages: KnownImageChecker;
}

/**
 * Creates the handler of the job that checks an uploaded video, stores a copy with only its pictures and its sound, and
 * records that the video can be played. A file that is not a video, has an unknown codec or is longer than 20 s is
 * rejected. A copy of a video that was taken down is rejected or hidden.
 */
export function createVideoProbeHandler(deps: VideoProbeDependencies): JobHandler<'video-probe'> {
  const { blobs } = deps;
  return createUploadHandler(deps, {
    kind: 'video',
    name: 'video-probe',
    async check({ mediaId, contentType }, signal) {
      const judge = (key: string) =>
        withLocalCopy(blobs, key, signal, (file) => judgeFile(deps, { mediaId, contentType, file }, signal));
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
  { blobs, decoder, knownImages }: VideoProbeDependencies,
  { mediaId, contentType, file }: { mediaId: string; contentType: string; file: string },
  signal: AbortSignal,
): Promise<UploadDecision> {
  try {
    const { digest, ...probe } = await cleanVideo(
      decoder,
      { file, contentType, max_s: MAX_VIDEO_s + TOLERANCE_s, signal },
      (bytes) => blobs.put(videoBlobKeys.playable(mediaId), bytes),
    );
    const digests = [await digestOfStream(createReadStream(file), signal), digest];
    // The file is not public before its event. If it is rejected, the caller removes it.
    if ((await knownImages.check({ mediaId, searched: [], digests })) !== 'allowed')
      return rejection('VIDEO_WAS_REMOVED');
    return (state, context) => recordVideoProbe({ ...probe, digests }, state, context);
  } catch (error) {
    if (error instanceof UnusableFile) return rejection(error.code);
    throw error;
  }
}

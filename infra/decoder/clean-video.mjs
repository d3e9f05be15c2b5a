// @ts-check
/** Checks a video of unknown origin and removes its metadata. */
import { remuxAvi } from './avi.mjs';
import { probeVideo } from './probe-video.mjs';
import { RejectedFile, rejecting } from './rejected-file.mjs';
import { remux } from './remux.mjs';

/**
 * Writes the pictures and the sound of a video to a new file of the same type and measures the new file. ffprobe reads
 * only the new file, because it is written in a memory-unsafe language.
 * @param {string} from  the path of the original
 * @param {string} to    the path of the new file
 * @param {{ contentType: string, max_s: number }} options  `max_s` is the longest accepted duration in seconds
 * @returns {Promise<import('./probe-video.mjs').VideoProperties>}
 * @throws {RejectedFile} NOT_A_VIDEO, VIDEO_NOT_SUPPORTED or VIDEO_TOO_LONG
 */
export async function cleanVideo(from, to, { contentType, max_s }) {
  await rejecting('NOT_A_VIDEO', async () =>
    contentType === 'video/x-msvideo' ? remuxAvi(from, to, { max_s }) : remux(from, to, { contentType, max_s }),
  );
  const properties = await probeVideo(to, contentType);
  if (properties.duration_s > max_s) throw new RejectedFile('VIDEO_TOO_LONG', `${properties.duration_s} s`);
  return properties;
}

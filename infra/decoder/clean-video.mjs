// @ts-check
/** Checks a video of unknown origin and removes its metadata and everything that is not shown. */
import { createHash } from 'node:crypto';
import { remuxAvi } from './avi.mjs';
import { probeVideo } from './probe-video.mjs';
import { RejectedFile, rejecting } from './rejected-file.mjs';
import { remux } from './remux.mjs';

/**
 * Writes the pictures and the sound that players show to a new file of the same type and measures the new file. ffprobe
 * reads only the new file, because it is written in a memory-unsafe language. `shortened_s` is the part of the shown
 * pictures in seconds that is not in the new file, because a player could not start there (decision 0096). `digest` is
 * the SHA-256 of the encoded pictures, which other metadata, sound and containers do not change.
 * @param {string} from  the path of the original
 * @param {string} to    the path of the new file
 * @param {{ contentType: string, max_s: number }} options  `max_s` is the longest accepted duration in seconds
 * @returns {Promise<import('./probe-video.mjs').VideoProperties & { shortened_s: number, digest: string }>}
 * @throws {RejectedFile} NOT_A_VIDEO, VIDEO_DAMAGED, VIDEO_NOT_SUPPORTED, VIDEO_TOO_LONG or VIDEO_TRIMMED
 */
export async function cleanVideo(from, to, { contentType, max_s }) {
  const pictures = createHash('sha256');
  const onPicture = (/** @type {Uint8Array} */ data) => void pictures.update(`${data.length} `).update(data);
  const shortened_s = await rejecting('VIDEO_DAMAGED', async () => {
    if (contentType !== 'video/x-msvideo') return remux(from, to, { contentType, max_s, onPicture });
    // An AVI has no edit list, so players show all of it.
    remuxAvi(from, to, { max_s, onPicture });
    return 0;
  });
  const properties = await probeVideo(to, contentType);
  if (properties.duration_s > max_s) throw new RejectedFile('VIDEO_TOO_LONG', `${properties.duration_s} s`);
  return { ...properties, shortened_s, digest: pictures.digest('hex') };
}

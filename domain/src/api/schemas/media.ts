import * as z from 'zod/mini';
import { registerResponseSchema, registerView } from '../component.ts';
import { count, described, registerSuccess, timestamp } from './common.ts';

const status = z.enum(['processing', 'ready', 'rejected']);
const hold = described(
  z.nullable(z.enum(['hidden', 'removed'])),
  'Moderation has hidden or removed the file. Null otherwise, and in responses to others than the owner.',
);
const reason = described(z.nullable(z.string()), 'The reason of the rejection for the owner, or null.');

/** One photo of an ad. The URLs of all its variants, including `url`, have the form `<base>/<width>.<format>`. */
export const photoView = registerView('PhotoView', {
  id: z.string(),
  url: described(
    z.string(),
    'The largest JPEG. The other variants are next to it: 320, 640 and 1600 pixels wide, as avif, webp and jpg.',
  ),
  status,
  reason,
  hold,
  width: described(count, 'Width of the largest variant in pixels, 0 until ready.'),
  height: described(count, 'Height of the largest variant in pixels, 0 until ready.'),
  blur: described(z.nullable(z.string()), 'A tiny `data:` picture as a placeholder. Null until ready.'),
});

/** The video of an ad. */
export const videoView = registerView('VideoView', {
  id: z.string(),
  url: described(z.string(), 'The address of the video, which supports ranges.'),
  status,
  reason,
  hold,
  width: described(count, 'Width in pixels, 0 until ready.'),
  height: described(count, 'Height in pixels, 0 until ready.'),
  duration: described(z.number().check(z.nonnegative()), 'Duration in seconds, 0 until ready.'),
  contentType: z.nullable(z.string()),
  shortenedBy: described(
    z.number().check(z.nonnegative()),
    'Missing seconds of the upload. A trimmed video can begin only at certain places. For others than the owner: 0.',
  ),
});

export const mediaAccessResponse = registerSuccess('MediaAccess', {
  access: described(
    z.nullable(z.string()),
    'The value of the query parameter `access` of the file. Null if the file is public and needs none.',
  ),
  expiresAt: described(z.nullable(timestamp), 'The time after which `access` is no longer valid.'),
});

export const photoUploadResponse = registerSuccess('UploadAnswer', {
  urls: z.array(z.string()),
  media: z.array(photoView),
});

export const videoUploadResponse = registerSuccess('VideoUploadAnswer', { url: z.string(), media: videoView });

/** The response of `uploadPhotos` or `uploadVideo`, for the one file of a resumable upload. */
export const finishedUploadResponse = registerResponseSchema(
  'FinishedUploadAnswer',
  z.union([photoUploadResponse, videoUploadResponse]),
);

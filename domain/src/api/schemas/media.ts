import * as z from 'zod/mini';
import { count, done, said } from './common.ts';

const status = z.enum(['processing', 'ready', 'rejected']);
const reason = said(z.nullable(z.string()), 'Why it was rejected, in words for its owner; null otherwise.');

/** One photo of an ad. Its other variants stand beside `url`, at `<base>/<width>.<format>`. */
export const photoView = z.object({
  id: z.string(),
  url: said(
    z.string(),
    'The largest JPEG. The other variants stand beside it: 320, 640 and 1600 pixels wide, as avif, webp and jpg.',
  ),
  status,
  reason,
  width: said(count, 'Pixels of the largest variant, 0 until ready.'),
  height: said(count, 'Pixels of the largest variant, 0 until ready.'),
  blur: said(z.nullable(z.string()), 'A tiny `data:` picture to show while loading; null until ready.'),
});

/** The video of an ad. */
export const videoView = z.object({
  id: z.string(),
  url: said(z.string(), 'Where it is played from, with ranges.'),
  status,
  reason,
  width: said(count, 'Pixels, 0 until ready.'),
  height: said(count, 'Pixels, 0 until ready.'),
  duration: said(z.number().check(z.nonnegative()), 'Seconds, 0 until ready.'),
  contentType: z.nullable(z.string()),
});

export const photoUploadAnswer = z.object({ success: done, urls: z.array(z.string()), media: z.array(photoView) });

export const videoUploadAnswer = z.object({ success: done, url: z.string(), media: videoView });

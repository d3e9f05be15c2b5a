import * as z from 'zod/mini';
import { defineEvent, type EventOf } from '../event-definition.ts';
import { HOUSE_OWNER } from './fields.ts';

const ids = { mediaId: z.string(), ownerId: z.string() };

/** The original has arrived whole; variants are still to be made. */
export const MediaUploaded = defineEvent('MediaUploaded', {
  version: 1,
  schema: z.object({
    ...ids,
    kind: z.enum(['photo', 'video']),
    sizeBytes: z.number(),
    /** As the bytes say, not as the client said. */
    contentType: z.string(),
  }),
});

/** The photo can be shown. Pixels are those of the largest variant, upright. */
export const PhotoVariantsMade = defineEvent('PhotoVariantsMade', {
  version: 2,
  schema: z.object({
    ...ids,
    width: z.number(),
    height: z.number(),
    /** A `data:` picture of at most 1 KB to show while loading; null once its owner is erased. */
    blur: z.nullable(z.string()),
    /** What the photo looks like, in 16 hexadecimal digits: one that looks the same has the same. Null once its owner is erased, and of photos made before it was kept. */
    hash: z.nullable(z.string()),
    variants: z.array(z.object({ name: z.string(), sizeBytes: z.number() })),
  }),
  // The blur is a (tiny) picture of what the photo shows, and the hash finds it again: both go when its owner is erased.
  personal: { blur: null, hash: null },
  subjectOf: (data: { ownerId: string }) => (data.ownerId === HOUSE_OWNER ? null : data.ownerId),
  upcasts: { 1: (data) => ({ hash: null, ...(data as object) }) },
});

/** The video can be played. */
export const VideoProbed = defineEvent('VideoProbed', {
  version: 1,
  schema: z.object({
    ...ids,
    duration_s: z.number(),
    /** Pixels, upright. */
    width: z.number(),
    height: z.number(),
    /** As ffprobe names it, e.g. `h264`. */
    codec: z.string(),
    contentType: z.string(),
    sizeBytes: z.number(),
  }),
});

/** The file cannot be shown. `reason` is what its owner was told. */
export const MediaRejected = defineEvent('MediaRejected', {
  version: 1,
  schema: z.object({ ...ids, code: z.string(), reason: z.string() }),
});

export const MediaRemoved = defineEvent('MediaRemoved', { version: 1, schema: z.object(ids) });

export const mediaEvents = [MediaUploaded, PhotoVariantsMade, VideoProbed, MediaRejected, MediaRemoved] as const;
export type MediaEvent = EventOf<(typeof mediaEvents)[number]>;

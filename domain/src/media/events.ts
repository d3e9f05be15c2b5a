import * as z from 'zod/mini';
import { defineEvent, type EventFromDefinition } from '../event-definition.ts';
import { internal } from '../event-policies.ts';
import { STOCK_OWNER_ID } from './fields.ts';

const ids = { mediaId: z.string(), ownerId: z.string() };
/**
 * The exact digests of the file (`picture-digest.ts`). Missing for files of earlier versions, and after an erasure of
 * the owner's data, because a digest can identify the file.
 */
const digests = z.optional(z.array(z.string()));
const ownerOf = ({ ownerId }: { ownerId: string }) => (ownerId === STOCK_OWNER_ID ? null : ownerId);

export const mediaEvents = [
  /** A photo or video was uploaded completely. A background job has not checked the file yet, so it cannot be shown. */
  defineEvent('MediaUploaded', {
    version: 1,
    ...internal,
    schema: z.object({
      ...ids,
      kind: z.enum(['photo', 'video']),
      sizeBytes: z.number(),
      /** The content type, detected from the bytes of the file. The type in the request is ignored. */
      contentType: z.string(),
    }),
  }),
  /**
   * The resized variants of a photo were created, so the photo can be shown. `width` and `height` are those of the
   * largest variant, after rotation.
   */
  defineEvent('PhotoVariantsMade', {
    version: 2,
    schema: z.object({
      ...ids,
      width: z.number(),
      height: z.number(),
      /** A blurred preview as a `data:` URL of at most 1 KB. Null after an erasure of the owner's data. */
      blur: z.nullable(z.string()),
      /**
       * The perceptual hash of the photo (`picture-hash.ts`). Photos that look alike have similar hashes. Photos of
       * earlier versions have no hash, or one of 16 digits, which is of another kind and not used. Null after an
       * erasure of the owner's data.
       */
      hash: z.nullable(z.string()),
      digests,
      variants: z.array(z.object({ name: z.string(), sizeBytes: z.number() })),
    }),
    // The blurred preview is a tiny version of the photo, and the hash can identify the photo. An erasure of the
    // owner's data therefore removes the preview, the hash and the digests.
    personalFields: { blur: null, hash: null, digests: undefined },
    secretFields: [],
    moderationLog: 'never',
    disclosedTo: 'subject',
    getSubjectId: ownerOf,
    upcasters: { 1: (data) => ({ hash: null, ...(data as object) }) },
  }),
  /** The hash of a photo was computed that was uploaded before the product computed such hashes. */
  defineEvent('PhotoHashed', {
    version: 1,
    schema: z.object({ ...ids, hash: z.nullable(z.string()) }),
    personalFields: { hash: null },
    secretFields: [],
    moderationLog: 'never',
    disclosedTo: 'subject',
    getSubjectId: ownerOf,
  }),
  /** A video was checked and can be played. */
  defineEvent('VideoProbed', {
    version: 2,
    ...internal,
    schema: z.object({
      ...ids,
      duration_s: z.number(),
      /** Width of the video in pixels, after rotation. */
      width: z.number(),
      height: z.number(),
      /** The codec name from ffprobe, e.g. `h264`. */
      codec: z.string(),
      contentType: z.string(),
      sizeBytes: z.number(),
      /**
       * Seconds that players show of the upload, but that are missing in the video. A trimmed video begins at the first
       * key picture that is shown. 0 for videos that were checked before edit lists were followed.
       */
      shortened_s: z.number(),
      digests,
    }),
    personalFields: { digests: undefined },
    getSubjectId: ownerOf,
    upcasters: { 1: (data) => ({ shortened_s: 0, ...(data as object) }) },
  }),
  /** A photo or video was rejected, because it cannot be shown. `reason` is the message for its owner. */
  defineEvent('MediaRejected', {
    version: 1,
    ...internal,
    schema: z.object({ ...ids, code: z.string(), reason: z.string() }),
  }),
  defineEvent('MediaRemoved', { version: 1, ...internal, schema: z.object(ids) }),
] as const;
export type MediaEvent = EventFromDefinition<(typeof mediaEvents)[number]>;

import { comparableHash, storedKeysOf } from '@alpenglow/domain';
import { declaredReadModel } from '@alpenglow/infra';
import { defineProjection, type RowOf } from '../projection.ts';

const columns = {
  media_id: 'text primary key',
  owner_id: 'text not null',
  kind: 'text not null',
  uploaded_at: 'timestamptz not null',
  /** The id of the `MediaUploaded` event. The job that processes the upload has the same id. */
  upload_event_id: 'text not null',
  status: 'text not null',
  reason: 'text',
  width: 'integer not null',
  height: 'integer not null',
  blur: 'text',
  /**
   * The perceptual hash of a photo. Photos that look alike have similar hashes. Null if the hash is unknown, and for
   * videos.
   */
  hash: 'text',
  /** The keys of the hash, by which similar photos are found (`storedKeysOf`). */
  hash_keys: 'jsonb not null',
  /** The exact digests of the uploaded file (`picture-digest.ts`). Empty if they are unknown. */
  digests: 'jsonb not null',
  /** The duration of a video in seconds. 0 for a video that is not ready, and for a photo. */
  duration_s: 'double precision not null',
  /**
   * The content type of the video file that visitors receive. Null until the video is ready. Always null for a photo,
   * because its variants have several types.
   */
  content_type: 'text',
  /** Seconds that players show of an uploaded video, but that are missing in the video. 0 for a photo. */
  shortened_s: 'double precision not null',
} as const;

/** The state of each uploaded photo and video. */
export const mediaItems = defineProjection<
  RowOf<
    typeof columns,
    {
      readonly kind: 'photo' | 'video';
      readonly status: 'processing' | 'ready' | 'rejected';
      readonly hash_keys: readonly string[];
      readonly digests: readonly string[];
    }
  >
>({
  ...declaredReadModel('media_items'),
  columns,
  indexes: (table) => [
    `create index on ${table} (owner_id)`,
    `create index on ${table} using gin (hash_keys jsonb_ops)`,
    `create index on ${table} using gin (digests jsonb_ops)`,
    `create index on ${table} (media_id) where status = 'processing'`,
    `create index on ${table} (media_id) where hash is null and kind = 'photo' and status = 'ready'`,
  ],
  keyOf: (event) => ('mediaId' in event.data ? event.data.mediaId : null),
  on: {
    MediaUploaded: ({ id, data, meta }) => ({
      media_id: data.mediaId,
      owner_id: data.ownerId,
      kind: data.kind,
      uploaded_at: meta.at,
      upload_event_id: id,
      status: 'processing',
      reason: null,
      width: 0,
      height: 0,
      blur: null,
      hash: null,
      hash_keys: [],
      digests: [],
      duration_s: 0,
      content_type: null,
      shortened_s: 0,
    }),
    PhotoVariantsMade: ({ data }, row) =>
      row && {
        ...row,
        status: 'ready',
        width: data.width,
        height: data.height,
        blur: data.blur,
        ...hashed(data.hash),
        digests: data.digests ?? [],
      },
    PhotoHashed: ({ data }, row) => row && { ...row, ...hashed(data.hash) },
    VideoProbed: ({ data }, row) =>
      row && {
        ...row,
        status: 'ready',
        width: data.width,
        height: data.height,
        duration_s: data.duration_s,
        content_type: data.contentType,
        shortened_s: data.shortened_s,
        digests: data.digests ?? [],
      },
    MediaRejected: ({ data }, row) =>
      row && { ...row, status: 'rejected', reason: data.reason, ...hashed(null), digests: [] },
    MediaRemoved: () => null,
  },
});

function hashed(hash: string | null) {
  const comparable = comparableHash(hash);
  return { hash: comparable, hash_keys: storedKeysOf(comparable) };
}

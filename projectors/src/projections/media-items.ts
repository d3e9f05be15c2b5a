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
   * The perceptual hash of a photo. Similar photos have similar hashes. Null if the hash is unknown, and for videos.
   */
  hash: 'text',
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
  RowOf<typeof columns, { readonly kind: 'photo' | 'video'; readonly status: 'processing' | 'ready' | 'rejected' }>
>({
  ...declaredReadModel('media_items'),
  columns,
  indexes: (table) => [
    `create index on ${table} (owner_id)`,
    // These indexes find similar photos, whose hashes differ in at most three bits. Two such hashes have at least one
    // quarter in common, so each index contains one quarter of the hash.
    ...[1, 5, 9, 13].map((from) => `create index on ${table} (substr(hash, ${from}, 4)) where hash is not null`),
    `create index on ${table} (media_id) where status = 'processing'`,
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
      duration_s: 0,
      content_type: null,
      shortened_s: 0,
    }),
    PhotoVariantsMade: ({ data }, row) =>
      row && { ...row, status: 'ready', width: data.width, height: data.height, blur: data.blur, hash: data.hash },
    VideoProbed: ({ data }, row) =>
      row && {
        ...row,
        status: 'ready',
        width: data.width,
        height: data.height,
        duration_s: data.duration_s,
        content_type: data.contentType,
        shortened_s: data.shortened_s,
      },
    MediaRejected: ({ data }, row) => row && { ...row, status: 'rejected', reason: data.reason },
    MediaRemoved: () => null,
  },
});

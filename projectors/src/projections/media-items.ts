import { defineProjection } from '../projection.ts';

/** The state of each photo and video, joined to the ads that show it. */
export type MediaItemRow = {
  readonly media_id: string;
  readonly owner_id: string;
  readonly kind: 'photo' | 'video';
  readonly uploaded_at: string;
  /** The id of the event that says so, and of the job that follows from it. */
  readonly upload_event_id: string;
  readonly status: 'processing' | 'ready' | 'rejected';
  readonly reason: string | null;
  readonly width: number;
  readonly height: number;
  readonly blur: string | null;
  /** What a photo looks like; null of a video, and where nobody knows. */
  readonly hash: string | null;
  /** Of a video, 0 until ready. */
  readonly duration_s: number;
  /** Of what visitors get; null of a photo, which has several, and until ready. */
  readonly content_type: string | null;
};

export const mediaItems = defineProjection<MediaItemRow>({
  name: 'media_items',
  version: 4,
  columns: {
    media_id: 'text primary key',
    owner_id: 'text not null',
    kind: 'text not null',
    uploaded_at: 'timestamptz not null',
    upload_event_id: 'text not null',
    status: 'text not null',
    reason: 'text',
    width: 'integer not null',
    height: 'integer not null',
    blur: 'text',
    hash: 'text',
    duration_s: 'double precision not null',
    content_type: 'text',
  },
  indexes: (table) => [
    `create index on ${table} (owner_id)`,
    // Of two hashes that differ in at most three bits, one of four quarters is the same.
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
      },
    MediaRejected: ({ data }, row) => row && { ...row, status: 'rejected', reason: data.reason },
    MediaRemoved: () => null,
  },
});

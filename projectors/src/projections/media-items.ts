import { comparableHash, storedKeysOf } from '@alpenglow/domain';
import { MEDIA_ITEMS } from '@alpenglow/infra';
import { defineProjection } from '../projection.ts';

export const mediaItems = defineProjection(MEDIA_ITEMS)({
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

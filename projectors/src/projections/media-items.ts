import { defineProjection } from '../projection.ts';

/** The state of each photo, joined to the ads that show it. */
export type MediaItemRow = {
  readonly media_id: string;
  readonly owner_id: string;
  readonly status: 'processing' | 'ready' | 'rejected';
  readonly reason: string | null;
  readonly width: number;
  readonly height: number;
  readonly blur: string | null;
};

export const mediaItems = defineProjection<MediaItemRow>({
  name: 'media_items',
  version: 1,
  columns: {
    media_id: 'text primary key',
    owner_id: 'text not null',
    status: 'text not null',
    reason: 'text',
    width: 'integer not null',
    height: 'integer not null',
    blur: 'text',
  },
  indexes: (table) => [`create index on ${table} (owner_id)`],
  keyOf: (event) => ('mediaId' in event.data ? event.data.mediaId : null),
  on: {
    MediaUploaded: ({ data }) => ({
      media_id: data.mediaId,
      owner_id: data.ownerId,
      status: 'processing',
      reason: null,
      width: 0,
      height: 0,
      blur: null,
    }),
    PhotoVariantsMade: ({ data }, row) => row && { ...row, status: 'ready', width: data.width, height: data.height, blur: data.blur },
    MediaRejected: ({ data }, row) => row && { ...row, status: 'rejected', reason: data.reason },
    MediaRemoved: () => null,
  },
});

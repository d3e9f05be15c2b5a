import { storedKeysOf, uniteDigests } from '@alpenglow/domain';
import { TAKEN_DOWN_PICTURES } from '@alpenglow/infra';
import { defineProjection } from '../projection.ts';

export const takenDownPictures = defineProjection(TAKEN_DOWN_PICTURES)({
  indexes: (table) => [
    `create index on ${table} using gin (hash_keys jsonb_ops)`,
    `create index on ${table} using gin (digests jsonb_ops)`,
    `create index on ${table} (taken_down_at, picture_id)`,
  ],
  keyOf: ({ data }) => ('pictureId' in data ? data.pictureId : null),
  on: {
    PictureTakenDown: ({ data: { pictureId, reference, hash, digests }, meta }, row) => {
      const all = uniteDigests(row?.digests, digests);
      return {
        picture_id: pictureId,
        refs: [...new Set([...(row?.refs ?? []), reference])],
        taken_down_at: row && all.length === row.digests.length ? row.taken_down_at : meta.at,
        hash,
        hash_keys: storedKeysOf(hash),
        digests: all,
      };
    },
    PictureReleased: ({ data }, row) => {
      const refs = row?.refs.filter((known) => known !== data.reference) ?? [];
      return row && refs.length > 0 ? { ...row, refs } : null;
    },
  },
});

import { storedKeysOf, uniteDigests } from '@alpenglow/domain';
import { declaredReadModel } from '@alpenglow/infra';
import { defineProjection, type RowOf } from '../projection.ts';

const columns = {
  picture_id: 'text primary key',
  /** The cases and requests that take the picture down. */
  refs: 'jsonb not null',
  /** The time since which at least one of them does, or when it got its last digest: its copies are searched then. */
  taken_down_at: 'timestamptz not null',
  hash: 'text not null',
  /** The keys of the hash, by which similar pictures are found (`storedKeysOf`). */
  hash_keys: 'jsonb not null',
  /** The exact digests of its files. */
  digests: 'jsonb not null',
} as const;

/** The pictures and videos of which no copy may be published. */
export const takenDownPictures = defineProjection<
  RowOf<
    typeof columns,
    { readonly refs: readonly string[]; readonly hash_keys: readonly string[]; readonly digests: readonly string[] }
  >
>({
  ...declaredReadModel('taken_down_pictures'),
  columns,
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

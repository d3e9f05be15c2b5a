import { storedKeysOf } from '@alpenglow/domain';
import { declaredReadModel } from '@alpenglow/infra';
import { defineProjection, type RowOf } from '../projection.ts';

const columns = {
  check_id: 'text primary key',
  account_id: 'text not null',
  /** The perceptual hashes of the pictures. Empty for checks of earlier versions. */
  hashes: 'jsonb not null',
  /** The keys of all hashes, by which similar pictures are found (`storedKeysOf`). */
  hash_keys: 'jsonb not null',
} as const;

/** The identity checks whose pictures are stored, with the hashes of these pictures. */
export const identityPictures = defineProjection<
  RowOf<typeof columns, { readonly hashes: readonly string[]; readonly hash_keys: readonly string[] }>
>({
  ...declaredReadModel('identity_pictures'),
  columns,
  indexes: (table) => [`create index on ${table} using gin (hash_keys jsonb_ops)`],
  keyOf: ({ data }) => ('checkId' in data ? data.checkId : null),
  on: {
    IdentityCheckRequested: ({ data: { checkId, accountId, hashes = [] } }) => ({
      check_id: checkId,
      account_id: accountId,
      hashes,
      hash_keys: [...new Set(hashes.flatMap(storedKeysOf))],
    }),
    IdentityEvidenceDestroyed: () => null,
  },
});

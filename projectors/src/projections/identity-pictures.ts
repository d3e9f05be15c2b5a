import { storedKeysOf } from '@alpenglow/domain';
import { IDENTITY_PICTURES } from '@alpenglow/infra';
import { defineProjection } from '../projection.ts';

export const identityPictures = defineProjection(IDENTITY_PICTURES)({
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

import { IDENTITY_CHECKS } from '@alpenglow/infra';
import { defineProjection } from '../projection.ts';

export const identityChecks = defineProjection(IDENTITY_CHECKS)({
  indexes: (table) => [
    `create index on ${table} (requested_at desc, account_id desc)`,
    `create index on ${table} (check_id)`,
    `create index on ${table} (account_id) where not is_destroyed`,
  ],
  keyOf: (event) =>
    (event.type.startsWith('Identity') || event.type === 'AccountClosed') && 'accountId' in event.data
      ? event.data.accountId
      : null,
  on: {
    IdentityCheckRequested: ({ data, meta }) => ({
      account_id: data.accountId,
      check_id: data.checkId,
      files: data.files,
      status: 'open',
      requested_at: meta.at,
      decided_at: null,
      is_destroyed: false,
    }),
    IdentityCheckDecided: ({ data, meta }, row) =>
      row && { ...row, status: data.isAccepted ? 'accepted' : 'refused', decided_at: meta.at },
    AccountClosed: (_event, row) => (row?.status === 'open' ? { ...row, status: 'ended' } : row),
    IdentityEvidenceDestroyed: (_event, row) => row && { ...row, is_destroyed: true },
  },
});

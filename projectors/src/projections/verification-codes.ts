import { VERIFICATION_CODES } from '@alpenglow/infra';
import { defineProjection } from '../projection.ts';

export const verificationCodes = defineProjection(VERIFICATION_CODES)({
  indexes: (table) => [`create index on ${table} (issued_at desc, account_id desc)`],
  keyOf: (event) => ('accountId' in event.data ? event.data.accountId : null),
  on: {
    EmailVerificationIssued: ({ data, meta }) => ({
      account_id: data.accountId,
      issuance_id: data.issuanceId,
      issued_at: meta.at,
      expires_at: data.expiresAt,
      failures: 0,
    }),
    EmailVerificationFailed: ({ data }, row) =>
      row?.issuance_id === data.issuanceId ? { ...row, failures: row.failures + 1 } : row,
    EmailVerified: () => null,
    EmailVerificationCleared: () => null,
    AccountClosed: () => null,
  },
});

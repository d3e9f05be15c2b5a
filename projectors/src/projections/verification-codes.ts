import { declaredReadModel } from '@alpenglow/infra';
import { defineProjection, type RowOf } from '../projection.ts';

const columns = {
  account_id: 'text primary key',
  issuance_id: 'text not null',
  issued_at: 'timestamptz not null',
  expires_at: 'timestamptz not null',
  /** The number of wrong codes entered so far. */
  failures: 'integer not null',
} as const;

/**
 * The latest verification code of an account. The row is removed when the code is used or withdrawn. The row remains
 * when the code expires, so readers must check `expires_at`.
 */
export const verificationCodes = defineProjection<RowOf<typeof columns>>({
  ...declaredReadModel('verification_codes'),
  columns,
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

import { defineProjection } from '../projection.ts';

/** The verification code issued last to an account, until it is used or taken back. Whether it has run out is for the reader to see. */
export type VerificationCodeRow = {
  readonly account_id: string;
  readonly issuance_id: string;
  readonly issued_at: string;
  readonly expires_at: string;
  /** Wrong codes entered so far. */
  readonly failures: number;
};

export const verificationCodes = defineProjection<VerificationCodeRow>({
  name: 'verification_codes',
  version: 1,
  columns: {
    account_id: 'text primary key',
    issuance_id: 'text not null',
    issued_at: 'timestamptz not null',
    expires_at: 'timestamptz not null',
    failures: 'integer not null',
  },
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

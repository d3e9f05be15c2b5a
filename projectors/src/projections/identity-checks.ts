import { defineProjection } from '../projection.ts';

/** The last request of each account to be verified. */
export type IdentityCheckRow = {
  readonly account_id: string;
  readonly check_id: string;
  readonly files: number;
  /** `ended` where the account was closed before anybody decided: nobody can any more. */
  readonly status: 'open' | 'accepted' | 'refused' | 'ended';
  readonly requested_at: string;
  readonly decided_at: string | null;
  /** The pictures are gone. */
  readonly is_destroyed: boolean;
};

export const identityChecks = defineProjection<IdentityCheckRow>({
  name: 'identity_checks',
  version: 2,
  columns: {
    account_id: 'text primary key',
    check_id: 'text not null',
    files: 'integer not null',
    status: 'text not null',
    requested_at: 'timestamptz not null',
    decided_at: 'timestamptz',
    is_destroyed: 'boolean not null',
  },
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

import { declaredReadModel } from '@alpenglow/infra';
import { defineProjection, type RowOf } from '../projection.ts';

const columns = {
  account_id: 'text primary key',
  check_id: 'text not null',
  files: 'integer not null',
  /** The status is `ended` if the account was closed before a decision. Admins cannot decide the check after that. */
  status: 'text not null',
  requested_at: 'timestamptz not null',
  decided_at: 'timestamptz',
  is_destroyed: 'boolean not null',
} as const;

/** The latest identity check of each account. */
export const identityChecks = defineProjection<
  RowOf<typeof columns, { readonly status: 'open' | 'accepted' | 'refused' | 'ended' }>
>({
  ...declaredReadModel('identity_checks'),
  columns,
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

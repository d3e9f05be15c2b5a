import type { ErasureStep } from '@alpenglow/domain';
import { declaredReadModel } from '@alpenglow/infra';
import { defineProjection, type RowOf } from '../projection.ts';

const columns = {
  receipt_id: 'text primary key',
  account_id: 'text not null',
  requested_by: 'text not null',
  requested_at: 'timestamptz not null',
  /** The completed steps of the erasure, in the order of completion. */
  done: 'jsonb not null',
  completed_at: 'timestamptz',
} as const;

/**
 * The progress of the erasure of an account's personal data. The person can read this progress with the receipt of the
 * erasure.
 */
export const erasures = defineProjection<
  RowOf<
    typeof columns,
    {
      readonly requested_by: 'self' | 'admin';
      readonly done: readonly { readonly step: ErasureStep; readonly at: string }[];
    }
  >
>({
  ...declaredReadModel('erasures'),
  columns,
  indexes: (table) => [
    `create index on ${table} (requested_at, receipt_id) where completed_at is null`,
    `create index on ${table} (account_id, requested_at desc)`,
  ],
  keyOf: ({ data }) => ('receiptId' in data ? data.receiptId : null),
  on: {
    ErasureRequested: ({ data: { receiptId, accountId, by }, meta }) => ({
      receipt_id: receiptId,
      account_id: accountId,
      requested_by: by,
      requested_at: meta.at,
      done: [],
      completed_at: null,
    }),
    ErasureStepDone: ({ data: { step }, meta }, row) => row && { ...row, done: [...row.done, { step, at: meta.at }] },
    ErasureCompleted: ({ meta }, row) => row && { ...row, completed_at: meta.at },
  },
});

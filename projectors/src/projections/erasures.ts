import type { ErasureStep } from '@alpenglow/domain';
import { defineProjection } from '../projection.ts';

/** An erasure, as its receipt shows it. */
export type ErasureRow = {
  readonly receipt_id: string;
  readonly account_id: string;
  readonly requested_by: 'self' | 'admin';
  readonly requested_at: string;
  /** In the order in which they were done. */
  readonly done: readonly { readonly step: ErasureStep; readonly at: string }[];
  readonly completed_at: string | null;
};

export const erasures = defineProjection<ErasureRow>({
  name: 'erasures',
  version: 1,
  columns: {
    receipt_id: 'text primary key',
    account_id: 'text not null',
    requested_by: 'text not null',
    requested_at: 'timestamptz not null',
    done: 'jsonb not null',
    completed_at: 'timestamptz',
  },
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

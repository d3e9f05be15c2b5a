import { ERASURES } from '@alpenglow/infra';
import { defineProjection } from '../projection.ts';

export const erasures = defineProjection(ERASURES)({
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

import { RECEIPT_ID, type ErasureStep, type ErasureView } from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';

/** Erasures, as their receipts show them. */
export interface ErasureReader {
  /** Null where there is no such receipt. */
  byReceipt(receiptId: string): Promise<ErasureView | null>;
  /** The last one of an account; null where there was none. */
  lastOf(accountId: string): Promise<ErasureView | null>;
}

interface Row {
  readonly receipt_id: string;
  readonly requested_at: Date;
  readonly done: readonly { readonly step: ErasureStep; readonly at: string }[];
  readonly completed_at: Date | null;
}

const SELECT = 'select receipt_id, requested_at, done, completed_at from rm.erasures';

export function createErasureReader(pool: Pool): ErasureReader {
  return {
    async byReceipt(receiptId) {
      if (!RECEIPT_ID.test(receiptId)) return null;
      const { rows } = await pool.query<Row>({
        name: 'erasure-by-receipt',
        text: `${SELECT} where receipt_id = $1`,
        values: [receiptId],
      });
      return viewOf(rows);
    },
    async lastOf(accountId) {
      const { rows } = await pool.query<Row>({
        name: 'erasure-last-of',
        text: `${SELECT} where account_id = $1 order by requested_at desc limit 1`,
        values: [accountId],
      });
      return viewOf(rows);
    },
  };
}

function viewOf([row]: readonly Row[]): ErasureView | null {
  if (!row) return null;
  const { receipt_id: receiptId, requested_at: requestedAt, done, completed_at: completedAt } = row;
  return {
    receiptId,
    requestedAt: requestedAt.toISOString(),
    status: completedAt === null ? 'under_way' : 'complete',
    steps: done.map(({ step, at }) => ({ step, at })),
    completedAt: completedAt?.toISOString() ?? null,
  };
}

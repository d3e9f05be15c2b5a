import { RECEIPT_ID, type ErasureStep, type ErasureView } from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';

interface Row {
  readonly receipt_id: string;
  readonly requested_at: Date;
  readonly done: readonly { readonly step: ErasureStep; readonly at: string }[];
  readonly completed_at: Date | null;
}

const SELECT = 'select receipt_id, requested_at, done, completed_at from rm.erasures';

/** Reads the state of erasures. */
export function createErasureReader(pool: Pool) {
  return {
    /** Finds an erasure by its receipt, or returns null. */
    async findByReceipt(receiptId: string): Promise<ErasureView | null> {
      if (!RECEIPT_ID.test(receiptId)) return null;
      const { rows } = await pool.query<Row>({
        name: 'erasure-by-receipt',
        text: `${SELECT} where receipt_id = $1`,
        values: [receiptId],
      });
      return createView(rows);
    },
    /** Returns the last erasure of an account, or null. */
    async findLast(accountId: string): Promise<ErasureView | null> {
      const { rows } = await pool.query<Row>({
        name: 'erasure-last-of',
        text: `${SELECT} where account_id = $1 order by requested_at desc limit 1`,
        values: [accountId],
      });
      return createView(rows);
    },
  };
}

function createView([row]: readonly Row[]): ErasureView | null {
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

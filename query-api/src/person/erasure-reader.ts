import { RECEIPT_ID, type ErasureView } from '@alpenglow/domain';
import { ERASURES, type Pool, type SelectedRow } from '@alpenglow/infra';

const COLUMNS = ERASURES.select(['receipt_id', 'requested_at', 'done', 'completed_at']);
const SELECT = `select ${COLUMNS} from ${ERASURES.table}`;
type Row = SelectedRow<typeof COLUMNS>;

/** Creates an object that reads the state of erasures. An erasure removes all personal data of an account. */
export function createErasureReader(pool: Pool) {
  return {
    /** Finds an erasure by the id of its receipt. Returns null if there is none. */
    async findByReceipt(receiptId: string): Promise<ErasureView | null> {
      if (!RECEIPT_ID.test(receiptId)) return null;
      const { rows } = await pool.query<Row>({
        name: 'erasure-by-receipt',
        text: `${SELECT} where receipt_id = $1`,
        values: [receiptId],
      });
      return createView(rows);
    },
    /** Returns the last erasure of an account, or null if there was none. */
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

import { VERIFICATION_MAX_ATTEMPTS } from '@alpenglow/domain';
import type { Pool } from 'pg';

/** What the command side may ask the read model: who has a verification code that can still be entered, which no single stream can tell. */
export interface OpenCodes {
  /** Account ids, those with the oldest codes first. */
  holders(limit: number): Promise<readonly string[]>;
}

export function createOpenCodes(pool: Pool): OpenCodes {
  return {
    async holders(limit) {
      const { rows } = await pool.query<{ account_id: string }>({
        name: 'open-codes',
        text: 'select account_id from rm.verification_codes where expires_at > now() and failures < $1 order by issued_at, account_id limit $2',
        values: [VERIFICATION_MAX_ATTEMPTS, limit],
      });
      return rows.map(({ account_id }) => account_id);
    },
  };
}

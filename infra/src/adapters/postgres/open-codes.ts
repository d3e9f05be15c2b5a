import { VERIFICATION_MAX_ATTEMPTS, type EventStore } from '@alpenglow/domain';
import type { Pool } from 'pg';
import type { ReadModelProgress } from '../../read-model-progress.ts';

/** What the command side may ask the read model: who has a verification code that can still be entered, which no single stream can tell. */
export interface OpenCodes {
  /** Account ids, those with the oldest codes first. A code issued a moment ago counts, unless the read model is far behind. */
  holders(limit: number): Promise<readonly string[]>;
}

/** A code of a stand-in (decision 0022), who is no account here, can never be right. */
const PROJECTIONS = ['verification_codes', 'accounts'];

export function createOpenCodes(deps: {
  readonly pool: Pool;
  readonly store: Pick<EventStore, 'head'>;
  readonly progress: Pick<ReadModelProgress, 'waitFor'>;
}): OpenCodes {
  return {
    async holders(limit) {
      const head = await deps.store.head();
      await Promise.all(PROJECTIONS.map((projection) => deps.progress.waitFor(projection, head)));
      const { rows } = await deps.pool.query<{ account_id: string }>({
        name: 'open-codes',
        text: `select account_id from rm.verification_codes join rm.accounts using (account_id)
               where expires_at > now() and failures < $1 order by issued_at, account_id limit $2`,
        values: [VERIFICATION_MAX_ATTEMPTS, limit],
      });
      return rows.map(({ account_id }) => account_id);
    },
  };
}

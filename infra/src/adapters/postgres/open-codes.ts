import { VERIFICATION_MAX_ATTEMPTS } from '@alpenglow/domain';
import type { LookupDependencies } from './find-after-catch-up.ts';

/**
 * Finds the accounts whose verification code can still be entered. No stream contains all of them, so the read models
 * are used.
 */
export type OpenCodes = ReturnType<typeof createOpenCodes>;

/** The queried read models. A stand-in account (decision 0022) is not in `accounts`, so it is not found. */
const PROJECTIONS = ['verification_codes', 'accounts'];

export function createOpenCodes(deps: LookupDependencies) {
  return {
    /**
     * Returns at most `limit` account ids, oldest codes first. Waits for the read models, so that new codes are
     * included if the read models are not far behind.
     */
    async findAccountIds(limit: number): Promise<readonly string[]> {
      const head = await deps.store.readHead();
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

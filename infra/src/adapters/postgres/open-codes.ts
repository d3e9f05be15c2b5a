import { VERIFICATION_MAX_ATTEMPTS } from '@alpenglow/domain';
import { ACCOUNTS, VERIFICATION_CODES } from '../../read-models/index.ts';
import type { LookupDependencies } from './find-after-catch-up.ts';

/**
 * Finds the accounts with a verification code that can still be entered. The codes are in many event streams, so the
 * read models are queried.
 */
export type OpenCodes = ReturnType<typeof createOpenCodes>;

/**
 * The queried read models. A stand-in account is created for a repeated sign-up, so that the response does not show
 * that the address has an account (decision 0022). The read model `accounts` does not contain stand-in accounts, so
 * they are not found.
 */
const PROJECTIONS = ['verification_codes', 'accounts'];

export function createOpenCodes(deps: LookupDependencies) {
  return {
    /**
     * Returns at most `limit` account ids, those with the oldest codes first. First waits for the read models, so that
     * new codes are included, unless the read models are too far behind.
     */
    async findAccountIds(limit: number): Promise<readonly string[]> {
      const head = await deps.store.readHead();
      await Promise.all(PROJECTIONS.map((projection) => deps.progress.waitFor(projection, head)));
      const { rows } = await deps.pool.query<{ account_id: string }>({
        name: 'open-codes',
        text: `select account_id from ${VERIFICATION_CODES.table} join ${ACCOUNTS.table} using (account_id)
               where expires_at > now() and failures < $1 order by issued_at, account_id limit $2`,
        values: [VERIFICATION_MAX_ATTEMPTS, limit],
      });
      return rows.map(({ account_id }) => account_id);
    },
  };
}

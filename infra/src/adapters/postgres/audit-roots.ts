import type { Pool } from 'pg';
import { NO_HASH } from '../../audit/hashes.ts';
import { dailyRoot, type DailyRoot } from '../../audit/moderation-log.ts';
import { readChainHead } from './audit-chain.ts';
import { DAY } from './audit-rows.ts';

/**
 * Creates the access to the root hashes of the moderation log, one for each day. It owns the table `audit.daily_roots`.
 * Invariant: a stored root hash never changes, because it was published.
 */
export function createAuditRoots(pool: Pool) {
  return {
    /**
     * Stores the root hash of the log entries of each day before `today` (UTC, e.g. `2026-11-22`). Skips days whose
     * root hash is already stored.
     */
    async sealDaysBefore(today: string): Promise<void> {
      const { lastRoot } = await readChainHead(pool);
      const { rows: days } = await pool.query<{ day: string }>(
        `select distinct ${DAY}, audit.log_entries.day as of_day
           from audit.log_entries
          where day < $1 and ($2::date is null or day > $2)
          order by of_day`,
        [today, lastRoot?.day ?? null],
      );
      let previous = lastRoot?.hash ?? NO_HASH;
      for (const { day } of days) {
        const { first, last, root, hash } = dailyRoot(day, await readEntriesOfDay(pool, day), previous);
        await pool.query('insert into audit.daily_roots (day, first, last, root, hash) values ($1, $2, $3, $4, $5)', [
          day,
          first,
          last,
          root,
          hash,
        ]);
        previous = hash;
      }
    },
    /** Returns the number and the hash of every log entry of a day, in the order of their numbers. */
    readEntriesOfDay: (day: string) => readEntriesOfDay(pool, day),
    /** Returns the root hashes of all days, starting with the first day. */
    readRoots: (): Promise<readonly DailyRoot[]> => queryRoots(pool, 'order by r.day', []),
    /**
     * Returns the root hashes of days before `day`, newest first. If `day` is null, starts with the newest root hash.
     */
    listRootsBefore: (day: string | null, limit: number): Promise<readonly DailyRoot[]> =>
      queryRoots(pool, 'where $1::date is null or r.day < $1 order by r.day desc limit $2', [day, limit]),
  };
}

/** Returns the number and the hash of every log entry of a day, in the order of their numbers. */
export async function readEntriesOfDay(
  pool: Pool,
  day: string,
): Promise<readonly { readonly number: number; readonly hash: Buffer }[]> {
  const { rows } = await pool.query<{ number: string; hash: Buffer }>(
    'select number, hash from audit.log_entries where day = $1 order by number',
    [day],
  );
  return rows.map(({ number, hash }) => ({ number: Number(number), hash }));
}

/** Returns the root hashes that the clauses of the statement select. The alias of the table is `r`. */
export async function queryRoots(
  pool: Pool,
  clauses: string,
  values: readonly unknown[],
): Promise<readonly DailyRoot[]> {
  const { rows } = await pool.query<Omit<DailyRoot, 'first' | 'last'> & { first: string; last: string }>(
    `select ${DAY}, first, last, root, hash from audit.daily_roots r ${clauses}`,
    [...values],
  );
  return rows.map((row) => ({ ...row, first: Number(row.first), last: Number(row.last) }));
}

import type { Pool } from 'pg';
import { isMissingTable } from './errors.ts';

/** The time for which records of backups are stored. */
const STORED_FOR = '1 year';

/**
 * Records that a backup of the installation is complete. It contains the state of the time `madeAt`, in ISO format.
 * Does nothing if the database belongs to an earlier release, which has no table for this.
 */
export async function recordBackup(pool: Pool, madeAt: string): Promise<void> {
  try {
    await pool.query('insert into ops.backups (made_at) values ($1)', [madeAt]);
    await pool.query(`delete from ops.backups where made_at < now() - interval '${STORED_FOR}'`);
  } catch (error) {
    if (!isMissingTable(error)) throw error;
  }
}

/**
 * Returns the time since the last backup in seconds. Without a backup, returns the time since the first start, so that
 * an installation that is never backed up is noticed, too.
 */
export async function readBackupAge_s(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ age_s: number }>(
    `select extract(epoch from now() - coalesce(
              (select max(made_at) from ops.backups),
              (select min(run_on) from pgmigrations)))::float8 as age_s`,
  );
  return rows[0]?.age_s ?? 0;
}

import type { Client, Pool, PoolClient } from 'pg';
import type { DutyLock } from './duty-shares.ts';

/**
 * Tries to take the locks with these names, and returns the names of the locks that were free. If the list is empty,
 * the query only prevents a timeout of the session.
 */
export async function takeLocks(client: Pick<Client, 'query'>, names: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ name: string; taken: boolean }>(
    `select name, pg_try_advisory_lock(hashtext('alpenglow-duty'), hashtext(name)) as taken
       from unnest($1::text[]) as name`,
    [names],
  );
  return new Set(rows.filter(({ taken }) => taken).map(({ name }) => name));
}

/** Announces that this session can run the duties. */
export async function announce(client: Pick<Client, 'query'>, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await client.query(
    `select pg_advisory_lock_shared(hashtext('alpenglow-candidate'), hashtext(name)) from unnest($1::text[]) as name`,
    [names],
  );
}

/** Ends the announcement of a duty. */
export async function withdraw(client: Pick<Client, 'query'>, name: string): Promise<void> {
  await client.query(`select pg_advisory_unlock_shared(hashtext('alpenglow-candidate'), hashtext($1))`, [name]);
}

/**
 * Reads for each session which duties it can run, and which ones it runs. A duty that is not in `names` has a number as
 * its name, because only its hash is known.
 */
export async function readDutyLocks(
  client: Pick<Client, 'query'>,
  names: readonly string[],
): Promise<{ readonly session: number; readonly locks: readonly DutyLock[] }> {
  // Postgres shows the keys of a lock as numbers without a sign.
  const unsigned = (text: string) => `(hashtext(${text})::bigint & 4294967295)`;
  const { rows } = await client.query<DutyLock & { own: number }>(
    `select pg_backend_pid() as own, l.pid as session, coalesce(n.name, l.objid::text) as duty,
            l.classid::bigint = ${unsigned(`'alpenglow-duty'`)} as "isHeld"
       from pg_locks l
       left join unnest($1::text[]) as n (name) on l.objid::bigint = ${unsigned('n.name')}
      where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
        and l.database = (select oid from pg_database where datname = current_database())
        and l.classid::bigint in (${unsigned(`'alpenglow-duty'`)}, ${unsigned(`'alpenglow-candidate'`)})`,
    [names],
  );
  return { session: rows[0]?.own ?? 0, locks: rows };
}

/**
 * Returns true if no process runs the duty. Inside a transaction, no process can start it until the transaction ends.
 */
export async function isDutyFree(client: Pool | PoolClient, name: string): Promise<boolean> {
  const { rows } = await client.query<{ isFree: boolean }>(
    `select pg_try_advisory_xact_lock(hashtext('alpenglow-duty'), hashtext($1)) as "isFree"`,
    [name],
  );
  return rows[0]?.isFree === true;
}

/** Releases the lock of a duty. */
export async function freeLock(client: Pick<Client, 'query'>, duty: string): Promise<void> {
  await client.query(`select pg_advisory_unlock(hashtext('alpenglow-duty'), hashtext($1))`, [duty]);
}

import type { Pool } from 'pg';

/**
 * Copies the rows of all tables of some schemas. Returns a function that replaces the current rows by the copy in one
 * transaction, like a failover to a replica that lags behind. Tables that were created later become empty.
 */
export async function copyRows(pool: Pool, schemas: readonly string[]): Promise<() => Promise<void>> {
  const readTables = async () => {
    const { rows } = await pool.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = any($1) order by 1`,
      [schemas],
    );
    return rows.map(({ name }) => name);
  };
  const copies = await readTables();
  await pool.query('create schema copied');
  const copyOf = (table: string) => `copied.${table.replace('.', '_')}`;
  for (const table of copies) await pool.query(`create table ${copyOf(table)} as table ${table}`);

  return async () => {
    const client = await pool.connect();
    try {
      // This setting disables the triggers that prevent changes of stored events.
      await client.query('begin; set local session_replication_role = replica');
      const tables = await readTables();
      await client.query(`lock table rm.checkpoints, ${tables.join(', ')} in access exclusive mode`);
      for (const table of tables) {
        await client.query(`delete from ${table}`);
        if (copies.includes(table)) await client.query(`insert into ${table} table ${copyOf(table)}`);
      }
      await client.query('commit');
    } finally {
      client.release();
    }
  };
}

import { ACCOUNTS, type Pool, type RowOf } from '@alpenglow/infra';

/** Reads the display names of accounts. The keys of the returned map are account ids. The map omits closed accounts. */
export async function readNames(pool: Pool, ids: readonly (string | null)[]): Promise<ReadonlyMap<string, string>> {
  const accountIds = [...new Set(ids.filter((id) => id !== null))];
  if (accountIds.length === 0) return new Map();
  const { rows } = await pool.query<Pick<RowOf<typeof ACCOUNTS>, 'account_id' | 'display_name'>>({
    name: 'names-of-accounts',
    text: `select account_id, display_name from ${ACCOUNTS.table} where account_id = any($1)`,
    values: [accountIds],
  });
  return new Map(rows.map(({ account_id, display_name }) => [account_id, display_name]));
}

import type { Pool } from '@alpenglow/infra';
import { readLines } from './files.ts';

/** A table that a backup contains, because it cannot be rebuilt from events. */
export interface BackedUpTable {
  readonly name: string;
  /** Name of the primary key, which is a text column. */
  readonly key: string;
}

export const BACKED_UP_TABLES: readonly BackedUpTable[] = [
  { name: 'auth.data_keys', key: 'account_id' },
  { name: 'auth.key_generations', key: 'account_id' },
  { name: 'stats.ad_views', key: 'ad_id' },
  { name: 'audit.staff_reads', key: 'id' },
];

/**
 * Schemas and tables that a backup omits, each with the reason. A test checks that every table of the product is in
 * this list or in `BACKED_UP_TABLES`.
 */
export const OMITTED_TABLES: Readonly<Record<string, string>> = {
  'es.events': 'the events are saved in events.ndjson.gz, whichever store they are in',
  'es.store_in_use': 'names the event store of an installation; a restored one uses the store that it was restored to',
  rm: 'is rebuilt from the events',
  'auth.sessions': 'a session that has ended since the backup would become valid again; people sign in again',
  'auth.secrets_in_use':
    'identifies the secrets of an installation; a restored one uses those that it was restored with',
  'mail.inbox':
    'contains addresses and codes in clear text, for a day at most; mails that are still due are sent again',
  'mail.sent':
    'contains rows for three days at most; ' +
    'mails that a restored installation sends again are still valid and expected',
  'mail.told_replies': 'ensures ten minutes between mails about one thread, and contains rows for a day at most',
  'audit.event_hashes': 'is rebuilt from the events, whose positions may differ after a restore',
  'audit.log_entries': 'is rebuilt from the events with identical entries',
  'audit.daily_roots': 'is rebuilt from the entries; a published root proves that they are identical',
  ops: 'contains the latest reports of each process about itself',
  requests: 'contains request counts, and responses for a day; a restored installation starts without them',
  bullmq: 'the reactors enqueue jobs again that may not have been completed',
  'public.pgmigrations': 'the restored database gets its own',
};

const PAGE = 1_000;

/** Yields each row of a table as JSON. All rows are from the same snapshot of the table. */
export async function* dumpTable(pool: Pool, { name, key }: BackedUpTable): AsyncGenerator<string> {
  const client = await pool.connect();
  try {
    await client.query('begin isolation level repeatable read, read only');
    for (let after = ''; ; ) {
      const { rows } = await client.query<{ key: string; row: string }>(
        `select ${key} as key, to_jsonb(t)::text as row from ${name} t where ${key} > $1 order by ${key} limit ${PAGE}`,
        [after],
      );
      for (const { row } of rows) yield row;
      const last = rows.at(-1);
      if (!last) break;
      after = last.key;
    }
    await client.query('commit');
  } finally {
    client.release(true);
  }
}

/** Inserts the rows of a backup file into a table. Rows that already exist in the table are skipped. */
export async function loadTable(
  pool: Pool,
  { name }: BackedUpTable,
  file: string,
  signal?: AbortSignal,
): Promise<void> {
  let page: string[] = [];
  const write = async () => {
    signal?.throwIfAborted();
    // The rows are not parsed, because JavaScript converts large numbers to less precise doubles.
    await pool.query(
      `insert into ${name} select * from jsonb_populate_recordset(null::${name}, $1::jsonb) on conflict do nothing`,
      [`[${page.join(',')}]`],
    );
    page = [];
  };
  for await (const row of readLines(file)) {
    page.push(row);
    if (page.length === PAGE) await write();
  }
  if (page.length > 0) await write();
}

export async function isEmptyTable(pool: Pool, { name }: BackedUpTable): Promise<boolean> {
  const { rows } = await pool.query<{ found: boolean }>(`select exists (select from ${name}) as found`);
  return rows[0]?.found === false;
}

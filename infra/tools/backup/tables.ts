import type { Pool } from '../../src/index.ts';
import { readLines } from './files.ts';

/** A table that cannot be made again from events. */
export interface KeptTable {
  readonly name: string;
  /** Its primary key, a text column. */
  readonly key: string;
}

export const KEPT_TABLES: readonly KeptTable[] = [
  { name: 'auth.data_keys', key: 'account_id' },
  { name: 'auth.key_generations', key: 'account_id' },
  { name: 'stats.ad_views', key: 'ad_id' },
  { name: 'audit.staff_reads', key: 'id' },
];

/** Schemas and tables that a backup leaves out, and why. Every table of the product is here or above; a test sees to that. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  'es.events': 'goes into events.ndjson.gz, from whatever store the events are in',
  'es.store_in_use':
    'says where an installation keeps its events; one that is restored keeps them where they were restored to',
  rm: 'is made again from the events',
  'auth.sessions': 'a session that was ended since the backup would be alive again; people sign in once more',
  'auth.secrets_in_use':
    'says which secrets an installation works with; one that is restored works with those it was restored with',
  'mail.inbox':
    'holds addresses and codes in clear text, and nothing for more than a day; what is still due is mailed again',
  'mail.sent':
    'holds nothing for more than three days; what a restored installation mails again still works, and is what its owner waits for',
  'mail.told_replies': 'keeps mails about one thread ten minutes apart, and nothing for more than a day',
  'audit.event_hashes': 'is made again of the events, whose positions may be others where they are restored',
  'audit.log_entries': 'is made again of the events, entry by entry the same',
  'audit.daily_roots': 'is made again of the entries; a root that was published says whether they are the same',
  ops: 'holds what each process told of itself a moment ago',
  requests: 'counts calls, and remembers answers for a day: an installation that is restored begins anew',
  bullmq: 'the reactors enqueue again what may not have been done',
  'public.pgmigrations': 'the restored database gets its own',
};

const PAGE = 1_000;

/** The rows of a table as JSON, as they were at one moment. */
export async function* dumpTable(pool: Pool, { name, key }: KeptTable): AsyncGenerator<string> {
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

/** Adds the rows that are not there yet. */
export async function loadTable(pool: Pool, { name }: KeptTable, file: string, signal?: AbortSignal): Promise<void> {
  let page: string[] = [];
  const write = async () => {
    signal?.throwIfAborted();
    // As text, so that no number passes through a double.
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

export async function isEmptyTable(pool: Pool, { name }: KeptTable): Promise<boolean> {
  const { rows } = await pool.query<{ found: boolean }>(`select exists (select from ${name}) as found`);
  return rows[0]?.found === false;
}

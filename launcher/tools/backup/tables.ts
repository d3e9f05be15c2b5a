import type { Pool } from '@alpenglow/infra';
import type { BackupKey } from './backup-key.ts';
import { readLines } from './files.ts';

/** A table that a backup contains, because it cannot be rebuilt from events. */
export interface BackedUpTable {
  readonly name: string;
  /** The columns of the key. The backup contains the rows in this order. */
  readonly key: string;
  /** True if the backups of an earlier release do not contain the table. */
  readonly isMissingInEarlierBackups?: boolean;
  /**
   * True if the table is saved before the end of the history is read. All events that its rows describe are then in the
   * backup.
   */
  readonly isSavedFirst?: boolean;
}

export const BACKED_UP_TABLES: readonly BackedUpTable[] = [
  { name: 'auth.account_id_keys', key: 'id', isMissingInEarlierBackups: true },
  { name: 'auth.data_keys', key: 'account_id' },
  { name: 'auth.key_generations', key: 'account_id' },
  { name: 'stats.ad_views', key: 'ad_id' },
  {
    name: 'stats.front_end_days',
    key: 'day, front_end, hash, measure, range_index',
    isMissingInEarlierBackups: true,
  },
  { name: 'audit.staff_reads', key: 'id' },
  // The roots are saved before the entries, so that the backup has all entries of each root.
  { name: 'audit.daily_roots', key: 'day', isMissingInEarlierBackups: true, isSavedFirst: true },
  { name: 'audit.log_entries', key: 'number', isMissingInEarlierBackups: true, isSavedFirst: true },
  { name: 'audit.log_rewinds', key: 'incarnation', isMissingInEarlierBackups: true },
  { name: 'audit.chain_segments', key: 'number', isMissingInEarlierBackups: true },
  { name: 'audit.lost_event_hashes', key: 'incarnation, first', isMissingInEarlierBackups: true },
  { name: 'audit.lost_log_entries', key: 'incarnation, number', isMissingInEarlierBackups: true },
  { name: 'mail.sent', key: 'id', isMissingInEarlierBackups: true },
  { name: 'mail.told_replies', key: 'account_id, thread_id', isMissingInEarlierBackups: true },
  { name: 'jobs.unfinished', key: 'kind, job_id', isMissingInEarlierBackups: true },
  { name: 'jobs.removal_copies', key: 'request_id', isMissingInEarlierBackups: true },
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
  'auth.live_tickets': 'a ticket is valid for a minute only, and belongs to a session that is not in the backup',
  'auth.secrets_in_use':
    'identifies the secrets of an installation; a restored one uses those that it was restored with',
  'auth.data_key_secrets': 'identifies secrets like auth.secrets_in_use',
  'mail.inbox':
    'contains addresses and codes in clear text, for a day at most; mails that were not sent are sent after a restore',
  'audit.event_hashes': 'is rebuilt from the events, whose positions may differ after a restore',
  'audit.chain_starts': 'is written when the hashes are rebuilt',
  ops: 'contains the latest reports of each process about itself and about the read models that it uses',
  requests: 'contains request counts, and responses for a day; a restored installation starts without them',
  bullmq: 'jobs that have not finished are in jobs.unfinished, and are enqueued again',
  'jobs.picture_checks': 'the progress of checks of published pictures; a restored installation checks them again',
  'public.pgmigrations': 'the restored database gets its own',
};

const PAGE = 1_000;

/** Yields each row of a table as JSON. All rows are from the same snapshot of the table. */
export async function* dumpTable(pool: Pool, { name, key }: BackedUpTable): AsyncGenerator<string> {
  const client = await pool.connect();
  try {
    await client.query('begin isolation level repeatable read, read only');
    // The type jsonb would change the text of an entry of the moderation log, and the verification compares this text.
    // A line feed between two values would end the line of the backup.
    await client.query(
      `declare saved no scroll cursor for
         select translate(row_to_json(t)::text, E'\\n', ' ') as row from ${name} t order by ${key}`,
    );
    for (;;) {
      const { rows } = await client.query<{ row: string }>(`fetch ${PAGE} from saved`);
      if (rows.length === 0) break;
      for (const { row } of rows) yield row;
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
  key: BackupKey | null,
  signal?: AbortSignal,
): Promise<void> {
  let page: string[] = [];
  const write = async () => {
    signal?.throwIfAborted();
    // The rows are not parsed, because JavaScript converts large numbers to less precise doubles.
    await pool.query(
      `insert into ${name} select * from json_populate_recordset(null::${name}, $1::json) on conflict do nothing`,
      [`[${page.join(',')}]`],
    );
    page = [];
  };
  for await (const row of readLines(file, key)) {
    page.push(row);
    if (page.length === PAGE) await write();
  }
  if (page.length > 0) await write();
}

export async function isEmptyTable(pool: Pool, { name }: BackedUpTable): Promise<boolean> {
  const { rows } = await pool.query<{ found: boolean }>(`select exists (select from ${name}) as found`);
  return rows[0]?.found === false;
}

import type { Pool } from 'pg';
import { NO_HASH } from '../../audit/hashes.ts';
import { merkleProof, type ProofStep } from '../../audit/merkle.ts';
import {
  CHAIN_CONTINUED,
  readContinuation,
  type ChainedEntry,
  type Continuation,
  type DailyRoot,
  type EntryColumns,
  type LogEntry,
  type StoredLogEntry,
} from '../../audit/moderation-log.ts';
import { queryRoots, readEntriesOfDay } from './audit-roots.ts';
import { DAY, LOWEST_NUMBER, PAGE, type EntryRow } from './audit-rows.ts';

/**
 * Proves that an entry is in the moderation log. Applying the `steps` to the hash of the entry results in the root hash
 * of its day.
 */
export interface InclusionProof extends ChainedEntry {
  readonly previousHash: Buffer;
  readonly steps: readonly ProofStep[];
  readonly root: DailyRoot;
}

interface EntriesQuery {
  readonly type: string | null;
  readonly actorId: string | null;
  /** The number of the last entry of the previous page. Null for the first page. */
  readonly before: number | null;
  readonly limit: number;
}

/** Creates the reads of the entries of the moderation log. They change nothing. */
export function createAuditEntries(pool: Pool) {
  return {
    /** Returns what the entries of the moderation log say about continuations of the chain, in order. */
    async readContinuations(): Promise<readonly Continuation[]> {
      const { rows } = await pool.query<EntryRow>(
        'select entry, hash from audit.log_entries where type = $1 order by number',
        [CHAIN_CONTINUED],
      );
      return rows.map(({ entry }) => readContinuation(entry)).filter((found) => found !== null);
    },
    /** Yields all rows of the moderation log in order. */
    async *readEntries(): AsyncGenerator<StoredLogEntry> {
      for (let after = LOWEST_NUMBER; ; ) {
        const { rows } = await pool.query<EntryColumns & { readonly hash: Buffer }>(
          `select number, event_id as "eventId", ${DAY}, type, actor_id as "actorId", entry::text as entry, hash
             from audit.log_entries
            where number > $1
            order by audit.log_entries.number limit $2`,
          [after, PAGE],
        );
        for (const { hash, ...columns } of rows) yield { entry: JSON.parse(columns.entry) as LogEntry, hash, columns };
        if (rows.length < PAGE) return;
        after = rows.at(-1)?.number ?? after;
      }
    },
    /** Returns the entries of the moderation log about these events, by event id. */
    async findEntries(eventIds: readonly string[]): Promise<ReadonlyMap<string, ChainedEntry>> {
      const { rows } = await pool.query<EntryRow & { readonly eventId: string }>(
        'select event_id as "eventId", entry, hash from audit.log_entries where event_id = any($1)',
        [eventIds],
      );
      return new Map(rows.map(({ eventId, entry, hash }) => [eventId, { entry, hash }]));
    },
    /** Returns log entries that match the query, newest first. */
    async listEntries({ type, actorId, before, limit }: EntriesQuery): Promise<readonly ChainedEntry[]> {
      const { rows } = await pool.query<EntryRow>(
        `select entry, hash from audit.log_entries
         where ($1::text is null or type = $1) and ($2::text is null or actor_id = $2)
           and ($3::bigint is null or number < $3)
         order by number desc limit $4`,
        [type, actorId, before, limit],
      );
      return rows;
    },
    /**
     * Returns the proof that an event is in the moderation log. Returns null if the moderation log does not contain the
     * event, or if the root hash of the day is not stored yet.
     */
    findProof: (eventId: string): Promise<InclusionProof | null> => findProof(pool, eventId),
  };
}

async function findProof(pool: Pool, eventId: string): Promise<InclusionProof | null> {
  const { rows } = await pool.query<EntryRow & { readonly previous: Buffer | null }>(
    `select e.entry, e.hash, (select hash from audit.log_entries p where p.number = e.number - 1) as previous
       from audit.log_entries e
      where event_id = $1`,
    [eventId],
  );
  const [row] = rows;
  if (!row) return null;
  const [root] = await queryRoots(pool, 'where r.day = $1', [row.entry.day]);
  if (!root) return null;
  const entries = await readEntriesOfDay(pool, root.day);
  return {
    entry: row.entry,
    hash: row.hash,
    previousHash: row.previous ?? NO_HASH,
    // The numbers of a day can have a gap, because earlier releases took a day in the future from a wrong time.
    steps: merkleProof(
      entries.map(({ hash }) => hash),
      entries.findIndex(({ number }) => number === row.entry.number),
    ),
    root,
  };
}

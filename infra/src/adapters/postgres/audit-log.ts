import { START_POSITION, type Position, type RecordedEvent } from '@alpenglow/domain';
import type { Pool, PoolClient } from 'pg';
import { eventHash, NO_HASH } from '../../audit/hashes.ts';
import { merkleProof, type ProofStep } from '../../audit/merkle.ts';
import {
  toEntryColumns,
  dailyRoot,
  entryHash,
  createLogEntry,
  belongsInModerationLog,
  type ChainedEntry,
  type DailyRoot,
  type EntryColumns,
  type StoredLogEntry,
  type LogEntry,
} from '../../audit/moderation-log.ts';

interface ChainHead {
  /** The number of events whose hashes are in the hash chain. */
  readonly events: number;
  readonly position: Position;
  readonly hash: Buffer;
  readonly lastEntry: { readonly number: number; readonly day: string; readonly hash: Buffer } | null;
  readonly lastRoot: { readonly day: string; readonly hash: Buffer } | null;
}

/** A block of the hash chain. It contains the hashes of the events that were added to the chain together. */
export interface HashBlock {
  readonly first: number;
  readonly positions: readonly Position[];
  readonly hashes: readonly Buffer[];
}

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

/**
 * Stores the moderation log and the hash chain of all events in the schema `audit`. Only one process at a time writes.
 * Rows are added, but never changed or removed.
 */
export type AuditLog = ReturnType<typeof createAuditLog>;

const PAGE = 500;
/**
 * A number below the number of every valid row. Reads start at this number, so that a row whose number was manipulated
 * is also read.
 */
const LOWEST_NUMBER = '-9223372036854775808';
/** The columns of `audit.log_entries`, in the order of the parameters of the insert statement. */
const ENTRY_COLUMNS = ['number', 'eventId', 'day', 'type', 'actorId', 'entry', 'hash'] as const;
const DAY = `to_char(day, 'YYYY-MM-DD') as day`;

interface EntryRow {
  readonly entry: LogEntry;
  readonly hash: Buffer;
}

export function createAuditLog(pool: Pool) {
  async function head(client: Pool | PoolClient = pool): Promise<ChainHead> {
    const { rows: blocks } = await client.query<{ events: string; position: Position; hash: Buffer }>(
      `select first + cardinality(positions) - 1 as events, positions[cardinality(positions)] as position,
              substring(hashes from octet_length(hashes) - 31) as hash
       from audit.event_hashes order by first desc limit 1`,
    );
    const { rows: entries } = await client.query<{ number: string; day: string; hash: Buffer }>(
      `select number, ${DAY}, hash from audit.log_entries order by number desc limit 1`,
    );
    const { rows: roots } = await client.query<{ day: string; hash: Buffer }>(
      `select ${DAY}, hash from audit.daily_roots order by audit.daily_roots.day desc limit 1`,
    );
    const [block] = blocks;
    const [entry] = entries;
    return {
      events: block ? Number(block.events) : 0,
      position: block?.position ?? START_POSITION,
      hash: block?.hash ?? NO_HASH,
      lastEntry: entry ? { ...entry, number: Number(entry.number) } : null,
      lastRoot: roots[0] ?? null,
    };
  }

  async function append(before: ChainHead, events: readonly RecordedEvent[]): Promise<ChainHead> {
    let { hash, lastEntry } = before;
    const hashes: Buffer[] = [];
    const entries: (EntryColumns & { readonly hash: Buffer })[] = [];
    for (const event of events) {
      hash = eventHash(hash, event);
      hashes.push(hash);
      if (!belongsInModerationLog(event)) continue;
      const entry = createLogEntry(event, lastEntry);
      const hashOfEntry = entryHash(lastEntry?.hash ?? NO_HASH, entry);
      entries.push({ ...toEntryColumns(entry), hash: hashOfEntry });
      lastEntry = { number: entry.number, day: entry.day, hash: hashOfEntry };
    }
    // A single statement writes either everything or nothing. If another process has already added these events, the
    // statement fails, because rows with the same primary keys exist.
    await pool.query({
      name: 'audit-append',
      text: `with chained as (insert into audit.event_hashes (first, positions, hashes) values ($1, $2, $3))
             insert into audit.log_entries (number, event_id, day, type, actor_id, entry, hash)
             select * from unnest(
               $4::bigint[], $5::uuid[], $6::date[], $7::text[], $8::text[], $9::json[], $10::bytea[])`,
      values: [
        before.events + 1,
        events.map(({ position }) => position),
        Buffer.concat(hashes),
        ...ENTRY_COLUMNS.map((column) => entries.map((entry) => entry[column])),
      ],
    });
    return {
      ...before,
      events: before.events + events.length,
      position: events.at(-1)?.position ?? before.position,
      hash,
      lastEntry,
    };
  }

  async function entriesOn(day: string): Promise<readonly { readonly number: number; readonly hash: Buffer }[]> {
    const { rows } = await pool.query<{ number: string; hash: Buffer }>(
      'select number, hash from audit.log_entries where day = $1 order by number',
      [day],
    );
    return rows.map(({ number, hash }) => ({ number: Number(number), hash }));
  }

  async function queryRoots(clauses: string, values: readonly unknown[]): Promise<readonly DailyRoot[]> {
    const { rows } = await pool.query<Omit<DailyRoot, 'first' | 'last'> & { first: string; last: string }>(
      `select ${DAY}, first, last, root, hash from audit.daily_roots r ${clauses}`,
      [...values],
    );
    return rows.map((row) => ({ ...row, first: Number(row.first), last: Number(row.last) }));
  }

  return {
    head,
    /**
     * Adds the hashes of events to the end of the chain, and returns the new end. The events must directly follow the
     * events in the chain. If another process has added these events first, rejects without writing anything.
     */
    append,
    /**
     * Stores the root hash of the log entries of each day before `today` (UTC, e.g. `2026-11-22`). Skips days whose
     * root hash is already stored.
     */
    async sealDaysBefore(today: string): Promise<void> {
      const { lastRoot } = await head();
      const { rows: days } = await pool.query<{ day: string }>(
        `select distinct ${DAY}, audit.log_entries.day as of_day
           from audit.log_entries
          where day < $1 and ($2::date is null or day > $2)
          order by of_day`,
        [today, lastRoot?.day ?? null],
      );
      let previous = lastRoot?.hash ?? NO_HASH;
      for (const { day } of days) {
        const { first, last, root, hash } = dailyRoot(day, await entriesOn(day), previous);
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
    /** Yields all blocks of the hash chain in order. Reads the blocks in batches. */
    async *readBlocks(): AsyncGenerator<HashBlock> {
      for (let after = LOWEST_NUMBER; ; ) {
        const { rows } = await pool.query<{ first: string; positions: Position[]; hashes: Buffer }>(
          'select first, positions, hashes from audit.event_hashes where first > $1 order by first limit $2',
          [after, PAGE],
        );
        for (const { first, positions, hashes } of rows)
          yield {
            first: Number(first),
            positions,
            hashes: positions.map((_position, index) => hashes.subarray(index * 32, index * 32 + 32)),
          };
        if (rows.length < PAGE) return;
        after = rows.at(-1)?.first ?? after;
      }
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
    /** Returns the number and the hash of every log entry of a day, in the order of their numbers. */
    readEntriesOfDay: entriesOn,
    /** Returns the root hashes of all days, starting with the first day. */
    readRoots: (): Promise<readonly DailyRoot[]> => queryRoots('order by r.day', []),
    /**
     * Returns the root hashes of days before `day`, newest first. If `day` is null, starts with the newest root hash.
     */
    listRootsBefore: (day: string | null, limit: number): Promise<readonly DailyRoot[]> =>
      queryRoots('where $1::date is null or r.day < $1 order by r.day desc limit $2', [day, limit]),
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
    async findProof(eventId: string): Promise<InclusionProof | null> {
      const { rows } = await pool.query<EntryRow & { readonly previous: Buffer | null }>(
        `select e.entry, e.hash, (select hash from audit.log_entries p where p.number = e.number - 1) as previous
           from audit.log_entries e
          where event_id = $1`,
        [eventId],
      );
      const [row] = rows;
      if (!row) return null;
      const [root] = await queryRoots('where r.day = $1', [row.entry.day]);
      if (!root) return null;
      const hashes = (await entriesOn(root.day)).map(({ hash }) => hash);
      return {
        entry: row.entry,
        hash: row.hash,
        previousHash: row.previous ?? NO_HASH,
        steps: merkleProof(hashes, row.entry.number - root.first),
        root,
      };
    },
  };
}

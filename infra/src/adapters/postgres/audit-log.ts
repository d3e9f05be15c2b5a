import { START_POSITION, type EventStore, type LogMark, type Position, type RecordedEvent } from '@alpenglow/domain';
import type { Pool, PoolClient } from 'pg';
import { eventHash, NO_HASH } from '../../audit/hashes.ts';
import { merkleProof, type ProofStep } from '../../audit/merkle.ts';
import {
  toEntryColumns,
  dailyRoot,
  dayOfEntry,
  entryHash,
  createContinuationEntry,
  createLogEntry,
  belongsInModerationLog,
  readContinuation,
  CHAIN_CONTINUED,
  type Continuation,
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
 * Rows are added, but never changed or removed. Only the rows of events that the event log has lost are moved to other
 * tables (decision 0070).
 */
export type AuditLog = ReturnType<typeof createAuditLog>;

/** A loss of events, at least one of them of a sealed day. A past day is sealed if its root hash is stored. */
export interface SealedLoss {
  /** The number of chained events that the log still contains. */
  readonly commonEvents: number;
  /** The position of the last of them. */
  readonly position: Position;
  /** Without any hash, e.g. after a restore, only the number of lost entries of the moderation log is known. */
  readonly lostEvents: number;
  /** The number of the first lost entry of the moderation log. */
  readonly firstLostEntry: number;
  /** The first day whose root hash contains a lost entry. */
  readonly day: string;
}

/**
 * The audit chain contains events that the event log has lost, and the root hash of a past day contains some of them. A
 * published root must never change, so the chain stops until an administrator decides.
 */
export class SealedDayLost extends Error {
  override readonly name = 'SealedDayLost';
  readonly loss: SealedLoss;
  constructor(loss: SealedLoss) {
    super(
      `The event log has lost ${loss.lostEvents} events of the audit chain, but the root of ${loss.day} contains ` +
        `some of them. The audit chain has stopped.`,
    );
    this.loss = loss;
  }
}

/** Describes that the event log was replaced by an older state, e.g. by a failover or a restore. */
export interface LogRewind {
  /** The number of replacements of the log so far, including this one. */
  readonly incarnation: number;
  /** The number of events in the audit chain that the log has lost. */
  readonly lostEvents: number;
  /** The position of the last event of the audit chain that the log still contains. */
  readonly position: Position;
}

/** The event log of the audit chain. It returns events as they are stored, with encrypted personal data. */
type SealedStore = Pick<EventStore, 'findEventId' | 'readAll' | 'readStream'>;

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

/** Runs statements in one transaction, and rolls them back if `work` rejects. */
async function inTransaction(pool: Pool, work: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  let isBroken = true;
  try {
    await client.query('begin');
    await work(client);
    await client.query('commit');
    isBroken = false;
  } finally {
    // Closing the connection rolls the transaction back.
    client.release(isBroken);
  }
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

  /** Returns the chained event with this number from 1. Null for number 0. */
  async function readChained(number: number): Promise<{ position: Position; hash: Buffer } | null> {
    const { rows } = await pool.query<{ position: Position; hash: Buffer }>(
      `select positions[($1::bigint - first + 1)::integer] as position,
              substring(hashes from (($1::bigint - first) * 32 + 1)::integer for 32) as hash
         from audit.event_hashes where first <= $1::bigint order by first desc limit 1`,
      [number],
    );
    return rows[0] ?? null;
  }

  /** Returns the event of the log with this number in the chain. Null if the log does not contain the chained event. */
  async function findChained(store: SealedStore, number: number): Promise<LogMark | null> {
    const own = await readChained(number);
    const previous = await readChained(number - 1);
    const after = previous?.position ?? START_POSITION;
    // The chain has hashes and no ids, so every event at the position is accepted here. The hash is compared below.
    if (own === null || (after !== START_POSITION && (await store.findEventId(after, null)) === null)) return null;
    const [event] = await store.readAll({ after, limit: 1 });
    return event?.position === own.position && eventHash(previous?.hash ?? NO_HASH, event).equals(own.hash)
      ? event
      : null;
  }

  /**
   * Returns the last of the first `events` chained events that the log still contains, and its number. If the log
   * contains an event, it also contains all earlier ones, so a binary search finds the last one.
   */
  async function findLastCommon(store: SealedStore, events: number): Promise<{ common: number; last: LogMark }> {
    let last: LogMark = { position: START_POSITION, id: null };
    let [common, high] = [0, events];
    // A node of EventStoreDB may be behind for a moment. This read then waits until it can confirm that the event of
    // the end of the chain is lost. The result is not needed, because the hashes are compared below.
    const end = await readChained(events);
    if (end !== null) await store.findEventId(end.position, null);
    // The first attempt is the last event, because normally nothing is lost.
    for (let next = events; common < high; next = Math.ceil((common + high) / 2)) {
      const found = await findChained(store, next);
      if (found) [common, last] = [next, found];
      else high = next - 1;
    }
    return { common, last };
  }

  /**
   * Returns the number of the first log entry whose event the log does not contain. Entries about a continuation have
   * no event, and the entries that were lost before a continuation are skipped.
   */
  async function findFirstLostEntry(store: SealedStore, lastEntry: number): Promise<number> {
    let firstLost = lastEntry + 1;
    for (let number = lastEntry; number > 0; number -= 1) {
      const { rows } = await pool.query<EntryRow>('select entry, hash from audit.log_entries where number = $1', [
        number,
      ]);
      const entry = rows[0]?.entry;
      const continuation = entry && readContinuation(entry);
      if (continuation) {
        number = continuation.firstLostEntry;
        continue;
      }
      const [event] = entry ? await store.readStream(entry.stream, { from: entry.revision, limit: 1 }) : [];
      if (entry && event?.id === entry.eventId) return firstLost;
      firstLost = number;
    }
    return firstLost;
  }

  /** Compares the chain with the log. `sealed` is set if the root hash of a past day contains a lost event. */
  async function compareWithLog(store: SealedStore, { events, lastEntry }: ChainHead) {
    const { common, last } = await findLastCommon(store, events);
    const lastNumber = lastEntry?.number ?? 0;
    // After a switch to another event store and after a restore, there are entries but no hashes. The entries then
    // show whether the log has lost events.
    const hasHashes = events > 0;
    const lostEntry = hasHashes && common === events ? lastNumber + 1 : await findFirstLostEntry(store, lastNumber);
    const lostEvents = hasHashes ? events - common : lastNumber + 1 - lostEntry;
    const [root] = await queryRoots('where r.last >= $1 order by r.day limit 1', [lostEntry]);
    const sealed: SealedLoss | null = root
      ? { commonEvents: common, position: last.position, lostEvents, firstLostEntry: lostEntry, day: root.day }
      : null;
    return { common, last, lostEvents, lostEntry, sealed };
  }

  /**
   * Returns the ids of the events that already have a log entry. After a switch to another event store and after a
   * restore, all events are chained again, but their entries remain.
   */
  async function findLoggedIds(events: readonly RecordedEvent[]): Promise<ReadonlySet<string>> {
    if (events.length === 0) return new Set();
    const { rows } = await pool.query<{ id: string }>(
      'select event_id as id from audit.log_entries where event_id = any($1)',
      [events.map(({ id }) => id)],
    );
    return new Set(rows.map(({ id }) => id));
  }

  async function append(
    before: ChainHead,
    events: readonly RecordedEvent[],
    today = new Date().toISOString().slice(0, 10),
  ): Promise<ChainHead> {
    let { hash, lastEntry } = before;
    const lastRoot = events.some(belongsInModerationLog) ? (await head()).lastRoot : before.lastRoot;
    const bounds = { today, lastRootDay: lastRoot?.day ?? null };
    const logged = await findLoggedIds(events.filter(belongsInModerationLog));
    const hashes: Buffer[] = [];
    const entries: (EntryColumns & { readonly hash: Buffer })[] = [];
    for (const event of events) {
      hash = eventHash(hash, event);
      hashes.push(hash);
      if (!belongsInModerationLog(event) || logged.has(event.id)) continue;
      const entry = createLogEntry(event, lastEntry, dayOfEntry(event, lastEntry?.day ?? null, bounds));
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
     * Returns the last chained event that the event log still contains, with position `START_POSITION` if there is
     * none. If the chain contains later events, the log has lost them. Their hashes and entries are then moved to the
     * tables of lost events, and `rewind` describes what was lost. With `isRewound`, `rewind` is stored even if the
     * chain lost nothing. Throws `SealedDayLost` if the root hash of a past day contains a lost event.
     */
    async setLostEventsAside(
      store: SealedStore,
      { isRewound }: { readonly isRewound: boolean },
    ): Promise<{ readonly last: LogMark; readonly rewind: LogRewind | null }> {
      const { common, last, lostEvents, lostEntry, sealed } = await compareWithLog(store, await head());
      if (lostEvents === 0 && !isRewound) return { last, rewind: null };
      if (sealed) throw new SealedDayLost(sealed);
      const { rows } = await pool.query<{ incarnation: string }>('select audit.set_aside($1, $2, $3) as incarnation', [
        common,
        last.position,
        lostEntry,
      ]);
      return { last, rewind: { incarnation: Number(rows[0]?.incarnation), lostEvents, position: last.position } };
    },
    /**
     * Continues a chain that has stopped with `SealedDayLost`, by decision of an operator. Adds an entry to the
     * moderation log with the reason, the last common position and the lost range. The hashes of the lost events move
     * to the table of lost events. Entries and roots do not change, because the roots were published. Returns null
     * without a change if no root contains a lost event.
     */
    async continueAfterLoss(
      store: SealedStore,
      reason: string,
      now = new Date().toISOString(),
    ): Promise<{ readonly loss: SealedLoss; readonly entry: number } | null> {
      const before = await head();
      const { sealed } = await compareWithLog(store, before);
      const { lastEntry } = before;
      if (!sealed || !lastEntry) return null;
      const bounds = { today: now.slice(0, 10), lastRootDay: before.lastRoot?.day ?? null };
      const day = dayOfEntry({ meta: { at: now } }, lastEntry.day, bounds);
      const facts = {
        reason,
        commonEvents: sealed.commonEvents,
        commonPosition: sealed.position,
        lostEvents: sealed.lostEvents,
        firstLostEntry: sealed.firstLostEntry,
        lastLostEntry: lastEntry.number,
      };
      const entry = createContinuationEntry(facts, { previous: lastEntry, day, at: now });
      const columns = toEntryColumns(entry);
      await inTransaction(pool, async (client) => {
        // No entry is removed, so the first number to remove is behind the last entry.
        await client.query('select audit.set_aside($1, $2, $3)', [
          sealed.commonEvents,
          sealed.position,
          lastEntry.number + 1,
        ]);
        await client.query(
          `insert into audit.log_entries (number, event_id, day, type, actor_id, entry, hash)
           values ($1, $2, $3, $4, $5, $6, $7)`,
          [
            columns.number,
            columns.eventId,
            columns.day,
            columns.type,
            columns.actorId,
            columns.entry,
            entryHash(lastEntry.hash, entry),
          ],
        );
        await client.query('delete from ops.audit_chain_stop');
      });
      return { loss: sealed, entry: entry.number };
    },
    /** Stores that the chain has stopped, or with null that it runs. */
    async recordStop(loss: SealedLoss | null): Promise<void> {
      if (!loss) {
        await pool.query('delete from ops.audit_chain_stop');
        return;
      }
      await pool.query(
        `insert into ops.audit_chain_stop (common_position, lost_events, first_lost_entry, day) values ($1, $2, $3, $4)
         on conflict (id) do update
            set common_position = excluded.common_position, lost_events = excluded.lost_events,
                first_lost_entry = excluded.first_lost_entry, day = excluded.day`,
        [loss.position, loss.lostEvents, loss.firstLostEntry, loss.day],
      );
    },
    /** Returns true while the chain is stopped. */
    async isStopped(): Promise<boolean> {
      return (await pool.query('select from ops.audit_chain_stop')).rowCount !== 0;
    },
    /**
     * Adds the hashes of events to the end of the chain, and returns the new end. Adds an entry of the moderation log
     * for each event that has none. The events must directly follow the events in the chain. If another process has
     * added these events first, rejects without writing anything. `today` is the latest day (UTC) of the added entries.
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
      const entries = await entriesOn(root.day);
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
    },
  };
}

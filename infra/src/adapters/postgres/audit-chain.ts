import { START_POSITION, type Position, type RecordedEvent } from '@alpenglow/domain';
import type { Pool } from 'pg';
import { chainLink, eventHash, NO_HASH } from '../../audit/hashes.ts';
import {
  belongsInModerationLog,
  createLogEntry,
  dayOfEntry,
  entryHash,
  toEntryColumns,
  type EntryColumns,
} from '../../audit/moderation-log.ts';
import { readSegmentStarts } from './audit-segments.ts';
import { DAY, ENTRY_COLUMNS, LOWEST_NUMBER, PAGE } from './audit-rows.ts';

/** The end of the hash chain, and of the moderation log. */
export interface ChainHead {
  /** The number of events whose hashes are in the hash chain. */
  readonly events: number;
  readonly position: Position;
  /** The hash of the last event, or `NO_HASH`. */
  readonly hash: Buffer;
  readonly lastEntry: { readonly number: number; readonly day: string; readonly hash: Buffer } | null;
  readonly lastRoot: { readonly day: string; readonly hash: Buffer } | null;
  /** The start hashes of the segments that begin after `events`, by the number of their first event. */
  readonly segmentStarts: ReadonlyMap<number, Buffer>;
}

/** A block of the hash chain. It contains the hashes of the events that were added to the chain together. */
export interface HashBlock {
  readonly first: number;
  readonly positions: readonly Position[];
  readonly hashes: readonly Buffer[];
}

/**
 * Creates the access to the hash chain of all events. It owns the table `audit.event_hashes`, and adds the rows of
 * `audit.log_entries` in the same statements. Invariant: each block directly follows the block before it.
 */
export function createAuditChain(pool: Pool) {
  return {
    head: (): Promise<ChainHead> => readChainHead(pool),
    /**
     * Adds the hashes of events to the end of the chain, and returns the new end. Adds an entry of the moderation log
     * for each event that has none. The events must directly follow the events in the chain. If another process has
     * added these events first, rejects without writing anything. `today` is the latest day (UTC) of the added entries.
     */
    append: (before: ChainHead, events: readonly RecordedEvent[], today?: string): Promise<ChainHead> =>
      append(pool, before, events, today),
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
  };
}

/** Returns the end of the hash chain and of the moderation log. */
export async function readChainHead(pool: Pool): Promise<ChainHead> {
  const { rows: blocks } = await pool.query<{ events: string; position: Position; hash: Buffer }>(
    `select first + cardinality(positions) - 1 as events, positions[cardinality(positions)] as position,
            substring(hashes from octet_length(hashes) - 31) as hash
     from audit.event_hashes order by first desc limit 1`,
  );
  const { rows: entries } = await pool.query<{ number: string; day: string; hash: Buffer }>(
    `select number, ${DAY}, hash from audit.log_entries order by number desc limit 1`,
  );
  const { rows: roots } = await pool.query<{ day: string; hash: Buffer }>(
    `select ${DAY}, hash from audit.daily_roots order by audit.daily_roots.day desc limit 1`,
  );
  const [block] = blocks;
  const [entry] = entries;
  const events = block ? Number(block.events) : 0;
  return {
    events,
    position: block?.position ?? START_POSITION,
    hash: block?.hash ?? NO_HASH,
    lastEntry: entry ? { ...entry, number: Number(entry.number) } : null,
    lastRoot: roots[0] ?? null,
    segmentStarts: await readSegmentStarts(pool, events + 1),
  };
}

/**
 * Returns the ids of the events that already have a log entry. After a switch to another event store and after a
 * restore, all events are chained again, but their entries remain.
 */
async function findLoggedIds(pool: Pool, events: readonly RecordedEvent[]): Promise<ReadonlySet<string>> {
  if (events.length === 0) return new Set();
  const { rows } = await pool.query<{ id: string }>(
    'select event_id as id from audit.log_entries where event_id = any($1)',
    [events.map(({ id }) => id)],
  );
  return new Set(rows.map(({ id }) => id));
}

async function append(
  pool: Pool,
  before: ChainHead,
  events: readonly RecordedEvent[],
  today = new Date().toISOString().slice(0, 10),
): Promise<ChainHead> {
  let { hash, lastEntry } = before;
  const lastRoot = events.some(belongsInModerationLog) ? (await readChainHead(pool)).lastRoot : before.lastRoot;
  const bounds = { today, lastRootDay: lastRoot?.day ?? null };
  const logged = await findLoggedIds(pool, events.filter(belongsInModerationLog));
  const hashes: Buffer[] = [];
  const entries: (EntryColumns & { readonly hash: Buffer })[] = [];
  for (const [index, event] of events.entries()) {
    hash = eventHash(chainLink(before.segmentStarts.get(before.events + index + 1), hash), event);
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
    text: `with chained as (insert into audit.event_hashes (first, positions, hashes) values ($1, $2, $3)),
           started as (
             insert into audit.chain_starts (segments)
             select max(number) from audit.chain_segments having $1::bigint = 1 and max(number) is not null
             on conflict do nothing)
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

import { START, type Position, type RecordedEvent } from '@alpenglow/domain';
import type { Pool, PoolClient } from 'pg';
import { eventHash, NO_HASH } from '../../audit/hashes.ts';
import { merkleProof, type ProofStep } from '../../audit/merkle.ts';
import {
  columnsOf,
  dailyRoot,
  entryHash,
  entryOf,
  isLogged,
  type ChainedEntry,
  type DailyRoot,
  type EntryColumns,
  type KeptEntry,
  type LogEntry,
} from '../../audit/moderation-log.ts';

/** How far the events are chained. */
export interface ChainHead {
  /** So many events. */
  readonly events: number;
  readonly position: Position;
  readonly hash: Buffer;
  readonly lastEntry: { readonly number: number; readonly day: string; readonly hash: Buffer } | null;
  readonly lastRoot: { readonly day: string; readonly hash: Buffer } | null;
}

/** Hashes of events that were chained together, as they are kept. */
export interface HashBlock {
  readonly first: number;
  readonly positions: readonly Position[];
  readonly hashes: readonly Buffer[];
}

/** Proves that an entry is in the log: its hash leads by these steps to the root of its day. */
export interface InclusionProof extends ChainedEntry {
  readonly previousHash: Buffer;
  readonly steps: readonly ProofStep[];
  readonly root: DailyRoot;
}

export interface EntriesQuery {
  readonly type: string | null;
  readonly actorId: string | null;
  /** The number of the last entry of the page before. */
  readonly before: number | null;
  readonly limit: number;
}

/** The chain of hashes over all events and the moderation log, in `audit`. Written by one duty, and only ever added to. */
export interface AuditLog {
  head(): Promise<ChainHead>;
  /** Chains events that follow `head` without a gap; answers the new head. Rejects, with nothing written, when another writer was there. */
  append(head: ChainHead, events: readonly RecordedEvent[]): Promise<ChainHead>;
  /** Seals the days before `today` (UTC, `2026-11-22`) that are not sealed yet. */
  sealDaysBefore(today: string): Promise<void>;
  /** All blocks, in order, `limit` at a time. */
  blocks(): AsyncGenerator<HashBlock>;
  /** All rows of the log, in order. */
  entries(): AsyncGenerator<KeptEntry>;
  /** The entries of these events, by event id. */
  entriesOf(eventIds: readonly string[]): Promise<ReadonlyMap<string, ChainedEntry>>;
  /** Number and hash of each entry of a day, in order. */
  entriesOn(day: string): Promise<readonly { readonly number: number; readonly hash: Buffer }[]>;
  /** All roots, from the first day on. */
  roots(): Promise<readonly DailyRoot[]>;
  /** Roots from the newest to the oldest, of days before `day` where one is given. */
  rootsBefore(day: string | null, limit: number): Promise<readonly DailyRoot[]>;
  /** Entries from the newest to the oldest. */
  page(query: EntriesQuery): Promise<readonly ChainedEntry[]>;
  /** Null where the event has no entry, or its day is not over. */
  proofOf(eventId: string): Promise<InclusionProof | null>;
}

const PAGE = 500;
/** Nothing is numbered so: pages begin here, so that a row whose number was changed is read, too. */
const BEFORE_ALL = '-9223372036854775808';
const DAY = `to_char(day, 'YYYY-MM-DD') as day`;

interface EntryRow {
  readonly entry: LogEntry;
  readonly hash: Buffer;
}

export function createAuditLog(pool: Pool): AuditLog {
  async function head(client: Pool | PoolClient = pool): Promise<ChainHead> {
    const { rows: blocks } = await client.query<{ events: string; position: Position; hash: Buffer }>(
      `select first + cardinality(positions) - 1 as events, positions[cardinality(positions)] as position, substring(hashes from octet_length(hashes) - 31) as hash
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
      position: block?.position ?? START,
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
      if (!isLogged(event)) continue;
      const entry = entryOf(event, lastEntry);
      const hashOfEntry = entryHash(lastEntry?.hash ?? NO_HASH, entry);
      entries.push({ ...columnsOf(entry), hash: hashOfEntry });
      lastEntry = { number: entry.number, day: entry.day, hash: hashOfEntry };
    }
    // One statement: all of it or nothing. Numbers that are there already are another writer's, and refused by their keys.
    await pool.query({
      name: 'audit-append',
      text: `with chained as (insert into audit.event_hashes (first, positions, hashes) values ($1, $2, $3))
             insert into audit.log_entries (number, event_id, day, type, actor_id, entry, hash)
             select * from unnest($4::bigint[], $5::uuid[], $6::date[], $7::text[], $8::text[], $9::json[], $10::bytea[])`,
      values: [
        before.events + 1,
        events.map(({ position }) => position),
        Buffer.concat(hashes),
        entries.map(({ number }) => number),
        entries.map(({ eventId }) => eventId),
        entries.map(({ day }) => day),
        entries.map(({ type }) => type),
        entries.map(({ actorId }) => actorId),
        entries.map(({ entry }) => entry),
        entries.map((row) => row.hash),
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

  async function someRoots(rest: string, values: readonly unknown[]): Promise<readonly DailyRoot[]> {
    const { rows } = await pool.query<Omit<DailyRoot, 'first' | 'last'> & { first: string; last: string }>(
      `select ${DAY}, first, last, root, hash from audit.daily_roots r ${rest}`,
      [...values],
    );
    return rows.map((row) => ({ ...row, first: Number(row.first), last: Number(row.last) }));
  }

  return {
    head,
    append,
    async sealDaysBefore(today) {
      const { lastRoot } = await head();
      const { rows: days } = await pool.query<{ day: string }>(
        `select distinct ${DAY}, audit.log_entries.day as of_day from audit.log_entries where day < $1 and ($2::date is null or day > $2) order by of_day`,
        [today, lastRoot?.day ?? null],
      );
      let previous = lastRoot?.hash ?? NO_HASH;
      for (const { day } of days) {
        const sealed = dailyRoot(day, await entriesOn(day), previous);
        await pool.query('insert into audit.daily_roots (day, first, last, root, hash) values ($1, $2, $3, $4, $5)', [
          sealed.day,
          sealed.first,
          sealed.last,
          sealed.root,
          sealed.hash,
        ]);
        previous = sealed.hash;
      }
    },
    async *blocks() {
      for (let after = BEFORE_ALL; ; ) {
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
    async *entries() {
      for (let after = BEFORE_ALL; ; ) {
        const { rows } = await pool.query<EntryColumns & { readonly hash: Buffer }>(
          `select number, event_id as "eventId", ${DAY}, type, actor_id as "actorId", entry::text as entry, hash from audit.log_entries where number > $1 order by audit.log_entries.number limit $2`,
          [after, PAGE],
        );
        for (const { hash, ...columns } of rows) yield { entry: JSON.parse(columns.entry) as LogEntry, hash, columns };
        if (rows.length < PAGE) return;
        after = rows.at(-1)?.number ?? after;
      }
    },
    async entriesOf(eventIds) {
      const { rows } = await pool.query<EntryRow & { readonly eventId: string }>(
        'select event_id as "eventId", entry, hash from audit.log_entries where event_id = any($1)',
        [eventIds],
      );
      return new Map(rows.map(({ eventId, entry, hash }) => [eventId, { entry, hash }]));
    },
    entriesOn,
    roots: () => someRoots('order by r.day', []),
    rootsBefore: (day, limit) =>
      someRoots('where $1::date is null or r.day < $1 order by r.day desc limit $2', [day, limit]),
    async page({ type, actorId, before, limit }) {
      const { rows } = await pool.query<EntryRow>(
        `select entry, hash from audit.log_entries
         where ($1::text is null or type = $1) and ($2::text is null or actor_id = $2) and ($3::bigint is null or number < $3) order by number desc limit $4`,
        [type, actorId, before, limit],
      );
      return rows;
    },
    async proofOf(eventId) {
      const { rows } = await pool.query<EntryRow & { readonly previous: Buffer | null }>(
        `select e.entry, e.hash, (select hash from audit.log_entries p where p.number = e.number - 1) as previous from audit.log_entries e where event_id = $1`,
        [eventId],
      );
      const [found] = rows;
      if (!found) return null;
      const [root] = await someRoots('where r.day = $1', [found.entry.day]);
      if (!root) return null;
      const hashes = (await entriesOn(root.day)).map(({ hash }) => hash);
      return {
        entry: found.entry,
        hash: found.hash,
        previousHash: found.previous ?? NO_HASH,
        steps: merkleProof(hashes, found.entry.number - root.first),
        root,
      };
    },
  };
}

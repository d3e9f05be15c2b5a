import { START_POSITION, type EventStore, type LogMark, type Position } from '@alpenglow/domain';
import type { Pool } from 'pg';
import { chainLink, eventHash, NO_HASH } from '../../audit/hashes.ts';
import { readContinuation } from '../../audit/moderation-log.ts';
import type { ChainHead } from './audit-chain.ts';
import { readSegmentStarts } from './audit-segments.ts';
import { queryRoots } from './audit-roots.ts';
import type { EntryRow } from './audit-rows.ts';

/** The event log of the audit chain. It returns events as they are stored, with encrypted personal data. */
export type EncryptedStore = Pick<EventStore, 'findEventId' | 'readAll' | 'readStream'>;

/** A loss of events, at least one of them of a sealed day. A past day is sealed if its root hash is stored. */
export interface SealedLoss {
  /** The number of chained events that the log still contains. */
  readonly commonEvents: number;
  /** The position of the last of them. */
  readonly position: Position;
  /** The number of lost events. If the chain has no hashes, e.g. after a restore, that of lost entries of the log. */
  readonly lostEvents: number;
  /** The number of the first lost entry of the moderation log. */
  readonly firstLostEntry: number;
  /** The first day whose root hash contains a lost entry. */
  readonly day: string;
}

/** The result of a comparison of the chain with the log. */
interface Comparison {
  /** The number of the chained events that the log still contains, and the last of them. */
  readonly common: number;
  readonly last: LogMark;
  readonly lostEvents: number;
  /** The number of the first log entry whose event the log does not contain. */
  readonly lostEntry: number;
  /** Set if the root hash of a past day contains a lost event. */
  readonly sealed: SealedLoss | null;
}

/** Compares the chain, whose end is given, with the log. Reads only. */
export async function compareWithLog(
  pool: Pool,
  store: EncryptedStore,
  { events, lastEntry }: ChainHead,
): Promise<Comparison> {
  const { common, last } = await findLastCommon(pool, store, events);
  const lastNumber = lastEntry?.number ?? 0;
  // After a switch to another event store and after a restore, there are entries but no hashes. The entries then
  // show whether the log has lost events.
  const hasHashes = events > 0;
  const lostEntry = hasHashes && common === events ? lastNumber + 1 : await findFirstLostEntry(pool, store, lastNumber);
  const lostEvents = hasHashes ? events - common : lastNumber + 1 - lostEntry;
  const [root] = await queryRoots(pool, 'where r.last >= $1 order by r.day limit 1', [lostEntry]);
  const sealed: SealedLoss | null = root
    ? { commonEvents: common, position: last.position, lostEvents, firstLostEntry: lostEntry, day: root.day }
    : null;
  return { common, last, lostEvents, lostEntry, sealed };
}

/**
 * Returns the last chained event that the log still contains, and its number, which is at most `events`. If the log
 * contains an event, it also contains all earlier ones, so a binary search finds the last one.
 */
async function findLastCommon(
  pool: Pool,
  store: EncryptedStore,
  events: number,
): Promise<{ common: number; last: LogMark }> {
  let last: LogMark = { position: START_POSITION, id: null };
  let [common, high] = [0, events];
  // A node of EventStoreDB may be behind for a moment. This read then waits until it can confirm that the event of
  // the end of the chain is lost. The result is not needed, because the hashes are compared below.
  const end = await readChained(pool, events);
  if (end !== null) await store.findEventId(end.position, null);
  const starts = await readSegmentStarts(pool, 1);
  // The first attempt is the last event, because normally nothing is lost.
  for (let next = events; common < high; next = Math.ceil((common + high) / 2)) {
    const found = await findChained(pool, store, starts, next);
    if (found) [common, last] = [next, found];
    else high = next - 1;
  }
  return { common, last };
}

/**
 * Returns the event of the log with this number in the chain. Null if the log does not contain the chained event.
 * `starts` are the start hashes of the segments.
 */
async function findChained(
  pool: Pool,
  store: EncryptedStore,
  starts: ReadonlyMap<number, Buffer>,
  number: number,
): Promise<LogMark | null> {
  const own = await readChained(pool, number);
  const previous = await readChained(pool, number - 1);
  const after = previous?.position ?? START_POSITION;
  // The chain has hashes and no ids, so every event at the position is accepted here. The hash is compared below.
  if (own === null || (after !== START_POSITION && (await store.findEventId(after, null)) === null)) return null;
  const [event] = await store.readAll({ after, limit: 1 });
  const chainedTo = chainLink(starts.get(number), previous?.hash ?? NO_HASH);
  return event?.position === own.position && eventHash(chainedTo, event).equals(own.hash) ? event : null;
}

/** Returns the chained event with this number from 1. Null for number 0. */
async function readChained(pool: Pool, number: number): Promise<{ position: Position; hash: Buffer } | null> {
  const { rows } = await pool.query<{ position: Position; hash: Buffer }>(
    `select positions[($1::bigint - first + 1)::integer] as position,
            substring(hashes from (($1::bigint - first) * 32 + 1)::integer for 32) as hash
       from audit.event_hashes where first <= $1::bigint order by first desc limit 1`,
    [number],
  );
  return rows[0] ?? null;
}

/**
 * Returns the number of the first log entry whose event the log does not contain. Entries about a continuation have
 * no event, and the entries that were lost before a continuation are skipped.
 */
async function findFirstLostEntry(pool: Pool, store: EncryptedStore, lastEntry: number): Promise<number> {
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

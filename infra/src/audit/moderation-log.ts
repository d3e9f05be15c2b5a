import type { Actor, RecordedEvent } from '@alpenglow/domain';
import { canonicalJson, sha256 } from './hashes.ts';
import { merkleRoot } from './merkle.ts';

/** An entry of the moderation log: what happened to whom by whose doing, with nothing that only a key may open. */
export interface LogEntry {
  /** Counted from 1. */
  readonly number: number;
  /** The day it belongs to, UTC, `2026-11-22`. */
  readonly day: string;
  readonly eventId: string;
  readonly type: string;
  readonly stream: string;
  readonly revision: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: Actor;
  /** What of the event is readable without a key. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** SHA-256 of the event's data as it is kept, sealed words included: an entry proves them, too. */
  readonly dataHash: string;
}

export interface ChainedEntry {
  readonly entry: LogEntry;
  readonly hash: Buffer;
}

/** An entry as its row keeps it, each column as text. All but its hash is made of the entry. */
export interface EntryColumns {
  readonly number: string;
  readonly eventId: string;
  readonly day: string;
  readonly type: string;
  readonly actorId: string | null;
  /** The entry as JSON, byte by byte. */
  readonly entry: string;
}

/** A row of the log as it was found: its columns may say something else than its entry, which is then no entry that was written. */
export interface KeptEntry extends ChainedEntry {
  readonly columns: EntryColumns;
}

/** The root of a day that is over. */
export interface DailyRoot {
  readonly day: string;
  /** Numbers of its first and last entry. */
  readonly first: number;
  readonly last: number;
  readonly root: Buffer;
  /** Of this root and the one before it. */
  readonly hash: Buffer;
}

/** Events that are moderation whoever they come from. */
const ALWAYS =
  /^(?:Report|Case|Appeal|Role|HidingRule|Identity|LegalHold|Erasure|Rebuild|ParkedEvent|AccountVerifiedByAdmin$|AdHidden$|AdRestored$|AdHoldLifted$|AdFeatured$|PostHidden$|PostRestored$|Thread(?:Locked|Unlocked|Pinned|Unpinned|Moved)$|EmailVerificationCleared$|Article)/u;
/** What people do with what is theirs is moderation where somebody else does it. */
const BY_OTHERS = new Set(['AccountClosed', 'AdDeleted']);

/**
 * Types that came to the log after stores had events of them, each with the first version that is logged: whether an event is in the log
 * must be told by the event alone, so that entries and roots come out the same wherever the log is made again.
 */
const SINCE_VERSION: Readonly<Record<string, number>> = { JobRetried: 2, JobRemoved: 2, DeadJobsRetried: 2 };

/** Whether an event, of the version it is kept in, belongs in the moderation log. */
export function isLogged({ type, version, data, meta: { actor } }: RecordedEvent): boolean {
  if (ALWAYS.test(type)) return true;
  const since = SINCE_VERSION[type];
  if (since !== undefined) return version >= since;
  return (
    BY_OTHERS.has(type) && (actor.kind !== 'account' || actor.accountId !== (data as { accountId?: unknown }).accountId)
  );
}

/** The entry of an event after `previous`. */
export function entryOf(
  { id, type, stream, revision, data, meta }: RecordedEvent,
  previous: Pick<LogEntry, 'number' | 'day'> | null,
): LogEntry {
  const { $sealed: _sealed, ...facts } = data as Record<string, unknown>;
  const day = meta.at.slice(0, 10);
  return {
    number: (previous?.number ?? 0) + 1,
    day: previous && previous.day > day ? previous.day : day,
    eventId: id,
    type,
    stream,
    revision,
    at: meta.at,
    actor: meta.actor,
    facts,
    dataHash: sha256(canonicalJson(data)).toString('hex'),
  };
}

/** What the row of an entry holds beside its hash. Throws for what is no entry. */
export function columnsOf(entry: LogEntry): EntryColumns {
  const { number, eventId, day, type, actor } = entry;
  return {
    number: String(number),
    eventId,
    day,
    type,
    actorId: actor.kind === 'account' ? actor.accountId : actor.name,
    entry: JSON.stringify(entry),
  };
}

export function entryHash(previous: Buffer, entry: LogEntry): Buffer {
  return sha256(previous, canonicalJson(entry));
}

/** The root of a day's entries, all of them, in order. */
export function dailyRoot(
  day: string,
  entries: readonly { readonly number: number; readonly hash: Buffer }[],
  previous: Buffer,
): DailyRoot {
  const root = merkleRoot(entries.map(({ hash }) => hash));
  const first = entries[0]?.number ?? 0;
  const last = entries.at(-1)?.number ?? 0;
  return {
    day,
    first,
    last,
    root,
    hash: sha256(previous, canonicalJson({ day, first, last, root: root.toString('hex') })),
  };
}

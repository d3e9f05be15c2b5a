import { randomUUID } from 'node:crypto';
import {
  ENTRY_TYPES_WITHOUT_EVENT,
  findEventDefinition,
  NewerEventVersionError,
  type Actor,
  type Position,
  type RecordedEvent,
  type StreamId,
} from '@alpenglow/domain';
import { canonicalJson, sha256 } from './hashes.ts';
import { merkleRoot } from './merkle.ts';

/**
 * An entry of the moderation log, which describes the action, the affected object and the actor. It contains no
 * encrypted data, so it can be read without an encryption key.
 */
export interface LogEntry extends Pick<RecordedEvent, 'type' | 'stream' | 'revision'> {
  /** The number of the entry, from 1. */
  readonly number: number;
  /** The day of the entry in UTC, e.g. `2026-11-22`. */
  readonly day: string;
  readonly eventId: string;
  /** The time of the event in ISO 8601 format, in UTC. */
  readonly at: string;
  readonly actor: Actor;
  /** The fields of the event that are stored without encryption. */
  readonly facts: Readonly<Record<string, unknown>>;
  /**
   * The SHA-256 hash of the event's stored data, including its encrypted text. The entry therefore also proves the
   * encrypted text.
   */
  readonly dataHash: string;
}

export interface ChainedEntry {
  readonly entry: LogEntry;
  readonly hash: Buffer;
}

/** The database columns of a log entry as text, except for the hash. All values are derived from the entry. */
export interface EntryColumns {
  readonly number: string;
  readonly eventId: string;
  readonly day: string;
  readonly type: string;
  readonly actorId: string | null;
  /** The exact JSON text of the entry. */
  readonly entry: string;
}

/**
 * A row of the moderation log as read from the database. The columns repeat values of the entry. If they differ from
 * the entry, the row was manipulated.
 */
export interface StoredLogEntry extends ChainedEntry {
  readonly columns: EntryColumns;
}

/** The root hash of the hash tree over all log entries of a past day. */
export interface DailyRoot {
  readonly day: string;
  /** The numbers of the first and the last entry of the day. */
  readonly first: number;
  readonly last: number;
  readonly root: Buffer;
  /** The hash of this root hash together with the hash of the previous day's root hash. */
  readonly hash: Buffer;
}

/**
 * Returns true if an event belongs in the moderation log, according to the definition of its type. The result depends
 * only on the stored event and its version, so a rebuilt log has the same entries. Throws `NewerEventVersionError` for
 * an unknown event type. This build does not know whether such an event belongs in the log, and an omitted entry is
 * never added later.
 */
export function belongsInModerationLog({ type, version, data, meta: { actor } }: RecordedEvent): boolean {
  const definition = findEventDefinition(type);
  if (!definition) throw new NewerEventVersionError(`${type} is not known to this build`);
  const { moderationLog } = definition;
  if (typeof moderationLog === 'object') return version >= moderationLog.sinceVersion;
  if (moderationLog === 'by-others')
    return actor.kind !== 'account' || actor.accountId !== definition.getSubjectId(data);
  return moderationLog === 'always';
}

/**
 * Returns the day of the next entry in the moderation log (UTC, e.g. `2026-11-22`). Normally, this is the day of the
 * event or, if later, the day of the previous entry. An event with a wrong time in the future must not stop the daily
 * root hashes, so the day is at most `today`. It is always later than the last day with a root hash.
 */
export function dayOfEntry(
  { meta: { at } }: { readonly meta: Pick<RecordedEvent['meta'], 'at'> },
  previousDay: string | null,
  { today, lastRootDay }: { readonly today: string; readonly lastRootDay: string | null },
): string {
  const eventDay = at.slice(0, 10);
  const latest = previousDay !== null && previousDay > eventDay ? previousDay : eventDay;
  const day = latest < today ? latest : today;
  return lastRootDay !== null && day <= lastRootDay ? dayAfter(lastRootDay) : day;
}

const DAY_ms = 24 * 60 * 60_000;
const dayAfter = (day: string) => new Date(Date.parse(day) + DAY_ms).toISOString().slice(0, 10);

/**
 * Returns the entry of the moderation log about an event. `previous` is the previous entry in the log. `day` is the
 * result of `dayOfEntry`.
 */
export function createLogEntry(
  { id, type, stream, revision, data, meta }: RecordedEvent,
  previous: Pick<LogEntry, 'number'> | null,
  day = meta.at.slice(0, 10),
): LogEntry {
  const { $sealed: _sealed, ...facts } = data as Record<string, unknown>;
  return {
    number: (previous?.number ?? 0) + 1,
    day,
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

/**
 * The type of an entry about the continuation of the audit chain, after the event log had lost events of a past day. It
 * is the only type of entry that is not about an event.
 */
export const [CHAIN_CONTINUED] = ENTRY_TYPES_WITHOUT_EVENT;
const CONTINUATION_STREAM = 'audit-chain' as StreamId;

/**
 * The decision of an operator to continue the audit chain after a loss of events. The lost entries of the moderation
 * log are those from `firstLostEntry` to `lastLostEntry`, both included.
 */
export interface Continuation {
  readonly reason: string;
  readonly commonEvents: number;
  readonly commonPosition: Position;
  readonly lostEvents: number;
  readonly firstLostEntry: number;
  readonly lastLostEntry: number;
}

/** Returns the entry about a continuation of the audit chain. `previous` is the previous entry in the log. */
export function createContinuationEntry(
  facts: Continuation,
  { previous, day, at }: { readonly previous: Pick<LogEntry, 'number'>; readonly day: string; readonly at: string },
): LogEntry {
  return {
    number: previous.number + 1,
    day,
    eventId: randomUUID(),
    type: CHAIN_CONTINUED,
    stream: CONTINUATION_STREAM,
    revision: 0,
    at,
    actor: { kind: 'system', name: 'operator' },
    facts: { ...facts },
    dataHash: sha256(canonicalJson(facts)).toString('hex'),
  };
}

/** Returns what an entry says about a continuation of the audit chain, or null for an entry about an event. */
export function readContinuation({ type, facts }: Pick<LogEntry, 'type' | 'facts'>): Continuation | null {
  return type === CHAIN_CONTINUED ? (facts as unknown as Continuation) : null;
}

/** Returns the database columns of a log entry, except for the hash. Throws if `entry` is not a valid entry. */
export function toEntryColumns(entry: LogEntry): EntryColumns {
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

/** Returns the root hash of a day. `entries` are all log entries of the day, in the order of their numbers. */
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

import { findEventDefinition, NewerEventVersionError, type Actor, type RecordedEvent } from '@alpenglow/domain';
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

/** Returns the entry of the moderation log about an event. `previous` is the previous entry in the log. */
export function createLogEntry(
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
